// SPDX-License-Identifier: Apache-2.0
/* class-ranking.h: the judged items in the order in which they are said to be of a class. */
#ifndef METRICS_CLASS_RANKING_H
#define METRICS_CLASS_RANKING_H

#include <crucible/plugin.h>
#include <crucible/scoring.h>

/* What ranks the judged items: how strongly they are said to be of a class, comparable between items: z_1 - z_0 for the
 * second of two classes (log softmax would make all confident items equal), log softmax otherwise, to the precision of
 * a score: items that differ only by rounding tie. */
typedef struct ranking_by {
    int32_t class;
    bool raw;               /* the score of the class itself, which is not comparable between items */
    const double *log_sums; /* log_sum_exp of every judged item, for callers who rank by many classes; may be NULL */
} ranking_by;

/* The judged items whose truth is known, ranked; the class is the positive one. Free `of` with free(), also after a
 * failure. */
cru_status ranking_take(cru_ranking *r, const cru_judging *j, ranking_by by);

/* ranking_take by class 1 of two. CRU_UNSUPPORTED for more classes. */
cru_status ranking_of_two(cru_ranking *r, const cru_judging *j);

/* What most metrics of two classes do: rank by class 1, measure, free. */
typedef double ranking_measure(const cru_ranking *r);
cru_status ranking_score(const cru_judging *j, ranking_measure *measure, double *value);

#endif
