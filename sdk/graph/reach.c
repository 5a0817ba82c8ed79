/* Reaching and squashing coefficients: one search from every labelled node. */
#include <math.h>
#include <stdlib.h>

#include <crucible/curvature.h>
#include <crucible/paths.h>

#include "memory/heap.h"

/* Labelled nodes per class, and which nodes are labelled. */
typedef struct census {
    int64_t *per_class;
    uint8_t *labelled;
} census;

static census take_census(const cru_placement *p)
{
    int32_t classes = 0;
    for (int64_t v = 0; v < p->graph->rows; v++)
        if (p->classes[v] >= classes) classes = p->classes[v] + 1;
    census c = {heap_alloc(classes, sizeof *c.per_class), heap_alloc(p->graph->rows, sizeof *c.labelled)};
    for (int64_t i = 0; i < p->labelled.count; i++) {
        int32_t u = p->labelled.ids[i];
        c.labelled[u] = 1;
        if (p->classes[u] >= 0) c.per_class[p->classes[u]]++;
    }
    return c;
}

static void census_free(census *c)
{
    free(c->per_class);
    free(c->labelled);
}

/* One search: hop counts and, where wanted, the sum of curvature along the tree. */
typedef struct tree {
    int32_t *hops, *parent;
    double *curvature;
} tree;

/* Per node: the sum over paths that end there, and their number. */
typedef struct tally {
    double *sum;
    int32_t *paths;
} tally;

/* Sums of curvature from the root, in order of distance. */
static void sum_along_tree(const cru_csr *g, const float *curvature, int32_t deepest, const tree *t)
{
    for (int32_t depth = 1; depth <= deepest; depth++) {
        for (int64_t v = 0; v < g->rows; v++) {
            if (t->hops[v] != depth) continue;
            int64_t e = cru_csr_find(g, t->parent[v], (int32_t)v);
            t->curvature[v] = t->curvature[t->parent[v]] + curvature[e];
        }
    }
}

double cru_reaching_coefficient(const cru_placement *p, double unreachable)
{
    const cru_csr *g = p->graph;
    double log_diameter = log(cru_graph_diameter(g)), total = 0;
    census c = take_census(p);
    double *sum = heap_alloc(g->rows, sizeof *sum);
    int32_t *hops = heap_alloc(g->rows, sizeof *hops);
    for (int64_t i = 0; i < p->labelled.count; i++) {
        int32_t u = p->labelled.ids[i];
        cru_graph_hops(g, (cru_ids){&u, 1}, hops, NULL);
        for (int64_t v = 0; v < g->rows; v++) {
            if (p->classes[v] != p->classes[u]) continue;
            sum[v] += hops[v] < 0 ? unreachable : hops[v] <= 1 ? 1 : 1 - log(hops[v]) / log_diameter;
        }
    }
    int64_t count = 0;
    for (int64_t v = 0; v < g->rows; v++) {
        if (c.labelled[v] || p->classes[v] < 0) continue;
        int64_t peers = c.per_class[p->classes[v]];
        total += peers ? sum[v] / (double)peers : 0;
        count++;
    }
    census_free(&c);
    free(hops);
    free(sum);
    return count && p->labelled.count ? total / (double)count : NAN;
}

/* Adds the mean curvature along the path from u to every unlabelled node of its class. */
static void add_paths(const cru_placement *p, const float *curvature, int32_t u, const tree *t, const tally *all)
{
    const cru_csr *g = p->graph;
    int32_t deepest = 0;
    cru_graph_hops(g, (cru_ids){&u, 1}, t->hops, t->parent);
    for (int64_t v = 0; v < g->rows; v++)
        if (t->hops[v] > deepest) deepest = t->hops[v];
    t->curvature[u] = 0;
    sum_along_tree(g, curvature, deepest, t);
    for (int64_t v = 0; v < g->rows; v++) {
        if (p->classes[v] != p->classes[u] || t->hops[v] <= 0) continue;
        all->sum[v] += t->curvature[v] / t->hops[v];
        all->paths[v]++;
    }
}

double cru_squashing_coefficient(const cru_placement *p, const float *curvature)
{
    const cru_csr *g = p->graph;
    census c = take_census(p);
    tree t = {heap_alloc(g->rows, sizeof *t.hops), heap_alloc(g->rows, sizeof *t.parent),
              heap_alloc(g->rows, sizeof *t.curvature)};
    tally all = {heap_alloc(g->rows, sizeof *all.sum), heap_alloc(g->rows, sizeof *all.paths)};
    double total = 0;
    for (int64_t i = 0; i < p->labelled.count; i++) add_paths(p, curvature, p->labelled.ids[i], &t, &all);
    int64_t count = 0;
    for (int64_t v = 0; v < g->rows; v++) {
        if (c.labelled[v] || p->classes[v] < 0) continue;
        total += all.paths[v] ? all.sum[v] / all.paths[v] : 0;
        count++;
    }
    free(all.paths);
    free(all.sum);
    free(t.curvature);
    free(t.parent);
    free(t.hops);
    census_free(&c);
    return count ? total / (double)count : NAN;
}
