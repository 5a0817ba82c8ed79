// SPDX-License-Identifier: Apache-2.0
#include "class-ranking.h"

#include <stdlib.h>

/* Of judged item i with these scores. */
static double score_by(const ranking_by *by, int64_t i, const float *scores, int32_t classes)
{
    const double own = (double)scores[by->class];
    if (by->raw) return own;
    if (classes == 2) return own - (double)scores[1 - by->class];
    return (double)(float)(own - (by->log_sums ? by->log_sums[i] : cru_log_sum_exp(scores, classes)));
}

cru_status ranking_take(cru_ranking *r, const cru_judging *j, ranking_by by)
{
    const cru_data *data = j->data;
    const int64_t n = j->items.count;
    *r = (cru_ranking){.of = malloc((size_t)(n ? n : 1) * sizeof *r->of)};
    if (!r->of) return cru_fail(j->err, CRU_NO_MEMORY, "no memory to rank %lld items", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t item = j->items.ids[i];
        if (data->truth[item] == CRU_UNLABELLED) continue;
        r->of[r->count++] = (cru_ranked){.score = score_by(&by, i, j->scores + item * data->classes, data->classes),
                                         .positive = data->truth[item] == by.class};
    }
    return cru_ranking_sort(r, j->err);
}

cru_status ranking_of_two(cru_ranking *r, const cru_judging *j)
{
    *r = (cru_ranking){0};
    if (j->data->classes != 2)
        return cru_fail(j->err, CRU_UNSUPPORTED, "ranks the second of two classes, and there are %d; see auc-ovr",
                        j->data->classes);
    return ranking_take(r, j, (ranking_by){.class = 1});
}

cru_status ranking_score(const cru_judging *j, ranking_measure *measure, double *value)
{
    cru_ranking r;
    cru_status status = ranking_of_two(&r, j);
    if (!status) *value = measure(&r);
    free(r.of);
    return status;
}
