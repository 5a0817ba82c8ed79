// SPDX-License-Identifier: Apache-2.0
/* rec-at-k: of the K items of class 1, the share among the K highest scores.
 *
 * Where the border cuts through equal scores, the items with the highest ids count, as after a stable ascending sort;
 * `ties = average` takes the expectation over all orders of the equal ones, which is also reported as `average`. */
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/scoring.h>

#include "class-ranking.h"

typedef struct settings {
    int64_t ties;
} settings;

enum { AVERAGE, STABLE };
static const char *const ties[] = {"average", "stable", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, ties, STABLE, ties, "equal scores at the border: all orders of them, or the last by id"),
    CRU_END,
};

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The judged items by id, in whatever order the split lists them. Free `of` with free(), also after a failure. */
static cru_status rank_by_id(cru_ranking *r, const cru_judging *j)
{
    const int64_t n = j->items.count;
    cru_judging sorted = *j;
    int32_t *ids = malloc((size_t)(n ? n : 1) * sizeof *ids);
    *r = (cru_ranking){0};
    if (!ids) return cru_fail(j->err, CRU_NO_MEMORY, "no memory to rank %lld items", (long long)n);
    if (n) memcpy(ids, j->items.ids, (size_t)n * sizeof *ids);
    qsort(ids, (size_t)n, sizeof *ids, ascending);
    sorted.items.ids = ids;
    cru_status status = ranking_of_two(r, &sorted);
    free(ids);
    return status;
}

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    cru_ranking r;
    cru_status status = rank_by_id(&r, j);
    if (!status) {
        const double average = cru_ranking_recall_at_k(&r, false);
        cru_report_number(j->report, "average", average);
        *value = s->ties == STABLE ? cru_ranking_recall_at_k(&r, true) : average;
    }
    free(r.of);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_TWO_CLASSES, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "rec-at-k",
    .version = "1.1",
    .summary = "share of class 1 among as many highest scores",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
