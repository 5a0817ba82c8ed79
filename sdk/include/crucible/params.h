// SPDX-License-Identifier: Apache-2.0
/* params.h: the settings of a plugin, declared once.
 *
 * A plugin never parses text. It declares a struct for its settings and one static table that says, for every field,
 * its key, type, default, range, search distribution and a line of help. From this table the host validates an INI file
 * (with file:line and "did you mean"), fills the struct, prints `crucible info`, draws hyperparameters and writes the
 * reference manual.
 *
 *     typedef struct settings { int64_t hidden; double alpha; bool norm; int64_t kind; cru_train train; } settings;
 *
 *     static const char *const kinds[] = {"sym", "rw", NULL};
 *     static const cru_param schema[] = {
 *         CRU_INT   (settings, hidden, 64, 1, 65536, "width of the hidden layer"),
 *         CRU_FLOAT (settings, alpha, 0.1, 0, 1, "teleport probability", .search = CRU_ONE_OF(0.1, 0.2, 0.5, 0.9)),
 *         CRU_BOOL  (settings, norm, true, "batch normalisation after each layer"),
 *         CRU_CHOICE(settings, kind, 0, kinds, "normalisation of the adjacency"),
 *         CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),      // epochs, lr, weight_decay, optimiser: train.h
 *         CRU_END,
 *     };
 *
 * Field types are fixed, so that the host can fill the struct: int64_t for CRU_INT, double for CRU_FLOAT, bool for
 * CRU_BOOL, int64_t (the index into the choices) for CRU_CHOICE, const char * for CRU_STRING, cru_list for CRU_LIST.
 * Strings and lists in a filled struct are owned by the host and live as long as the plugin's instance. */
#ifndef CRUCIBLE_PARAMS_H
#define CRUCIBLE_PARAMS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_param_type {
    CRU_PARAM_END = 0, /* ends a table */
    CRU_PARAM_INT,
    CRU_PARAM_FLOAT,
    CRU_PARAM_BOOL,
    CRU_PARAM_CHOICE,
    CRU_PARAM_STRING,
    CRU_PARAM_LIST,  /* numbers */
    CRU_PARAM_GROUP, /* another table, for a struct nested in this one; its keys appear as if they stood here */
} cru_param_type;

typedef struct cru_list {
    const double *values;
    int64_t count;
} cru_list;

typedef enum cru_search_kind {
    CRU_SEARCH_NONE = 0,    /* never searched: keeps its default unless the config sets it */
    CRU_SEARCH_ONE_OF,      /* one of the given numbers, or of all choices when the list is empty */
    CRU_SEARCH_UNIFORM,     /* lo..hi */
    CRU_SEARCH_LOG_UNIFORM, /* 10^U(log10 lo, log10 hi) */
    CRU_SEARCH_POWER_OF_2,  /* 2^floor(U(lo, hi)) */
} cru_search_kind;

typedef struct cru_search {
    cru_search_kind kind;
    double lo, hi;
    const double *values;
    int64_t count;
} cru_search;

typedef struct cru_param {
    const char *key; /* lower-case-with-dashes or snake_case; unique in the plugin, also across groups */
    cru_param_type type;
    size_t offset;              /* of the field in the settings struct */
    double number;              /* default of int, float, bool (0 or 1), choice (index) */
    const char *text;           /* default of string; of list as the text "64, 32" */
    double min, max;            /* range of int and float, of every element of a list; inclusive */
    const char *const *choices; /* of choice; NULL-terminated */
    const struct cru_param *group;
    cru_search search;
    const char *help; /* one line, no full stop */
} cru_param;

#define CRU_NO_MIN (-INFINITY)
#define CRU_NO_MAX (INFINITY)

/* One entry of a table. The key is the field's name; trailing arguments are designated initialisers, in practice
 * `.search = ...`. */
#define CRU_INT(type_, field_, default_, min_, max_, help_, ...)                                                       \
    CRU_INT_KEY(type_, #field_, field_, default_, min_, max_, help_, __VA_ARGS__)
#define CRU_FLOAT(type_, field_, default_, min_, max_, help_, ...)                                                     \
    CRU_FLOAT_KEY(type_, #field_, field_, default_, min_, max_, help_, __VA_ARGS__)
#define CRU_BOOL(type_, field_, default_, help_, ...) CRU_BOOL_KEY(type_, #field_, field_, default_, help_, __VA_ARGS__)
#define CRU_CHOICE(type_, field_, default_, choices_, help_, ...)                                                      \
    CRU_CHOICE_KEY(type_, #field_, field_, default_, choices_, help_, __VA_ARGS__)
#define CRU_STRING(type_, field_, default_, help_, ...)                                                                \
    {                                                                                                                  \
        .key = #field_, .type = CRU_PARAM_STRING, .offset = offsetof(type_, field_), .text = (default_),               \
        .help = (help_), __VA_ARGS__                                                                                   \
    }
#define CRU_LIST(type_, field_, default_, min_, max_, help_, ...)                                                      \
    CRU_LIST_KEY(type_, #field_, field_, default_, min_, max_, help_, __VA_ARGS__)
#define CRU_GROUP(type_, field_, table_) CRU_GROUP_KEY(type_, #field_, field_, table_)

/* As these, with a key of its own, for fields inside a nested struct:
 * CRU_INT_KEY(settings, "epochs", train.epochs, ...). */
#define CRU_INT_KEY(type_, key_, field_, default_, min_, max_, help_, ...)                                             \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_INT, .offset = offsetof(type_, field_), .number = (default_), .min = (min_),  \
        .max = (max_), .help = (help_), __VA_ARGS__                                                                    \
    }
#define CRU_FLOAT_KEY(type_, key_, field_, default_, min_, max_, help_, ...)                                           \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_FLOAT, .offset = offsetof(type_, field_), .number = (default_),               \
        .min = (min_), .max = (max_), .help = (help_), __VA_ARGS__                                                     \
    }
#define CRU_BOOL_KEY(type_, key_, field_, default_, help_, ...)                                                        \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_BOOL, .offset = offsetof(type_, field_), .number = (default_), .min = 0,      \
        .max = 1, .help = (help_), __VA_ARGS__                                                                         \
    }
#define CRU_CHOICE_KEY(type_, key_, field_, default_, choices_, help_, ...)                                            \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_CHOICE, .offset = offsetof(type_, field_), .number = (default_),              \
        .choices = (choices_), .help = (help_), __VA_ARGS__                                                            \
    }
#define CRU_LIST_KEY(type_, key_, field_, default_, min_, max_, help_, ...)                                            \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_LIST, .offset = offsetof(type_, field_), .text = (default_), .min = (min_),   \
        .max = (max_), .help = (help_), __VA_ARGS__                                                                    \
    }
#define CRU_GROUP_KEY(type_, key_, field_, table_)                                                                     \
    {                                                                                                                  \
        .key = (key_), .type = CRU_PARAM_GROUP, .offset = offsetof(type_, field_), .group = (table_)                   \
    }

/* Entries that many methods have, with the one range and help. */
#define CRU_WIDTH(type_, field_, default_, ...)                                                                        \
    CRU_INT(type_, field_, default_, 1, 65536, "width of a hidden layer", __VA_ARGS__)
#define CRU_DROPOUT(type_, field_, default_, ...)                                                                      \
    CRU_FLOAT(type_, field_, default_, 0, 0.99, "share that is dropped after each activation", __VA_ARGS__)

/* Where a benchmark's code and the paper of a method differ, the method offers both, in this one vocabulary:
 * `variant = bench` computes what the benchmark's code does, `variant = paper` what the paper (or its authors' code)
 * says. The help tells the difference. */
typedef enum cru_variant { CRU_BENCH, CRU_PAPER } cru_variant;
CRU_API extern const char *const cru_variant_names[]; /* "bench", "paper", NULL */
#define CRU_VARIANT(type_, field_, default_, help_) CRU_CHOICE(type_, field_, default_, cru_variant_names, help_)

#define CRU_END                                                                                                        \
    {                                                                                                                  \
        .type = CRU_PARAM_END                                                                                          \
    }

#define CRU_ONE_OF(...)                                                                                                \
    {                                                                                                                  \
        .kind = CRU_SEARCH_ONE_OF, .values = (const double[]){__VA_ARGS__},                                            \
        .count = (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))                                     \
    }
#define CRU_ANY_CHOICE                                                                                                 \
    {                                                                                                                  \
        .kind = CRU_SEARCH_ONE_OF                                                                                      \
    }
#define CRU_UNIFORM(lo_, hi_)                                                                                          \
    {                                                                                                                  \
        .kind = CRU_SEARCH_UNIFORM, .lo = (lo_), .hi = (hi_)                                                           \
    }
#define CRU_LOG_UNIFORM(lo_, hi_)                                                                                      \
    {                                                                                                                  \
        .kind = CRU_SEARCH_LOG_UNIFORM, .lo = (lo_), .hi = (hi_)                                                       \
    }
#define CRU_POWER_OF_2(lo_, hi_)                                                                                       \
    {                                                                                                                  \
        .kind = CRU_SEARCH_POWER_OF_2, .lo = (lo_), .hi = (hi_)                                                        \
    }

/* What a table says of itself, for hosts and tests; plugins do not need these. A visit walks a table in order, entering
 * groups; `base` is the offset of the enclosing struct, so a field lies at base + param->offset. The visitor sees
 * groups themselves only where they cannot be entered: no table, or nested more than 8 deep. Stops when the visitor
 * returns false. A NULL table is empty. */
typedef bool cru_param_visitor(void *user, const cru_param *param, size_t base);
CRU_API void cru_params_visit(const cru_param *table, cru_param_visitor *visit, void *user);

/* Checks a table: keys present, well formed and unique, types known, defaults in range, choices and search
 * distributions sane, help present, fields inside `settings_size` and not overlapping. */
CRU_API cru_status cru_params_check(const cru_param *table, size_t settings_size, cru_error *err);

/* A filled settings struct: defaults first, then values by key. The object owns strings and lists; a string is never
 * NULL. The table must have passed cru_params_check and must outlive the object. NULL when there is no memory. */
typedef struct cru_settings cru_settings;
CRU_API cru_settings *cru_settings_create(const cru_param *table, size_t settings_size);
CRU_API void cru_settings_destroy(cru_settings *settings);

/* Parses `text` as the type of `key` and stores it. Numbers are decimal, lists are "64, 32" (or empty), a bool is
 * true/false, yes/no, on/off or 1/0, a string is one line. The same in every locale. Fails, changing nothing, with
 * CRU_BAD_INPUT and a message that quotes the text and states what would be valid (range, choices, nearest key); the
 * message carries no file or line,
 * the caller adds them. */
CRU_API cru_status cru_settings_set(cru_settings *settings, const char *key, const char *text, cru_error *err);

/* The struct, laid out as the plugin declared it. */
CRU_API const void *cru_settings_struct(const cru_settings *settings);

/* Every key with its value in canonical text (shortest form that reads back to the same bits, whole numbers without an
 * exponent), in table order, as "key=value\n". Two settings are equal exactly when these texts are. The caller frees it
 * with free(). NULL when there is no memory. */
CRU_API char *cru_settings_text(const cru_settings *settings);

/* The nearest of `count` names to `word` by edit distance, ignoring case; NULL when none is near (a third of the
 * letters wrong). For "did you mean". */
CRU_API const char *cru_nearest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif
