/* ranking.h: items in the order of a score, and what is read off that order. */
#ifndef METRICS_RANKING_H
#define METRICS_RANKING_H

#include <stdbool.h>

#include <crucible/plugin.h>

typedef struct ranked {
    double score;
    bool positive;
} ranked;

typedef struct ranking {
    ranked *of; /* ascending by score; equal scores in the order in which they were given */
    int64_t count, positives;
} ranking;

/* Ranks what is in `of`, which stays the caller's. O(count); needs as much memory again. */
cru_status ranking_sort(ranking *r, cru_error *err);

/* Of the positives and negatives taken as pairs, the share in which the positive has the higher score; a tie counts
 * half. NAN without both. */
double ranking_auroc(const ranking *r);

/* Average precision: sum over the distinct scores, from the highest, of (gain in recall) x precision. NAN without
 * positives. */
double ranking_auprc(const ranking *r);

/* Share of the positives among the `positives` highest. Where the border cuts through equal scores: the expectation
 * over all their orders, or (`stable`) the last ones given count as highest. NAN without positives. */
double ranking_recall_at_k(const ranking *r, bool stable);

/* log(sum(exp(scores))), stable. */
double log_sum_exp(const float *scores, int32_t classes);

/* What ranks the judged items: how strongly they are said to be of a class, comparable between items: z_1 - z_0 for the
 * second of two classes (log softmax would make all confident items equal), log softmax otherwise. */
typedef struct ranking_by {
    int32_t class;
    const double *log_sums; /* log_sum_exp of every judged item, for callers who rank by many classes; may be NULL */
} ranking_by;

/* The judged items whose truth is known, ranked; the class is the positive one. Free `of` with free(), also after a
 * failure. */
cru_status ranking_take(ranking *r, const cru_evidence *evidence, ranking_by by, cru_error *err);

/* What metrics of two classes do: rank by class 1, measure, free. CRU_UNSUPPORTED for more classes. */
typedef double ranking_measure(const ranking *r);
cru_status ranking_score(const cru_evidence *evidence, ranking_measure *measure, double *value, cru_error *err);

#endif
