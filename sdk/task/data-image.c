// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include <crucible/task.h>

#include "task/memory.h"
#include "task/parts.h"

static const char kind[] = "data";

static const char *official_name(char name[24], int32_t i)
{
    snprintf(name, 24, "official-%d", i);
    return name;
}

cru_status cru_data_write(const cru_data *data, int fd, cru_error *err)
{
    image_writer w = {.arena = cru_arena_create()};
    if (!w.arena) return cru_fail(err, CRU_NO_MEMORY, "image: out of memory");
    cru_task common = task_common(data);
    common.labels = data->labels;
    common.candidates = data->candidates;
    int64_t officials = data->official_count;
    char name[24];
    put_task(&w, &common);
    image_put(&w, "truth", (image_array){data->truth, data->items, sizeof *data->truth});
    image_put(&w, "officials", (image_array){&officials, 1, sizeof officials});
    for (int32_t i = 0; i < data->official_count; i++) put_split(&w, official_name(name, i), &data->official[i]);
    put_names(&w, "class-names", data->class_names, data->classes);
    cru_status status = image_write(&w, kind, fd, err);
    cru_arena_destroy(w.arena);
    return status;
}

static void take_officials(image_reader *r, cru_data *data)
{
    const int64_t *count = need(r, "officials", sizeof *count, 1);
    if (!count || *count == 0) return;
    /* each split has at least one array, or it would not be worth keeping */
    int64_t most = (int64_t)r->img->count;
    if (*count < 0 || *count > most) {
        r->status = cru_fail(r->err, CRU_BAD_INPUT, "image: %lld official splits in %lld arrays", (long long)*count,
                             (long long)most);
        return;
    }
    char name[24];
    data->official_count = (int32_t)*count;
    data->official = take_memory(r, *count, sizeof *data->official);
    for (int32_t i = 0; i < *count && !r->status; i++)
        data->official[i] = take_split(r, official_name(name, i), data->items);
}

/* The pages are private and writable: that is why constness may go. */
static void take_data(image_reader *r, cru_data *data)
{
    cru_task common;
    take_task(r, &common);
    data->problem = common.problem;
    data->items = common.items;
    data->nodes = common.nodes;
    data->classes = common.classes;
    data->graph = common.graph;
    data->graph_offsets = (int64_t *)common.graph_offsets;
    data->relations = (cru_relation *)common.relations;
    data->relation_count = common.relation_count;
    data->x = common.x;
    data->labels = (int32_t *)common.labels;
    data->candidates = (uint8_t *)common.candidates;
    data->split = common.split;
    data->truth = (int32_t *)need(r, "truth", sizeof *data->truth, data->items);
    take_officials(r, data);
    data->class_names = take_names(r, "class-names", data->classes);
}

static cru_status map_data(int fd, image_access access, cru_data **data, cru_error *err)
{
    *data = NULL;
    cru_data *mapped = cru_data_create();
    if (!mapped) return cru_fail(err, CRU_NO_MEMORY, "image: out of memory");
    task_memory *memory = mapped->memory;
    image_reader r = {.img = &memory->image, .arena = memory->arena, .err = err};
    r.status = image_map(&memory->image, fd, kind, access, err);
    take_data(&r, mapped);
    if (r.status)
        cru_data_destroy(mapped);
    else
        *data = mapped;
    return r.status;
}

cru_status cru_data_map(int fd, cru_data **data, cru_error *err)
{
    return map_data(fd, IMAGE_PRIVATE, data, err);
}

cru_status cru_data_map_verified(int fd, cru_data **data, cru_error *err)
{
    return map_data(fd, IMAGE_PRIVATE_VERIFIED, data, err);
}
