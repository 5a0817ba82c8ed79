// SPDX-License-Identifier: Apache-2.0
/* auc-ovr: mean over the classes of the area under the ROC curve of that class against the rest.
 *
 * Items are ranked by the probability of the class. Some studies rank by its logit instead (by = logit), which compares
 * numbers of different scales and gives another area for three or more classes.
 *
 * A class that is missing from the truth has no such area; then the mean is not defined either, or goes over the
 * others (missing = skip). With two classes this is auroc.
 *
 * average = micro is one area instead, over all pairs of an item and a class, of which those of the true class are the
 * positive ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "class-ranking.h"

typedef struct settings {
    int64_t missing, by, average;
} settings;

static const char *const missings[] = {"undefined", "skip", NULL};

static const char *const scales[] = {"probability", "logit", NULL};

static const char *const averages[] = {"macro", "micro", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, missing, 0, missings, "the mean when a class is missing from the truth"),
    CRU_CHOICE(settings, by, 0, scales, "what ranks the items"),
    CRU_CHOICE(settings, average, 0, averages,
               "macro: the mean of the classes' areas; micro: one area over all of them"),
    CRU_END,
};

typedef struct mean {
    double sum;
    int32_t defined; /* classes that have an area */
} mean;

static cru_status add_class(mean *m, const cru_judging *j, ranking_by by)
{
    cru_ranking r;
    cru_status status = ranking_take(&r, j, by);
    const double area = status ? NAN : cru_ranking_auroc(&r);
    free(r.of);
    if (isnan(area)) return status;
    m->sum += area;
    m->defined++;
    return CRU_OK;
}

/* The mean of the areas of the classes. */
static cru_status macro(const cru_judging *j, const double *log_sums, double *value)
{
    const settings *s = j->settings;
    const int32_t classes = j->data->classes;
    mean m = {0};
    cru_status status = CRU_OK;
    for (int32_t c = 0; c < classes && !status; c++) status = add_class(&m, j, (ranking_by){c, s->by, log_sums});
    *value = m.defined == classes || (s->missing && m.defined) ? m.sum / m.defined : NAN;
    return status;
}

/* One area over all items and classes. */
static cru_status micro(const cru_judging *j, const double *log_sums, double *value)
{
    const settings *s = j->settings;
    const size_t pairs = (size_t)(j->items.count * j->data->classes);
    cru_ranking all = {.of = malloc((pairs ? pairs : 1) * sizeof *all.of)}, r;
    cru_status status = all.of ? CRU_OK : cru_fail(j->err, CRU_NO_MEMORY, "no memory for %zu pairs", pairs);
    for (int32_t c = 0; c < j->data->classes && !status; c++) {
        status = ranking_take(&r, j, (ranking_by){c, s->by, log_sums});
        if (!status && r.count) memcpy(all.of + all.count, r.of, (size_t)r.count * sizeof *r.of);
        if (!status) all.count += r.count;
        free(r.of);
    }
    if (!status) status = cru_ranking_sort(&all, j->err);
    *value = status ? NAN : cru_ranking_auroc(&all);
    free(all.of);
    return status;
}

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    const int32_t classes = j->data->classes;
    const int64_t n = j->items.count;
    double *log_sums = malloc((size_t)(n ? n : 1) * sizeof *log_sums);
    if (!log_sums) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld items", (long long)n);
    for (int64_t i = 0; i < n; i++)
        log_sums[i] = cru_log_sum_exp(j->scores + (int64_t)j->items.ids[i] * classes, classes);
    const cru_status status = s->average ? micro(j, log_sums, value) : macro(j, log_sums, value);
    free(log_sums);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "auc-ovr",
    .version = "1.0",
    .summary = "area under the ROC curve, mean of each class against the rest",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
