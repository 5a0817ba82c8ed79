// SPDX-License-Identifier: Apache-2.0
/* scoring.h: the arithmetic that stopping rules and metrics share.
 *
 * The host's rules judge observed validation labels while a method trains; metric plugins judge its final scores. Both
 * call these functions, so that a name (covering rate, area under the curve) means the same number in both. Scores are
 * logits, items x classes, row-major. They are finite wherever a metric sees them; a rule may be shown others, of which
 * every function says what becomes. */
#ifndef CRUCIBLE_SCORING_H
#define CRUCIBLE_SCORING_H

#include <stdbool.h>

#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one row --------------------------------------------------------------------------------------------- */

/* The class with the highest score, the first among equals. A NaN is higher than any number, as in PyTorch and
 * NumPy. */
CRU_API int32_t cru_best_class(const float *row, int32_t classes);

/* log(sum(exp(row))), stable; NaN where a score is NaN or +infinity. */
CRU_API double cru_log_sum_exp(const float *row, int32_t classes);

/* ---- rankings -------------------------------------------------------------------------------------------- */

typedef struct cru_ranked {
    double score; /* not NaN */
    bool positive;
} cru_ranked;

typedef struct cru_ranking {
    cru_ranked *of; /* ascending by score; equal scores in the order in which they were given */
    int64_t count, positives;
} cru_ranking;

/* Ranks what is in `of`, which stays the caller's. O(count); needs as much memory again. */
CRU_API cru_status cru_ranking_sort(cru_ranking *r, cru_error *err);

/* Of the positives and negatives taken as pairs, the share in which the positive has the higher score; a tie counts
 * half. NAN without both. */
CRU_API double cru_ranking_auroc(const cru_ranking *r);

/* Average precision: sum over the distinct scores, from the highest, of (gain in recall) x precision. NAN without
 * positives. */
CRU_API double cru_ranking_auprc(const cru_ranking *r);

/* ---- candidate sets -------------------------------------------------------------------------------------- */

/* Predictions for some items, and the sets in which their true labels are said to be. */
typedef struct cru_covered {
    const float *scores;
    const uint8_t *candidates; /* items x classes, 0/1 */
    int32_t classes;
    cru_ids items; /* those that count; one with an empty set is left out */
} cru_covered;

/* Share of the items whose predicted class is a candidate. NAN without items. */
CRU_API double cru_covering_rate(const cru_covered *c);

/* Mean of 1 - sum_{k != guess} c_k with c_k = p_k s_k / (sum_l p_l s_l + 1e-12), p the softmax of the scores. An item
 * whose candidates have vanishing probability is credited with 1, as in the study's code; `paper` takes c_guess without
 * the 1e-12 instead, which gives it what it earned. NAN without items. */
CRU_API double cru_approximated_accuracy(const cru_covered *c, bool paper);

#ifdef __cplusplus
}
#endif
#endif
