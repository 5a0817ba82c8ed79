/* @name@: TODO one line: what it measures.
 *
 *     (1/n) sum_i [argmax_c score_ic = y_i]                                           TODO your formula
 *
 * TODO Authors. Title. Venue Year.
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini
 */
#include <math.h>

#include <crucible/crucible.h>

/* The class with the highest score, the first of equals. */
static int32_t predicted(const float *scores, int32_t classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < classes; c++)
        if (scores[c] > scores[best]) best = c;
    return best;
}

/* Sees truth, scores (logits), the graph, the split; `items` are the ones to judge. NAN where it is not defined.
 * Further numbers go to `report`. TODO */
static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    int64_t hits = 0, known = 0;
    for (int64_t i = 0; i < j->items.count; i++) {
        const int32_t item = j->items.ids[i];
        if (data->truth[item] == CRU_UNLABELLED) continue;
        known++;
        hits += predicted(j->scores + (int64_t)item * data->classes, data->classes) == data->truth[item];
    }
    *value = known ? (double)hits / (double)known : NAN;
    return CRU_OK;
}

/* TODO flags: CRU_METRIC_LOWER_IS_BETTER; CRU_METRIC_OF_DATASET when it describes data and needs no scores */
CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    .summary = "share of items whose highest score is the true class",
    .authors = NULL,  /* TODO */
    .citation = NULL, /* TODO */
    .license = NULL,  /* TODO */
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
