// SPDX-License-Identifier: Apache-2.0
/* classifier-fit.h: a classifier trained by itself, without a learner and its monitor: for damage that depends on what
 * a network finds hard, and for first estimates. Methods train through train.h.
 *
 *     cru_classifier c = cru_classifier_create(net, &choice, &task);
 *     cru_classifier_fit(net, &c, &rows, &(cru_fit){.optim = {.kind = CRU_ADAM, .lr = 1e-3}, .epochs = 20, .batch = 256,
 *                                                   .labels = labels, .items = {ids, count}});
 *     cru_classifier_scores(net, &c, &rows, 256, scores);                       // rows x classes */
#ifndef CRUCIBLE_CLASSIFIER_FIT_H
#define CRUCIBLE_CLASSIFIER_FIT_H

#include <crucible/backbone.h>
#include <crucible/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where rows come from: `read` writes row `item`, `cols` numbers. */
typedef struct cru_row_source {
    int64_t rows, cols;
    void (*read)(const void *user, int64_t item, float *x);
    const void *user;
} cru_row_source;

typedef struct cru_fit {
    cru_optim_spec optim;
    int64_t epochs, batch;
    const int32_t *labels; /* by row */
    cru_ids items;         /* the rows to learn from, at least one */
} cru_fit;

/* Shuffled passes in minibatches, the last of which may be smaller, with the mean cross-entropy. Trains all weights of
 * the net. Failures are in its context. */
CRU_API void cru_classifier_fit(cru_net *net, const cru_classifier *classifier, const cru_row_source *rows,
                                const cru_fit *fit);

/* The scores of all rows, `batch` at a time: rows x classes, host. */
CRU_API void cru_classifier_scores(cru_net *net, const cru_classifier *classifier, const cru_row_source *rows,
                                   int64_t batch, float *scores);

#ifdef __cplusplus
}
#endif
#endif
