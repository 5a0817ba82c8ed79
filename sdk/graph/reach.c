// SPDX-License-Identifier: Apache-2.0
/* Reaching and squashing coefficients: one search from every labelled node. Only nodes of one class look at each other,
 * so classes are worked on in parallel; what several placements share, the searches, is done once. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>
#include <crucible/draft/paths.h>
#include <crucible/paths.h>

#include "memory/heap.h"

/* Who labels whom, and the nodes of each class; lists by offsets as in a cru_csr. */
typedef struct scene {
    const cru_placements *places;
    const float *curvature; /* NULL: reaching only */
    const double *nearness; /* by hops */
    double unreachable;
    int32_t classes;
    int64_t *class_offsets, *user_offsets;
    int32_t *members; /* by class, ascending */
    int32_t *users;   /* by node: the placements that label it */
    int32_t *rank;    /* of a node within its class */
} scene;

static void add_up(int64_t *offsets, int64_t count)
{
    for (int64_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
}

static void list_classes(scene *s)
{
    const int64_t n = s->places->graph->rows;
    const int32_t *class = s->places->classes;
    for (int64_t v = 0; v < n; v++)
        if (class[v] >= s->classes) s->classes = class[v] + 1;
    s->class_offsets = heap_alloc(s->classes + 1, sizeof *s->class_offsets);
    s->members = heap_alloc(n, sizeof *s->members);
    s->rank = heap_alloc(n, sizeof *s->rank);
    for (int64_t v = 0; v < n; v++)
        if (class[v] >= 0) s->rank[v] = (int32_t)s->class_offsets[class[v] + 1]++;
    add_up(s->class_offsets, s->classes);
    for (int32_t v = 0; v < n; v++)
        if (class[v] >= 0) s->members[s->class_offsets[class[v]] + s->rank[v]] = v;
}

static void list_users(scene *s)
{
    const cru_placements *p = s->places;
    const int64_t n = p->graph->rows;
    int64_t *next = heap_alloc(n, sizeof *next);
    s->user_offsets = heap_alloc(n + 1, sizeof *s->user_offsets);
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t i = 0; i < p->labelled[k].count; i++) s->user_offsets[p->labelled[k].ids[i] + 1]++;
    add_up(s->user_offsets, n);
    memcpy(next, s->user_offsets, (size_t)n * sizeof *next);
    s->users = heap_alloc(s->user_offsets[n], sizeof *s->users);
    for (int32_t k = 0; k < p->count; k++)
        for (int64_t i = 0; i < p->labelled[k].count; i++) s->users[next[p->labelled[k].ids[i]]++] = k;
    free(next);
}

static void scene_clear(scene *s)
{
    free(s->class_offsets);
    free(s->user_offsets);
    free(s->members);
    free(s->users);
    free(s->rank);
}

/* One search: nodes in order of distance and, where wanted, the sum of curvature along the tree. */
typedef struct tree {
    int32_t *hops, *order;
    double *curvature;
} tree;

/* The sum grows along the edge to the smallest neighbour that is one hop closer. */
static double bent(const scene *s, const tree *t, int32_t v)
{
    const cru_csr *g = s->places->graph;
    int64_t e = g->offsets[v];
    while (t->hops[g->ids[e]] != t->hops[v] - 1) e++;
    return t->curvature[g->ids[e]] + s->curvature[e];
}

static void search(const scene *s, int32_t root, tree *t)
{
    const cru_csr *g = s->places->graph;
    int64_t found = 1;
    memset(t->hops, 0xff, (size_t)g->rows * sizeof *t->hops);
    t->hops[root] = 0;
    t->curvature[root] = 0;
    t->order[0] = root;
    for (int64_t head = 0; head < found; head++) {
        const int32_t v = t->order[head];
        if (head && s->curvature) t->curvature[v] = bent(s, t, v);
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t u = g->ids[e];
            if (t->hops[u] >= 0) continue;
            t->hops[u] = t->hops[v] + 1;
            t->order[found++] = u;
        }
    }
}

/* Sums over the labelled nodes of one class: placement k has those of node v at k * nodes + rank of v. */
typedef struct tally {
    int64_t nodes;
    double *near, *bend;
    int32_t *paths;
    int64_t *peers;    /* by placement: its labelled nodes of this class */
    uint8_t *labelled; /* like near */
} tally;

static void add_root(const scene *s, int32_t root, const tree *t, tally *sum)
{
    const int32_t *members = s->members + s->class_offsets[s->places->classes[root]];
    for (int64_t i = s->user_offsets[root]; i < s->user_offsets[root + 1]; i++) {
        const int64_t base = s->users[i] * sum->nodes;
        sum->peers[s->users[i]]++;
        sum->labelled[base + s->rank[root]] = 1;
        for (int64_t j = 0; j < sum->nodes; j++) {
            const int32_t hops = t->hops[members[j]];
            sum->near[base + j] += hops < 0 ? s->unreachable : s->nearness[hops];
            if (!s->curvature || hops <= 0) continue;
            sum->bend[base + j] += t->curvature[members[j]] / hops;
            sum->paths[base + j]++;
        }
    }
}

/* Sums over the unlabelled nodes of one class in one placement. */
typedef struct share {
    double near, bend;
    int64_t count;
} share;

static share collect(const tally *sum, int64_t k)
{
    share total = {0};
    for (int64_t j = k * sum->nodes; j < (k + 1) * sum->nodes; j++) {
        if (sum->labelled[j]) continue;
        total.near += sum->peers[k] ? sum->near[j] / (double)sum->peers[k] : 0;
        total.bend += sum->paths[j] ? sum->bend[j] / sum->paths[j] : 0;
        total.count++;
    }
    return total;
}

/* Writes a share for every placement. */
static void work_class(const scene *s, int32_t class, tree *t, share *shares)
{
    const int64_t from = s->class_offsets[class], nodes = s->class_offsets[class + 1] - from, k = s->places->count;
    tally sum = {.nodes = nodes,
                 .near = heap_alloc(k * nodes, sizeof *sum.near),
                 .bend = heap_alloc(k * nodes, sizeof *sum.bend),
                 .paths = heap_alloc(k * nodes, sizeof *sum.paths),
                 .peers = heap_alloc(k, sizeof *sum.peers),
                 .labelled = heap_alloc(k * nodes, sizeof *sum.labelled)};
    for (int64_t j = 0; j < nodes; j++) {
        const int32_t root = s->members[from + j];
        if (s->user_offsets[root] == s->user_offsets[root + 1]) continue;
        search(s, root, t);
        add_root(s, root, t, &sum);
    }
    for (int64_t i = 0; i < k; i++) shares[i] = collect(&sum, i);
    free(sum.labelled);
    free(sum.peers);
    free(sum.paths);
    free(sum.bend);
    free(sum.near);
}

static share *work_classes(const scene *s)
{
    const int64_t n = s->places->graph->rows, k = s->places->count;
    share *shares = heap_alloc(s->classes * k, sizeof *shares);
#pragma omp parallel num_threads(omp_get_max_threads())
    {
        tree t = {heap_alloc(n, sizeof *t.hops), heap_alloc(n, sizeof *t.order), heap_alloc(n, sizeof *t.curvature)};
#pragma omp for schedule(dynamic, 1)
        for (int32_t c = 0; c < s->classes; c++) work_class(s, c, &t, shares + c * k);
        free(t.curvature);
        free(t.order);
        free(t.hops);
    }
    return shares;
}

/* 1 - log d / log D for every distance that occurs; 1 up to one hop. In a complete component D is 1: then what is
 * farther (in another component) counts as D apart. */
static double *nearness_table(const cru_csr *g)
{
    const int32_t diameter = cru_graph_diameter(g);
    double *table = heap_alloc(g->rows + 1, sizeof *table);
    for (int64_t d = 0; d <= g->rows; d++)
        table[d] = d <= 1 ? 1 : diameter <= 1 ? 0 : 1 - log((double)d) / log(diameter);
    return table;
}

void cru_placements_measure(const cru_placements *p, const float *curvature, double unreachable, cru_reach *out)
{
    double *nearness = nearness_table(p->graph);
    scene s = {.places = p, .curvature = curvature, .nearness = nearness, .unreachable = unreachable};
    list_classes(&s);
    list_users(&s);
    share *shares = work_classes(&s);
    for (int64_t k = 0; k < p->count; k++) {
        share total = {0};
        for (int32_t c = 0; c < s.classes; c++) {
            const share *of = &shares[c * p->count + k];
            total = (share){total.near + of->near, total.bend + of->bend, total.count + of->count};
        }
        const double count = total.count ? (double)total.count : NAN;
        out[k].reaching = p->labelled[k].count ? total.near / count : NAN;
        out[k].squashing = curvature ? total.bend / count : NAN;
    }
    free(shares);
    scene_clear(&s);
    free(nearness);
}

double cru_reaching_coefficient(const cru_placement *p, double unreachable)
{
    cru_reach reach;
    cru_placements_measure(&(cru_placements){p->graph, p->classes, &p->labelled, 1}, NULL, unreachable, &reach);
    return reach.reaching;
}

double cru_squashing_coefficient(const cru_placement *p, const float *curvature)
{
    cru_reach reach;
    cru_placements_measure(&(cru_placements){p->graph, p->classes, &p->labelled, 1}, curvature, 0, &reach);
    return reach.squashing;
}
