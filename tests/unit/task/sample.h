// SPDX-License-Identifier: Apache-2.0
/* Small data in which every field is used, for tests to break. */
#ifndef TEST_TASK_SAMPLE_H
#define TEST_TASK_SAMPLE_H

#include <check.h>
#include <string.h>

#include <crucible/task.h>

static inline void *sample_copy(cru_data *d, const void *from, int64_t count, size_t size)
{
    void *to = cru_data_alloc(d, count, size);
    ck_assert_ptr_nonnull(to);
    if (count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

/* An array of the data from values. */
#define SAMPLE(d_, type_, ...)                                                                                         \
    sample_copy((d_), (const type_[]){__VA_ARGS__}, sizeof((const type_[]){__VA_ARGS__}) / sizeof(type_), sizeof(type_))

/* Five nodes on a path 0-1-2-3-4, whose edges two relations share out, with three classes, partial labels, dense
 * features and two official splits. */
static inline cru_data *sample_nodes(void)
{
    cru_data *d = cru_data_create();
    d->problem = CRU_NODES;
    d->items = d->nodes = 5;
    d->classes = 3;
    d->graph = (cru_csr){.rows = 5, .cols = 5};
    d->graph.offsets = SAMPLE(d, int64_t, 0, 1, 3, 5, 7, 8);
    d->graph.ids = SAMPLE(d, int32_t, 1, 0, 2, 1, 3, 2, 4, 3);
    d->graph.values = SAMPLE(d, float, 1, 1, 2, 2, 3, 3, 4, 4);
    d->relation_count = 2;
    d->relations = cru_data_alloc(d, 2, sizeof *d->relations);
    d->relations[0] = (cru_relation){.name = "left", .graph = {.rows = 5, .cols = 5}};
    d->relations[0].graph.offsets = SAMPLE(d, int64_t, 0, 1, 3, 4, 4, 4);
    d->relations[0].graph.ids = SAMPLE(d, int32_t, 1, 0, 2, 1);
    d->relations[1] = (cru_relation){.name = "right", .graph = {.rows = 5, .cols = 5}};
    d->relations[1].graph.offsets = SAMPLE(d, int64_t, 0, 0, 1, 3, 5, 6);
    d->relations[1].graph.ids = SAMPLE(d, int32_t, 2, 1, 3, 2, 4, 3);
    d->x = (cru_features){.rows = 5, .cols = 4, .channels = 1, .height = 2, .width = 2};
    d->x.dense = SAMPLE(d, float, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    d->truth = SAMPLE(d, int32_t, 0, 1, 2, 0, -1);
    d->labels = SAMPLE(d, int32_t, 0, 2, 2, 0, -1);
    d->candidates = SAMPLE(d, uint8_t, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1);
    d->split.train = (cru_ids){.ids = SAMPLE(d, int32_t, 2, 0), .count = 2};
    d->split.val = (cru_ids){.ids = SAMPLE(d, int32_t, 1), .count = 1};
    d->split.test = (cru_ids){.ids = SAMPLE(d, int32_t, 3, 4), .count = 2};
    d->official_count = 2;
    d->official = cru_data_alloc(d, 2, sizeof *d->official);
    d->official[0] = d->split;
    d->official[1].test = (cru_ids){.ids = SAMPLE(d, int32_t, 4), .count = 1};
    const char **names = cru_data_alloc(d, 3, sizeof *names);
    names[0] = "red";
    names[1] = "";
    names[2] = "blue";
    d->class_names = names;
    return d;
}

/* Two graphs, an edge and a lone node, with sparse features. */
static inline cru_data *sample_graphs(void)
{
    cru_data *d = cru_data_create();
    d->problem = CRU_GRAPHS;
    d->items = 2;
    d->nodes = 3;
    d->classes = 2;
    d->graph = (cru_csr){.rows = 3, .cols = 3};
    d->graph.offsets = SAMPLE(d, int64_t, 0, 1, 2, 2);
    d->graph.ids = SAMPLE(d, int32_t, 1, 0);
    d->graph_offsets = SAMPLE(d, int64_t, 0, 2, 3);
    d->x = (cru_features){.rows = 3, .cols = 7, .sparse = {.rows = 3, .cols = 7}};
    d->x.sparse.offsets = SAMPLE(d, int64_t, 0, 0, 2, 3);
    d->x.sparse.ids = SAMPLE(d, int32_t, 0, 6, 3);
    d->x.sparse.values = SAMPLE(d, float, 0.5f, -1, 2);
    d->truth = SAMPLE(d, int32_t, 0, 1);
    d->labels = SAMPLE(d, int32_t, 0, 1);
    return d;
}

#endif
