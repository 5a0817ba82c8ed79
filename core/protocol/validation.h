// SPDX-License-Identifier: Apache-2.0
/* validation.h: how well scores agree with what is known of a set of items.
 *
 * Used by the worker on observed labels and by the judge on true ones, so that a rule means the same in both. Scores
 * are logits, items x classes, row-major; `ids` chooses the rows. Ties between classes go to the lowest class. Every
 * value is NAN when `ids` is empty or the number is not defined for it. */
#ifndef CORE_RUNNER_VALIDATION_H
#define CORE_RUNNER_VALIDATION_H

#include <stdbool.h>

#include <crucible/task.h>

typedef struct validation {
    const float *scores;
    int32_t classes;
    cru_ids ids;
    const int32_t *labels; /* per item; needed by accuracy, loss, auc and auprc; items without a label are left out */
    const uint8_t *candidates; /* items x classes; needed by covering and approximated accuracy */
} validation;

double validation_accuracy(const validation *v);

/* Mean of -log softmax(row)[label]. */
double validation_loss(const validation *v);

/* Class 1 against the rest, by z_1 - z_0, or by z_1 when there are more than two classes. Area under the ROC curve with
 * ties counted half; average precision with one threshold per distinct score. */
double validation_auc(const validation *v);
double validation_auprc(const validation *v);

/* cru_covering_rate and cru_approximated_accuracy (scoring.h). */
double validation_covering(const validation *v);
double validation_approximated(const validation *v, bool paper);

/* True when all `count` scores are finite. */
bool validation_finite(const float *scores, int64_t count);
/* Whether those of all validation items are. */
bool validation_all_finite(const validation *v);

#endif
