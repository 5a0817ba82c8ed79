// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <crucible/task.h>

#include "task/parts.h"

/* Copies what a method may know of item-wise rows: those of `known`. */
static void reveal(void *to, const void *from, cru_ids known, size_t row)
{
    for (int64_t i = 0; i < known.count; i++) {
        size_t at = (size_t)known.ids[i] * row;
        memcpy((char *)to + at, (const char *)from + at, row);
    }
}

static cru_status hide_labels(cru_data *data, cru_task *task, cru_error *err)
{
    int32_t *labels = cru_data_alloc(data, data->items, sizeof *labels);
    if (!labels)
        return cru_fail(err, CRU_NO_MEMORY, "out of memory for the labels of %lld items", (long long)data->items);
    for (int64_t i = 0; i < data->items; i++) labels[i] = CRU_UNLABELLED;
    task->labels = labels;
    if (data->candidates) return CRU_OK; /* the label that the set was drawn around is what is to be learned */
    reveal(labels, data->labels, data->split.train, sizeof *labels);
    reveal(labels, data->labels, data->split.val, sizeof *labels);
    return CRU_OK;
}

static cru_status hide_candidates(cru_data *data, cru_task *task, cru_error *err)
{
    if (!data->candidates) return CRU_OK;
    uint8_t *candidates = cru_data_alloc(data, data->items, (size_t)data->classes);
    if (!candidates)
        return cru_fail(err, CRU_NO_MEMORY, "out of memory for the candidates of %lld items", (long long)data->items);
    reveal(candidates, data->candidates, data->split.train, (size_t)data->classes);
    reveal(candidates, data->candidates, data->split.val, (size_t)data->classes);
    task->candidates = candidates;
    return CRU_OK;
}

cru_task task_common(const cru_data *data)
{
    return (cru_task){
        .problem = data->problem,
        .items = data->items,
        .nodes = data->nodes,
        .classes = data->classes,
        .graph = data->graph,
        .graph_offsets = data->graph_offsets,
        .relations = data->relations,
        .relation_count = data->relation_count,
        .x = data->x,
        .split = data->split,
    };
}

cru_status cru_data_task(cru_data *data, uint64_t seed, cru_task *task, cru_error *err)
{
    *task = task_common(data);
    task->size = sizeof *task;
    task->seed = seed;
    cru_status status = hide_labels(data, task, err);
    return status ? status : hide_candidates(data, task, err);
}
