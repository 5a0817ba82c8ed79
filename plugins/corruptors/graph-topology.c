/* graph-topology: large graphs are rare in the training part, and more or less larger than the others.
 *
 * A new split: of every class n = round(train G / C) graphs train and as many validate, h = round(heads n) of them from
 * the heads, the others from the tails. Heads have more nodes than b, the size at rank floor(0.2 G) from the top.
 *
 *   level   training heads      training tails      (validation: the same from those that are left)
 *   low     random              the largest tails
 *   mid     random              random
 *   high    the largest heads   random
 *
 * Sizes tie by number. Only the rule was published, no generator: rng = study takes Python's.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>

#include "head-tail.h"
#include "parts.h"

typedef enum level { LOW, MID, HIGH } level;
static const char *const levels[] = {"low", "mid", "high", NULL};

typedef struct settings {
    int64_t level, per_class;
    double train, heads;
    parts_rng rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, MID, levels, "how much larger the training heads are than the tails"),
    CRU_FLOAT(settings, train, 0.1, 0, 1, "share of training graphs, and of validation graphs"),
    CRU_INT(settings, per_class, 0, 0, 1e9, "so many of each class train instead, and validate; 0: the share counts"),
    CRU_FLOAT(settings, heads, 0.1, 0, 1, "share of heads among them"),
    CRU_GROUP(settings, rng, parts_rng_params),
    CRU_END,
};

/* The graphs of one class, each side in the order in which the level takes them. */
static head_tail take_sides(parts *deal, level how, cru_ids graphs, const cru_sizes *sizes)
{
    const head_tail sides = head_tail_split(cru_data_pool(deal->job.data), graphs, sizes);
    if (how == HIGH)
        cru_largest_first(sides.heads, sides.head_count, sizes->size);
    else
        parts_shuffle(deal, sides.heads, sides.head_count);
    if (how == LOW)
        cru_largest_first(sides.tails, sides.tail_count, sizes->size);
    else
        parts_shuffle(deal, sides.tails, sides.tail_count);
    return sides;
}

static cru_status apply(const void *settings_, cru_data *data, cru_rng *rng, cru_report *report, cru_error *err)
{
    const settings *s = settings_;
    parts deal;
    cru_status status = parts_start(&deal, &(parts_job){&s->rng, data, rng, report, err}, PARTS_PYTHON);
    if (status) return status;
    int64_t *size = cru_pool_alloc(cru_data_pool(data), data->items, sizeof *size);
    for (int64_t g = 0; g < data->items; g++) size[g] = data->graph_offsets[g + 1] - data->graph_offsets[g];
    const cru_sizes sizes = {size, data->items, cru_head_size(size, data->items)};
    const class_lists lists = class_lists_make(data, labelled_items(data));
    const double share = nearbyint(s->train * (double)data->items / data->classes);
    const int64_t n = s->per_class ? s->per_class : (int64_t)share, h = (int64_t)nearbyint(s->heads * (double)n);
    for (int32_t c = 0; c < data->classes; c++) {
        const head_tail from = take_sides(&deal, (level)s->level, class_items(&lists, c), &sizes);
        for (part to = PART_TRAIN; to <= PART_VAL; to++) {
            parts_deal(&deal, to, (cru_ids){from.heads, from.head_count}, h);
            parts_deal(&deal, to, (cru_ids){from.tails, from.tail_count}, n - h);
        }
    }
    status = parts_finish(&deal);
    if (status) return status;
    cru_report_number(report, "head_size", sizes.head);
    cru_report_number(report, "size_imbalance_ratio", cru_imbalance_of_sizes(&sizes, data->split.train));
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "graph-topology",
    .version = "1.0",
    .summary = "few large graphs train among many small ones",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .problems = CRU_GRAPHS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
