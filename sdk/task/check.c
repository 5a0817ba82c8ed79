// SPDX-License-Identifier: Apache-2.0
/* The rules of task.h, one function a group, each message naming the field and the item. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <crucible/arena.h>
#include <crucible/task.h>

#include "task/check-relations.h"

static cru_status wrong(cru_error *err, const char *what)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s", what);
}

static cru_status check_sizes(const cru_data *d, cru_error *err)
{
    if (d->size != sizeof *d) return wrong(err, "data: not made by cru_data_create");
    if (d->problem != CRU_NODES && d->problem != CRU_GRAPHS && d->problem != CRU_ANOMALY && d->problem != CRU_ROWS)
        return cru_fail(err, CRU_BAD_INPUT, "problem: %d is none", (int)d->problem);
    if (d->items < 1 || d->items > INT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "items: %lld, must be 1 to 2^31 - 1", (long long)d->items);
    if (d->nodes < 0 || d->nodes > INT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "nodes: %lld, must be 0 to 2^31 - 1", (long long)d->nodes);
    if (d->problem != CRU_GRAPHS && d->nodes != d->items)
        return cru_fail(err, CRU_BAD_INPUT, "nodes: %lld, but there are %lld items", (long long)d->nodes,
                        (long long)d->items);
    if (d->classes < 1) return cru_fail(err, CRU_BAD_INPUT, "classes: %d, must be at least 1", d->classes);
    if (d->problem == CRU_ANOMALY && d->classes != 2)
        return cru_fail(err, CRU_BAD_INPUT, "classes: %d, anomaly scoring has 2", d->classes);
    return CRU_OK;
}

enum { BLOCK = 256 };

/* Without a way out in the middle and with a fixed length, so that it becomes vector code: features are the bulk of a
 * dataset. */
typedef uint32_t __attribute__((may_alias)) float_bits;
static bool block_is_finite(const float *values)
{
    const float_bits *bits = (const float_bits *)values;
    uint32_t bad = 0;
    for (int i = 0; i < BLOCK; i++) bad |= (bits[i] & 0x7f800000u) == 0x7f800000u; /* infinity's and NaN's exponent */
    return !bad;
}

static bool blocks_are_finite(const float *values, int64_t blocks)
{
    enum { WORTH_THREADS = 4096 };
    bool sound = true;
#pragma omp parallel for schedule(static) reduction(&& : sound) if (blocks >= WORTH_THREADS)
    for (int64_t b = 0; b < blocks; b++) sound = sound && block_is_finite(values + b * BLOCK);
    return sound;
}

static cru_status check_finite(const float *values, int64_t count, const char *name, cru_error *err)
{
    if (!values) return CRU_OK;
    const int64_t blocks = count / BLOCK;
    for (int64_t i = blocks_are_finite(values, blocks) ? blocks * BLOCK : 0; i < count; i++)
        if (!isfinite(values[i]))
            return cru_fail(err, CRU_BAD_INPUT, "%s: value %lld is not finite", name, (long long)i);
    return CRU_OK;
}

static cru_status check_matrix(const cru_csr *a, const char *name, cru_error *err)
{
    cru_status status = cru_csr_check(a, name, err);
    return status ? status : check_finite(a->values, cru_csr_nnz(a), name, err);
}

static cru_status check_square(const cru_csr *a, int64_t nodes, const char *name, cru_error *err)
{
    if (a->rows != nodes || a->cols != nodes || !a->offsets)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld x %lld, should be %lld x %lld", name, (long long)a->rows,
                        (long long)a->cols, (long long)nodes, (long long)nodes);
    return check_matrix(a, name, err);
}

static cru_status check_graph(const cru_data *d, cru_error *err)
{
    if (d->problem != CRU_ROWS) return check_square(&d->graph, d->nodes, "graph", err);
    if (d->graph.offsets || d->graph.rows || d->relation_count) return wrong(err, "graph: rows have none");
    return CRU_OK;
}

/* Rows are ascending, so the first and the last id of a node tell whether all are in its graph. */
static cru_status check_block(const cru_data *d, int64_t g, cru_error *err)
{
    int64_t from = d->graph_offsets[g], to = d->graph_offsets[g + 1];
    for (int64_t v = from; v < to; v++) {
        int64_t first = d->graph.offsets[v], end = d->graph.offsets[v + 1];
        if (first < end && (d->graph.ids[first] < from || d->graph.ids[end - 1] >= to))
            return cru_fail(err, CRU_BAD_INPUT, "graph: node %lld of graph %lld has a neighbour in another graph",
                            (long long)v, (long long)g);
    }
    return CRU_OK;
}

static cru_status check_blocks(const cru_data *d, cru_error *err)
{
    const int64_t *offsets = d->graph_offsets;
    if (d->problem != CRU_GRAPHS) return offsets ? wrong(err, "graph_offsets: only graph problems have them") : CRU_OK;
    if (!offsets) return wrong(err, "graph_offsets: missing");
    if (offsets[0] != 0) return wrong(err, "graph_offsets: do not start at 0");
    for (int64_t g = 0; g < d->items; g++)
        if (offsets[g] > offsets[g + 1])
            return cru_fail(err, CRU_BAD_INPUT, "graph_offsets: fall at %lld", (long long)g);
    if (offsets[d->items] != d->nodes)
        return cru_fail(err, CRU_BAD_INPUT, "graph_offsets: end at %lld, but there are %lld nodes",
                        (long long)offsets[d->items], (long long)d->nodes);
    cru_status status = CRU_OK;
    for (int64_t g = 0; g < d->items && !status; g++) status = check_block(d, g, err);
    return status;
}

static cru_status check_relations(const cru_data *d, cru_error *err)
{
    if (d->relation_count < 0 || (d->relation_count > 0 && !d->relations)) return wrong(err, "relations: missing");
    for (int32_t i = 0; i < d->relation_count; i++) {
        const cru_relation *r = &d->relations[i];
        if (!r->name || !*r->name) return cru_fail(err, CRU_BAD_INPUT, "relation %d: no name", i);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(r->name, d->relations[j].name) == 0)
                return cru_fail(err, CRU_BAD_INPUT, "relation %s: appears twice", r->name);
        char name[100];
        snprintf(name, sizeof name, "relation %s", r->name);
        cru_status status = check_square(&r->graph, d->nodes, name, err);
        if (status) return status;
    }
    return check_union(d, err);
}

static cru_status check_image(const cru_features *x, cru_error *err)
{
    if (x->channels == 0 && x->height == 0 && x->width == 0) return CRU_OK;
    bool positive = x->channels > 0 && x->height > 0 && x->width > 0;
    /* three 31-bit factors: divide instead of multiplying */
    if (positive && x->cols % x->channels == 0 && x->cols / x->channels == (int64_t)x->height * x->width) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "features: %d x %d x %d pixels in %lld columns", x->channels, x->height,
                    x->width, (long long)x->cols);
}

static cru_status check_features(const cru_data *d, cru_error *err)
{
    const cru_features *x = &d->x;
    if (!x->dense && !x->sparse.offsets)
        return x->cols == 0 ? CRU_OK : wrong(err, "features: columns but neither dense nor sparse values");
    if (x->dense && x->sparse.offsets) return wrong(err, "features: both dense and sparse");
    if (x->rows != d->nodes)
        return cru_fail(err, CRU_BAD_INPUT, "features: %lld rows for %lld nodes", (long long)x->rows,
                        (long long)d->nodes);
    int64_t count;
    if (x->cols < 0 || x->cols > INT32_MAX || __builtin_mul_overflow(x->rows, x->cols, &count))
        return cru_fail(err, CRU_BAD_INPUT, "features: %lld columns", (long long)x->cols);
    cru_status status = check_image(x, err);
    if (status) return status;
    if (x->dense) return check_finite(x->dense, count, "features", err);
    if (x->sparse.rows != x->rows || x->sparse.cols != x->cols)
        return cru_fail(err, CRU_BAD_INPUT, "features: a sparse matrix of %lld x %lld, should be %lld x %lld",
                        (long long)x->sparse.rows, (long long)x->sparse.cols, (long long)x->rows, (long long)x->cols);
    return check_matrix(&x->sparse, "features", err);
}

static cru_status check_labels(const cru_data *d, const int32_t *labels, const char *name, cru_error *err)
{
    if (!labels) return cru_fail(err, CRU_BAD_INPUT, "%s: missing", name);
    for (int64_t i = 0; i < d->items; i++)
        if (labels[i] < CRU_UNLABELLED || labels[i] >= d->classes)
            return cru_fail(err, CRU_BAD_INPUT, "%s: item %lld has class %d of %d", name, (long long)i, labels[i],
                            d->classes);
    return CRU_OK;
}

static cru_status check_candidates(const cru_data *d, cru_error *err)
{
    if (!d->candidates) return CRU_OK;
    for (int64_t i = 0; i < d->items * d->classes; i++)
        if (d->candidates[i] > 1)
            return cru_fail(err, CRU_BAD_INPUT, "candidates: item %lld, class %lld is %d, neither 0 nor 1",
                            (long long)(i / d->classes), (long long)(i % d->classes), d->candidates[i]);
    return CRU_OK;
}

typedef struct part {
    const char *split, *name;
    cru_ids ids;
} part;

/* Marks the items of one part; an item that is marked already belongs to two, or twice to one. */
static cru_status check_part(const cru_data *d, const part *p, uint8_t *taken, cru_error *err)
{
    if (p->ids.count < 0 || (p->ids.count > 0 && !p->ids.ids))
        return cru_fail(err, CRU_BAD_INPUT, "%s.%s: %lld ids missing", p->split, p->name, (long long)p->ids.count);
    for (int64_t i = 0; i < p->ids.count; i++) {
        int32_t id = p->ids.ids[i];
        if (id < 0 || id >= d->items)
            return cru_fail(err, CRU_BAD_INPUT, "%s.%s: id %d, outside 0..%lld", p->split, p->name, id,
                            (long long)d->items - 1);
        if (taken[id]) return cru_fail(err, CRU_BAD_INPUT, "%s.%s: item %d appears twice", p->split, p->name, id);
        taken[id] = 1;
    }
    return CRU_OK;
}

static cru_status check_split(const cru_data *d, const cru_split *split, const char *name, cru_error *err)
{
    const part parts[] = {{name, "train", split->train}, {name, "val", split->val}, {name, "test", split->test}};
    cru_arena *scratch = cru_arena_create();
    uint8_t *taken = scratch ? cru_arena_try_zeroed(scratch, d->items, 1) : NULL;
    cru_status status = taken ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", name);
    for (int i = 0; i < 3 && !status; i++) status = check_part(d, &parts[i], taken, err);
    cru_arena_destroy(scratch);
    return status;
}

static bool has_candidate(const cru_data *d, int32_t item)
{
    return memchr(d->candidates + (int64_t)item * d->classes, 1, (size_t)d->classes) != NULL;
}

static cru_status check_training_items(const cru_data *d, cru_error *err)
{
    for (int64_t i = 0; i < d->split.train.count; i++) {
        int32_t item = d->split.train.ids[i];
        if (d->candidates && !has_candidate(d, item))
            return cru_fail(err, CRU_BAD_INPUT, "candidates: training item %d has none", item);
        if (!d->candidates && d->labels[item] == CRU_UNLABELLED)
            return cru_fail(err, CRU_BAD_INPUT, "labels: training item %d has none", item);
    }
    return CRU_OK;
}

static cru_status check_splits(const cru_data *d, cru_error *err)
{
    cru_status status = check_split(d, &d->split, "split", err);
    if (!status) status = check_training_items(d, err);
    if (!status && (d->official_count < 0 || (d->official_count > 0 && !d->official)))
        return wrong(err, "official: splits missing");
    for (int32_t i = 0; i < d->official_count && !status; i++) {
        char name[30];
        snprintf(name, sizeof name, "official[%d]", i);
        status = check_split(d, &d->official[i], name, err);
    }
    return status;
}

static cru_status check_class_names(const cru_data *d, cru_error *err)
{
    for (int32_t i = 0; d->class_names && i < d->classes; i++)
        if (!d->class_names[i]) return cru_fail(err, CRU_BAD_INPUT, "class_names: class %d has none", i);
    return CRU_OK;
}

cru_status cru_data_check(const cru_data *data, cru_error *err)
{
    cru_status status = check_sizes(data, err);
    if (!status) status = check_graph(data, err);
    if (!status) status = check_blocks(data, err);
    if (!status) status = check_relations(data, err);
    if (!status) status = check_features(data, err);
    if (!status) status = check_labels(data, data->truth, "truth", err);
    if (!status) status = check_labels(data, data->labels, "labels", err);
    if (!status) status = check_candidates(data, err);
    if (!status) status = check_splits(data, err);
    if (!status) status = check_class_names(data, err);
    return status;
}
