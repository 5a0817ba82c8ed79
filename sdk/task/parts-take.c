// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "task/parts-facts.h"
#include "task/parts.h"

static void fault(image_reader *r, const char *name, const char *what)
{
    if (!r->status) r->status = cru_fail(r->err, CRU_BAD_INPUT, "image: array %s: %s", name, what);
}

const void *take(image_reader *r, const char *name, size_t size, int64_t count)
{
    const image_entry *e = r->status ? NULL : image_find(r->img, name);
    if (!e) return NULL;
    if (e->size != size || e->count != (uint64_t)count) {
        char what[120];
        snprintf(what, sizeof what, "%llu elements of %llu bytes, should be %lld of %zu", (unsigned long long)e->count,
                 (unsigned long long)e->size, (long long)count, size);
        fault(r, name, what);
        return NULL;
    }
    return (const char *)r->img->base + e->offset;
}

const void *need(image_reader *r, const char *name, size_t size, int64_t count)
{
    const void *array = take(r, name, size, count);
    if (!array) fault(r, name, "missing");
    return array;
}

void *take_memory(image_reader *r, int64_t count, size_t size)
{
    void *memory = r->status ? NULL : cru_arena_try_zeroed(r->arena, count, size);
    if (!memory && !r->status) r->status = cru_fail(r->err, CRU_NO_MEMORY, "image: out of memory");
    return memory;
}

/* a * b, or a fault. */
static int64_t product(image_reader *r, const char *name, int64_t a, int64_t b)
{
    int64_t result;
    if (!__builtin_mul_overflow(a, b, &result)) return result;
    fault(r, name, "its size overflows");
    return 0;
}

static const char *join(char full[IMAGE_NAME], const char *prefix, const char *name)
{
    snprintf(full, IMAGE_NAME, "%s.%s", prefix, name);
    return full;
}

/* Absent offsets make an empty matrix. The last offset is compared with the number of ids, so that nothing which walks
 * the rows of a matrix with ascending offsets can leave the file. */
static cru_csr take_csr(image_reader *r, const char *prefix, int64_t rows, int64_t cols)
{
    char name[IMAGE_NAME];
    const int64_t *offsets = take(r, join(name, prefix, "offsets"), sizeof *offsets, rows + 1);
    if (!offsets) return (cru_csr){0};
    int64_t nnz = offsets[rows];
    cru_csr a = {.rows = rows, .cols = cols, .offsets = offsets};
    join(name, prefix, "ids");
    a.ids = nnz ? need(r, name, sizeof *a.ids, nnz) : take(r, name, sizeof *a.ids, nnz);
    a.values = take(r, join(name, prefix, "values"), sizeof *a.values, nnz);
    return r->status ? (cru_csr){0} : a;
}

static cru_ids take_ids(image_reader *r, const char *name, int64_t items)
{
    const image_entry *e = r->status ? NULL : image_find(r->img, name);
    if (!e) return (cru_ids){0};
    if (e->count > (uint64_t)items) {
        fault(r, name, "more ids than items");
        return (cru_ids){0};
    }
    cru_ids ids = {.count = (int64_t)e->count};
    ids.ids = take(r, name, sizeof *ids.ids, ids.count);
    return ids;
}

cru_split take_split(image_reader *r, const char *prefix, int64_t items)
{
    char name[IMAGE_NAME];
    cru_split split;
    split.train = take_ids(r, join(name, prefix, "train"), items);
    split.val = take_ids(r, join(name, prefix, "val"), items);
    split.test = take_ids(r, join(name, prefix, "test"), items);
    return split;
}

const char *const *take_names(image_reader *r, const char *name, int64_t count)
{
    const image_entry *e = r->status ? NULL : image_find(r->img, name);
    if (!e) return NULL;
    if (e->count < (uint64_t)count) {
        fault(r, name, "too few names");
        return NULL;
    }
    const char *text = take(r, name, 1, (int64_t)e->count);
    const char **names = take_memory(r, count, sizeof *names);
    if (!text || !names) return NULL;
    const char *end = text + e->count;
    for (int64_t i = 0; i < count; i++) {
        const char *stop = memchr(text, 0, (size_t)(end - text));
        if (!stop) {
            fault(r, name, "too few names");
            return NULL;
        }
        names[i] = text;
        text = stop + 1;
    }
    return names;
}

static void take_relations(image_reader *r, cru_task *task)
{
    if (task->relation_count == 0) return;
    cru_relation *relations = take_memory(r, task->relation_count, sizeof *relations);
    const char *const *names = take_names(r, "relation-names", task->relation_count);
    if (!names) fault(r, "relation-names", "missing");
    for (int32_t i = 0; i < task->relation_count && !r->status; i++) {
        char prefix[24];
        snprintf(prefix, sizeof prefix, "relation-%d", i);
        relations[i] = (cru_relation){.name = names[i], .graph = take_csr(r, prefix, task->nodes, task->nodes)};
    }
    task->relations = relations;
}

static bool possible(const task_facts *f, const image *img)
{
    const int64_t most = INT32_MAX;
    return f->problem >= CRU_NODES && f->problem <= CRU_ROWS && f->items >= 0 && f->items <= most && f->nodes >= 0 &&
           f->nodes <= most && f->classes >= 0 && f->classes <= most && f->relations >= 0 &&
           (uint64_t)f->relations <= img->count && f->rows >= 0 && f->rows <= most && f->cols >= 0 && f->cols <= most &&
           f->channels >= 0 && f->channels <= most && f->height >= 0 && f->height <= most && f->width >= 0 &&
           f->width <= most;
}

static void take_features(image_reader *r, const task_facts *f, cru_features *x)
{
    *x = (cru_features){.rows = f->rows,
                        .cols = f->cols,
                        .channels = (int32_t)f->channels,
                        .height = (int32_t)f->height,
                        .width = (int32_t)f->width};
    x->dense = take(r, "x.dense", sizeof *x->dense, product(r, "x.dense", f->rows, f->cols));
    x->sparse = take_csr(r, "x", f->rows, f->cols);
}

void take_task(image_reader *r, cru_task *task)
{
    const task_facts *f = need(r, "facts", sizeof *f, 1);
    *task = (cru_task){.size = sizeof *task};
    if (!f) return;
    if (!possible(f, r->img)) {
        fault(r, "facts", "impossible numbers");
        return;
    }
    task->problem = (cru_problem)f->problem;
    task->items = f->items;
    task->nodes = f->nodes;
    task->classes = (int32_t)f->classes;
    task->relation_count = (int32_t)f->relations;
    task->seed = f->seed;
    task->graph = take_csr(r, "graph", f->nodes, f->nodes);
    task->graph_offsets = take(r, "graph-offsets", sizeof(int64_t), f->items + 1);
    take_relations(r, task);
    take_features(r, f, &task->x);
    task->labels = need(r, "labels", sizeof(int32_t), f->items);
    task->candidates = take(r, "candidates", 1, product(r, "candidates", f->items, f->classes));
    task->split = take_split(r, "split", f->items);
}
