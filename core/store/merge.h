// SPDX-License-Identifier: Apache-2.0
/* merge.h: one store from several.
 *
 *     store_gather(out, err);
 *     for each input:  store_merge(out, path, &options, &figures, err);
 *     store_flush(out, err);                             or store_discard(out), which leaves it as it was
 *
 * The union by trial key: a result beats a failure, a failure a trial that is still to be run; of two results of one
 * kind that of `out` stays. A trial that gave a result in both was run twice, maybe on two machines, and must have
 * given the same bits: numbers, vectors and scores are compared. What a trial cost is not. Merging an input again
 * changes nothing. */
#ifndef CORE_STORE_MERGE_H
#define CORE_STORE_MERGE_H

#include "store/store.h"

typedef struct merge_figures {
    int64_t trials;    /* of the inputs */
    int64_t added;     /* that `out` did not list */
    int64_t results;   /* results that were taken over */
    int64_t twice;     /* trials with a result in both */
    int64_t differing; /* of these, with other bits */
} merge_figures;

/* A trial whose two results are not the same. */
typedef struct merge_difference {
    const char *input, *key;
    const char *canonical; /* all settings as text */
    const char *name;      /* of the first number, vector or other part that differs */
    double here, there;    /* the numbers; NAN: there is none of that name, or it is not one number */
} merge_difference;

typedef struct merge_options {
    void (*differs)(void *user, const merge_difference *difference); /* may be NULL */
    void *user;
} merge_options;

/* Adds what the store at `path`, which is only read, has. Between store_gather and store_flush or store_discard. The
 * counts are added to `figures`. A failure of the input (damaged, not a store, from a newer program) leaves of it
 * nothing in `out` and keeps what was merged before; CRU_NO_MEMORY and failures of `out`, which end the gathering, do
 * not: *out_failed tells. */
cru_status store_merge(store *out, const char *path, const merge_options *options, merge_figures *figures,
                       bool *out_failed, cru_error *err);

#endif
