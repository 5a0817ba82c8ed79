// SPDX-License-Identifier: Apache-2.0
#include "relevance.h"

#include <crucible/draft/paths.h>
#include <crucible/imbalance.h>

/* Nodes of the heads of a batch and which head they count for. */
typedef struct members {
    int32_t *node, *head;
    int64_t count;
} members;

static members members_create(cru_tape *t, const group *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    return (members){cru_tape_alloc(t, most, sizeof(int32_t)), cru_tape_alloc(t, most, sizeof(int32_t)), 0};
}

static void members_add(members *m, int64_t node, int64_t head)
{
    m->node[m->count] = (int32_t)node;
    m->head[m->count++] = (int32_t)head;
}

/* The sum of x over the members of each head. */
static cru_tensor *members_sum(cru_tape *t, const members *m, cru_tensor *x, int64_t heads)
{
    return cru_scatter(t, x, cru_index_step(t, m->head, m->count), heads, CRU_REDUCE_SUM);
}

static int64_t size_of(const group *s, int64_t g)
{
    return s->graphs.offsets[g + 1] - s->graphs.offsets[g];
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Another head of the batch than number i. */
static int64_t other_head(const relevance *r, const group *s, int64_t i)
{
    const int64_t k = cru_rng_below(r->rng, s->ids.count - 1);
    return k < i ? k : k + 1;
}

static cru_tensor *rows_of(cru_tape *t, const group *s, const int32_t *ids, int64_t count)
{
    return cru_gather(t, s->nodes, cru_index_step(t, ids, count));
}

cru_tensor *node_relevance(const relevance *r, cru_tape *t, const group *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    int32_t *query = cru_tape_alloc(t, most, sizeof *query), *same = cru_tape_alloc(t, most, sizeof *same);
    int32_t *other = cru_tape_alloc(t, most, sizeof *other);
    int64_t count = 0;
    for (int64_t i = 0; i < s->ids.count; i++) {
        const int64_t far = other_head(r, s, i), first = s->graphs.offsets[i];
        const int64_t size = smaller(size_of(s, i), size_of(s, far));
        for (int64_t v = 0; v < size; v++, count++) {
            query[count] = (int32_t)(first + v);
            same[count] = (int32_t)(first + cru_rng_below(r->rng, size_of(s, i)));
            other[count] = (int32_t)(s->graphs.offsets[far] + cru_rng_below(r->rng, size_of(s, far)));
        }
    }
    cru_tensor *p = pattern_memory_recall(t, r->memory, rows_of(t, s, query, count));
    cru_tensor *far = rows_of(t, s, other, count);
    return pattern_relevance(t, p, rows_of(t, s, same, count), far);
}

/* The representation of samples by themselves; part->node are nodes of the batch. */
static cru_tensor *represent_parts(const relevance *r, cru_tape *t, const group *s, const members *part)
{
    const cru_ids nodes = {part->node, part->count};
    const cru_subgraph sub = cru_graph_induced(cru_tape_pool(t), &s->graphs.host, nodes);
    const cru_input x = cru_input_rows(t, &s->graphs.x, cru_index_step(t, nodes.ids, nodes.count));
    return members_sum(t, part, graph_encoder_nodes(t, r->encoder, &sub.graph, &x), s->ids.count);
}

/* Marks what a search from a random node of a graph takes, at most K nodes. */
static void sample_part(const relevance *r, const group *s, int64_t graph, uint8_t *taken)
{
    const int64_t start = s->graphs.offsets[graph] + cru_rng_below(r->rng, size_of(s, graph));
    cru_graph_depth_first(&s->graphs.host, (int32_t)start, smaller(r->largest, size_of(s, graph) / 2), taken);
}

cru_tensor *part_relevance(const relevance *r, cru_tape *t, const group *s)
{
    uint8_t *taken = cru_tape_alloc(t, s->graphs.offsets[s->graphs.count], sizeof *taken);
    members part = members_create(t, s), rest = members_create(t, s), far = members_create(t, s);
    for (int64_t v = 0; v < s->graphs.offsets[s->graphs.count]; v++) taken[v] = 0;
    for (int64_t i = 0; i < s->ids.count; i++) {
        const int64_t other = other_head(r, s, i), before = rest.count;
        sample_part(r, s, i, taken);
        for (int64_t v = s->graphs.offsets[i]; v < s->graphs.offsets[i + 1]; v++)
            members_add(taken[v] ? &part : &rest, v, i);
        const int64_t size = smaller(rest.count - before, size_of(s, other));
        int32_t *chosen = cru_tape_alloc(t, size, sizeof *chosen);
        cru_rng_choose(r->rng, size_of(s, other), size, chosen);
        for (int64_t k = 0; k < size; k++) members_add(&far, s->graphs.offsets[other] + chosen[k], i);
    }
    cru_tensor *p = pattern_memory_recall(t, r->memory, represent_parts(r, t, s, &part));
    cru_tensor *near = members_sum(t, &rest, rows_of(t, s, rest.node, rest.count), s->ids.count);
    return pattern_relevance(t, p, near, members_sum(t, &far, rows_of(t, s, far.node, far.count), s->ids.count));
}
