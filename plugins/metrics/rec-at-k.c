/* rec-at-k: of the K items of class 1, the share among the K highest scores.
 *
 * Where the border cuts through equal scores, all their orders count equally; `ties = stable` takes the last ones in
 * the order of the items, as a stable ascending sort would. */
#include "class-ranking.h"

typedef struct settings {
    int64_t ties;
} settings;

static const char *const ties[] = {"average", "stable", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, ties, 0, ties, "equal scores at the border"),
    CRU_END,
};

static double averaged(const cru_ranking *r)
{
    return cru_ranking_recall_at_k(r, false);
}

static double stable(const cru_ranking *r)
{
    return cru_ranking_recall_at_k(r, true);
}

static cru_status score(const void *settings_, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const settings *s = settings_;
    (void)report;
    return ranking_score(evidence, s->ties ? stable : averaged, value, err);
}

static const cru_metric vtable = {
    .size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_TWO_CLASSES, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "rec-at-k",
    .version = "1.0",
    .summary = "share of class 1 among as many highest scores",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
