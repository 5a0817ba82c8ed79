// SPDX-License-Identifier: Apache-2.0
/* graph-class-imbalance: one class has most of the training graphs.
 *
 * A new split of G graphs: n = floor(train G) train, floor(val G / C) of each class validate, all others test. Per
 * class the graphs are shuffled, classes ascending. two classes:  the majority gets k = floor(share n), the other n - k
 * share = 0.5, 0.7, 0.9 more classes: the counts of class-schedule.h with the ratio rho = 1, 20, 100 for the levels
 * balanced, low and high. With held_out the classes keep their own ratio: so many graphs of each class validate, as
 * many test, and all others train, as IGL-Bench does with ogbg-molhiv.
 *
 * The study says that the class with more graphs is the majority, but its code, and so its tables, takes class 1
 * everywhere but for FRANKENSTEIN (known by its 4337 graphs of two classes), where it is class 0.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>

#include "class-schedule.h"
#include "parts.h"

typedef enum level { BALANCED, LOW, HIGH } level;
static const char *const levels[] = {"balanced", "low", "high", NULL};
static const double level_share[] = {0.5, 0.7, 0.9}, level_rho[] = {1, 20, 100};

typedef enum majority { MAJORITY_STUDY, MAJORITY_LARGER, MAJORITY_0, MAJORITY_1 } majority;
static const char *const majorities[] = {"study", "larger", "class-0", "class-1", NULL};

enum { FRANKENSTEIN_GRAPHS = 4337 };

typedef struct settings {
    int64_t level, majority, held_out;
    double share, rho, train, val;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, LOW, levels, "how far the classes are out of balance"),
    CRU_FLOAT(settings, share, -1, -1, 1, "two classes: share of the majority; -1: as the level says"),
    CRU_FLOAT(settings, rho, -1, -1, 1e9, "more classes: largest over smallest, at least 1; -1: as the level says"),
    CRU_CHOICE(settings, majority, MAJORITY_STUDY, majorities, "two classes: which one has most training graphs"),
    CRU_FLOAT(settings, train, 0.1, 0, 1, "share of training graphs"),
    CRU_FLOAT(settings, val, 0.1, 0, 1, "share of validation graphs"),
    CRU_INT(settings, held_out, 0, 0, 1e9, "so many graphs of each class validate and test, all others train; 0: off"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

static int32_t majority_class(const settings *s, const cru_data *data, const int64_t *size)
{
    switch ((majority)s->majority) {
    case MAJORITY_LARGER:
        return size[1] > size[0];
    case MAJORITY_0:
        return 0;
    case MAJORITY_1:
        return 1;
    case MAJORITY_STUDY:
        break;
    }
    return data->items != FRANKENSTEIN_GRAPHS;
}

/* How many graphs of each class train. */
static void count_classes(const settings *s, cru_data *data, const int64_t *size, int64_t *counts)
{
    const double n = floor(s->train * (double)data->items);
    if (s->held_out) {
        for (int32_t c = 0; c < data->classes; c++)
            counts[c] = size[c] > 2 * s->held_out ? size[c] - 2 * s->held_out : 0;
    } else if (data->classes == 2) {
        const double share = s->share < 0 ? level_share[s->level] : s->share;
        const int32_t most = majority_class(s, data, size);
        counts[most] = (int64_t)floor(share * n);
        counts[!most] = (int64_t)n - counts[most];
    } else {
        const double rho = s->rho < 1 ? level_rho[s->level] : s->rho;
        class_counts_graphs(cru_data_pool(data), (class_population){size, data->classes}, n, rho, counts);
    }
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    parts deal;
    cru_status status = parts_start(&deal, &s->rng, d, CRU_STUDY_PYTHON);
    if (status) return status;
    int64_t *size = cru_pool_alloc(cru_data_pool(data), data->classes, sizeof *size);
    int64_t *counts = cru_pool_alloc(cru_data_pool(data), data->classes, sizeof *counts);
    const class_lists lists = class_lists_make(data, labelled_items(data));
    for (int32_t c = 0; c < data->classes; c++) size[c] = class_size(&lists, c);
    count_classes(s, data, size, counts);
    const int64_t val = s->held_out ? s->held_out : (int64_t)floor(s->val * (double)data->items / data->classes);
    for (int32_t c = 0; c < data->classes; c++) {
        const cru_ids graphs = class_items(&lists, c);
        parts_shuffle(&deal, lists.ids + lists.offsets[c], graphs.count);
        parts_deal(&deal, PART_TRAIN, graphs, counts[c]);
        parts_deal(&deal, PART_VAL, graphs, val);
    }
    return parts_finish(&deal);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "graph-class-imbalance",
    .version = "1.0",
    .summary = "one class has most of the training graphs",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_GRAPHS,
};
