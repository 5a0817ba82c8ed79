// SPDX-License-Identifier: Apache-2.0
/* claims.h: the findings of a study as statements that can be checked.
 *
 *     [claim pair-harms-more]
 *     says   = Pair noise harms more than uniform noise of the same rate.
 *     holds  = accuracy[damage=pair] < accuracy[damage=uniform]
 *     for    = dataset in all, rate in 0.3 0.4 0.5, method = gcn
 *     needs  = 90%                  ; of the combinations of `for`; without it all
 *     test   = p < 0.05             ; and the runs differ by the paired Wilcoxon test
 *     source = table-a1, table-a2   ; artefacts of the study
 *
 * The language of `holds`:
 *
 *     claim      = comparison { "and" comparison }
 *     comparison = sum ( "<" | "<=" | ">" | ">=" ) sum
 *     sum        = product { ( "+" | "-" ) product }
 *     product    = factor { ( "*" | "/" ) factor }
 *     factor     = number | "-" factor | "(" sum ")"
 *                | ( "mean" | "min" | "max" ) "(" sum "over" key [ "in" ( "all" | value { value } ) ] ")"
 *                | metric [ "[" key "=" value { "," key "=" value } "]" ]
 *
 * A metric with its conditions, those of `for` and those of `over` names one cell of the source tables; keys and values
 * are those of the published CSV. A condition in brackets replaces one of `for` or `over` on
 * the same key. A key that a table does not have says nothing of it. Words are letters, digits, and
 * . _ - + / between them; "a text in quotes" is a word, too. Numbers are the printed ones: per cent is per cent. */
#ifndef CORE_STUDY_CLAIMS_H
#define CORE_STUDY_CLAIMS_H

#include <crucible/arena.h>

#include "config/diagnostics.h"
#include "config/values.h"
#include "study/layout.h"

typedef enum claim_op {
    CLAIM_NUMBER,
    CLAIM_CELL, /* metric[conditions] */
    CLAIM_NEGATE,
    CLAIM_ADD,
    CLAIM_SUBTRACT,
    CLAIM_MULTIPLY,
    CLAIM_DIVIDE,
    CLAIM_MEAN, /* over a key */
    CLAIM_MIN,
    CLAIM_MAX,
} claim_op;

/* key = value, or key in values; no values: all that the tables have. */
typedef struct claim_key {
    const char *key;
    const char *const *values;
    int64_t count;
} claim_key;

typedef struct claim_term {
    claim_op op;
    double number;
    const char *metric;
    claim_key *conditions; /* of a cell; each with one value */
    int64_t condition_count;
    claim_key over;
    struct claim_term *left, *right;
} claim_term;

typedef enum claim_relation { CLAIM_LESS, CLAIM_LESS_EQUAL, CLAIM_GREATER, CLAIM_GREATER_EQUAL } claim_relation;

typedef struct claim_comparison {
    claim_term *left, *right;
    claim_relation relation;
    struct claim_comparison *next; /* and */
} claim_comparison;

typedef struct claim {
    const char *name, *says, *text; /* `text`: holds, as written */
    config_place place;
    claim_comparison *holds;
    claim_key *bindings; /* for */
    int64_t binding_count;
    double share; /* of the combinations; 1: all */
    double p;     /* of the test; NAN: none */
    value_list sources;
} claim;

typedef struct claim_list {
    claim *items;
    int64_t count;
} claim_list;

/* Reads a file of claims (or, for tests, `size` bytes of `text` as if from `path`). Everything in `arena`.
 * CRU_BAD_INPUT: `diags` has a line for every fault, with its column where it is in an expression. */
cru_status claims_read(cru_arena *arena, const char *path, claim_list *out, diagnostics *diags);
cru_status claims_parse(cru_arena *arena, const char *path, const char *text, size_t size, claim_list *out,
                        diagnostics *diags);

/* ---- checking -------------------------------------------------------------------------------------------- */

typedef enum claim_verdict {
    CLAIM_HOLDS,
    CLAIM_FAILS,
    CLAIM_OPEN, /* values are missing */
} claim_verdict;

typedef struct claim_result {
    claim_verdict verdict;
    int64_t combinations, known, holding; /* of `for`; those without a missing value; those that hold */
    const char *missing;                  /* the first value that is not there; NULL: none */
    double p;                             /* of the test; NAN: none was made */
    bool few;                             /* so few runs that no p below the level is possible */
} claim_result;

typedef enum claim_side { CLAIM_PUBLISHED, CLAIM_OURS } claim_side;

/* The tables of the claim's sources. Tests are made of our runs only. Values that were not published leave a claim open
 * only when all of them are missing; of ours none may be. CRU_BAD_INPUT: a key or a metric that no table has, or a
 * metric that names several cells. */
cru_status claim_check(cru_arena *arena, const claim *c, claim_side side, const layout *const *tables, int64_t count,
                       claim_result *out, cru_error *err);

#endif
