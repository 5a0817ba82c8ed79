// SPDX-License-Identifier: Apache-2.0
/* What a method may look at while it learns. */
#include <string.h>

#include <crucible/graph.h>

#include "data/preprocess.h"

/* Which nodes make the two graphs. */
typedef struct selection {
    cru_ids from;       /* new node i is old node from.ids[i] */
    int64_t learners;   /* so many new nodes are the first graph */
    int32_t *number[2]; /* the old nodes' new numbers in the first and in the second graph */
} selection;

/* The nodes with a mark of at most `most` (but not 0), ascending. */
static int64_t marked(const uint8_t *mark, int64_t nodes, uint8_t most, int32_t *ids)
{
    int64_t count = 0;
    for (int64_t v = 0; v < nodes; v++)
        if (mark[v] && mark[v] <= most) ids[count++] = (int32_t)v;
    return count;
}

static selection select_nodes(const cru_task *whole, split_hide hide, cru_pool pool)
{
    enum { HIDDEN, TRAIN, VAL };
    const cru_split *split = &whole->split;
    uint8_t *mark = cru_pool_alloc(pool, whole->nodes, sizeof *mark);
    int32_t *ids = cru_pool_alloc(pool, 2 * whole->nodes, sizeof *ids);
    memset(mark, hide == HIDE_TEST ? TRAIN : HIDDEN,
           (size_t)whole->nodes); /* nodes in no part go with the first graph */
    for (int64_t i = 0; i < split->test.count; i++) mark[split->test.ids[i]] = HIDDEN;
    for (int64_t i = 0; i < split->train.count; i++) mark[split->train.ids[i]] = TRAIN;
    for (int64_t i = 0; i < split->val.count; i++) mark[split->val.ids[i]] = VAL;
    int64_t learners = marked(mark, whole->nodes, TRAIN, ids);
    int64_t all = marked(mark, whole->nodes, VAL, ids + learners);
    selection s = {.from = {ids, learners + all}, .learners = learners};
    for (int part = 0; part < 2; part++) s.number[part] = cru_pool_alloc(pool, whole->nodes, sizeof **s.number);
    for (int64_t i = 0; i < s.from.count; i++) s.number[i >= learners][ids[i]] = (int32_t)i;
    return s;
}

static cru_csr seen_graph(const cru_csr *g, const selection *s, cru_pool pool)
{
    int64_t offsets[3];
    cru_ids first = {s->from.ids, s->learners};
    cru_ids second = {s->from.ids + s->learners, s->from.count - s->learners};
    cru_csr parts[] = {cru_graph_induced(pool, g, first).graph, cru_graph_induced(pool, g, second).graph};
    return cru_graph_batch(pool, parts, 2, offsets);
}

static cru_relation *seen_relations(const cru_task *whole, const selection *s, cru_pool pool)
{
    if (!whole->relation_count) return NULL;
    cru_relation *relations = cru_pool_alloc(pool, whole->relation_count, sizeof *relations);
    for (int32_t r = 0; r < whole->relation_count; r++)
        relations[r] = (cru_relation){whole->relations[r].name, seen_graph(&whole->relations[r].graph, s, pool)};
    return relations;
}

static cru_ids renumber(cru_ids old, const int32_t *number, cru_pool pool)
{
    int32_t *ids = cru_pool_alloc(pool, old.count, sizeof *ids);
    for (int64_t i = 0; i < old.count; i++) ids[i] = number[old.ids[i]];
    return (cru_ids){ids, old.count};
}

/* Labels and candidates of the items that the new split has; all others are blank. */
static void copy_labels(const cru_task *whole, const selection *s, cru_pool pool, cru_task *seen)
{
    const size_t classes = (size_t)whole->classes;
    const cru_ids parts[] = {seen->split.train, seen->split.val};
    int32_t *labels = whole->labels ? cru_pool_alloc(pool, seen->items, sizeof *labels) : NULL;
    uint8_t *candidates = whole->candidates ? cru_pool_alloc(pool, seen->items * whole->classes, 1) : NULL;
    for (int64_t i = 0; labels && i < seen->items; i++) labels[i] = CRU_UNLABELLED;
    for (int part = 0; part < 2; part++) {
        for (int64_t i = 0; i < parts[part].count; i++) {
            const size_t to = (size_t)parts[part].ids[i], from = (size_t)s->from.ids[to];
            if (labels) labels[to] = whole->labels[from];
            if (candidates) memcpy(candidates + to * classes, whole->candidates + from * classes, classes);
        }
    }
    seen->labels = labels;
    seen->candidates = candidates;
}

cru_status data_seen(const cru_task *whole, split_hide hide, cru_pool pool, cru_task *seen, cru_error *err)
{
    if (!(whole->problem & (CRU_NODES | CRU_ANOMALY)))
        return cru_fail(err, CRU_UNSUPPORTED, "split: view = inductive is for the nodes of a graph");
    const selection s = select_nodes(whole, hide, pool);
    *seen = *whole;
    seen->items = seen->nodes = s.from.count;
    seen->graph = seen_graph(&whole->graph, &s, pool);
    seen->relations = seen_relations(whole, &s, pool);
    seen->x = features_rows(&whole->x, s.from, pool);
    seen->split = (cru_split){.train = renumber(whole->split.train, s.number[0], pool),
                              .val = renumber(whole->split.val, s.number[1], pool)};
    copy_labels(whole, &s, pool, seen);
    return CRU_OK;
}
