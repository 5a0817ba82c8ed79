// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "task/parts-facts.h"
#include "task/parts.h"

static void put_named(image_writer *w, const char *prefix, const char *name, image_array array)
{
    char full[IMAGE_NAME];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    image_put(w, full, array);
}

static void put_csr(image_writer *w, const char *prefix, const cru_csr *a)
{
    int64_t nnz = cru_csr_nnz(a);
    put_named(w, prefix, "offsets", (image_array){a->offsets, a->rows + 1, sizeof *a->offsets});
    put_named(w, prefix, "ids", (image_array){a->ids, nnz, sizeof *a->ids});
    put_named(w, prefix, "values", (image_array){a->values, nnz, sizeof *a->values});
}

void put_split(image_writer *w, const char *prefix, const cru_split *split)
{
    put_named(w, prefix, "train", (image_array){split->train.ids, split->train.count, sizeof(int32_t)});
    put_named(w, prefix, "val", (image_array){split->val.ids, split->val.count, sizeof(int32_t)});
    put_named(w, prefix, "test", (image_array){split->test.ids, split->test.count, sizeof(int32_t)});
}

void put_names(image_writer *w, const char *name, const char *const *names, int64_t count)
{
    if (!names) return;
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) bytes += strlen(names[i]) + 1;
    char *text = cru_arena_try(w->arena, (int64_t)bytes, 1), *end = text;
    if (!text) {
        w->failed = true;
        return;
    }
    for (int64_t i = 0; i < count; i++) end = stpcpy(end, names[i]) + 1;
    image_put(w, name, (image_array){text, (int64_t)bytes, 1});
}

static void put_relations(image_writer *w, const cru_task *task)
{
    if (task->relation_count == 0) return;
    const char **names = cru_arena_try(w->arena, task->relation_count, sizeof *names);
    if (!names) {
        w->failed = true;
        return;
    }
    for (int32_t i = 0; i < task->relation_count; i++) {
        char prefix[24];
        snprintf(prefix, sizeof prefix, "relation-%d", i);
        put_csr(w, prefix, &task->relations[i].graph);
        names[i] = task->relations[i].name;
    }
    put_names(w, "relation-names", names, task->relation_count);
}

void put_task(image_writer *w, const cru_task *task)
{
    task_facts *facts = cru_arena_try_zeroed(w->arena, 1, sizeof *facts);
    if (!facts) {
        w->failed = true;
        return;
    }
    *facts = (task_facts){
        .problem = task->problem,
        .items = task->items,
        .nodes = task->nodes,
        .classes = task->classes,
        .relations = task->relation_count,
        .rows = task->x.rows,
        .cols = task->x.cols,
        .channels = task->x.channels,
        .height = task->x.height,
        .width = task->x.width,
        .seed = task->seed,
    };
    image_put(w, "facts", (image_array){facts, 1, sizeof *facts});
    put_csr(w, "graph", &task->graph);
    image_put(w, "graph-offsets", (image_array){task->graph_offsets, task->items + 1, sizeof(int64_t)});
    put_relations(w, task);
    image_put(w, "x.dense", (image_array){task->x.dense, task->x.rows * task->x.cols, sizeof(float)});
    put_csr(w, "x", &task->x.sparse);
    image_put(w, "labels", (image_array){task->labels, task->items, sizeof(int32_t)});
    image_put(w, "candidates", (image_array){task->candidates, task->items * task->classes, 1});
    put_split(w, "split", &task->split);
}
