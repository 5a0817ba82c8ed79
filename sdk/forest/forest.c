// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include <crucible/draft/forest.h>

#include "forest/tree.h"
#include "memory/heap.h"

const char *const cru_impurity_names[] = {"gini", "entropy", NULL};

/* What one thread needs to grow a tree. */
typedef struct bench {
    desk desk;
    double *weight; /* of every row in the tree that grows now */
    int32_t *rows, *columns;
} bench;

static bench bench_create(const ranked *table, cru_impurity impurity)
{
    const int64_t n = table->samples->x.rows, classes = table->samples->classes;
    const int64_t widest = table->widest > n ? table->widest : n;
    bench b = {.weight = heap_alloc(n, sizeof *b.weight),
               .rows = heap_alloc(n, sizeof *b.rows),
               .columns = heap_alloc(table->samples->x.cols, sizeof *b.columns)};
    b.desk = (desk){.table = table,
                    .weight = b.weight,
                    .impurity = impurity,
                    .keys = heap_alloc(n, sizeof *b.desk.keys),
                    .spare = heap_alloc(n, sizeof *b.desk.spare),
                    .groups = heap_alloc(widest, sizeof *b.desk.groups),
                    .bins = heap_alloc(widest * classes, sizeof *b.desk.bins),
                    .left = heap_alloc(classes, sizeof *b.desk.left)};
    return b;
}

static void bench_free(bench *b)
{
    void *const all[] = {b->weight,     b->rows,        b->columns,   b->desk.keys,
                         b->desk.spare, b->desk.groups, b->desk.bins, b->desk.left};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Fills the bag of a tree: weight = times drawn x own weight. Returns the number of rows in it. */
static int64_t fill_bag(bench *b, const cru_forest_shape *shape, cru_rng *rng)
{
    const cru_samples *samples = b->desk.table->samples;
    const int64_t n = samples->x.rows;
    const int64_t draws = shape->sample > 0 ? (int64_t)fmax(1, round(shape->sample * (double)n)) : 0;
    for (int64_t i = 0; i < n; i++) b->weight[i] = draws ? 0 : 1;
    for (int64_t k = 0; k < draws; k++) b->weight[cru_rng_below(rng, n)]++;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (samples->weights) b->weight[i] *= (double)samples->weights[i];
        if (b->weight[i] > 0) b->rows[count++] = (int32_t)i;
    }
    return count;
}

static tree grow_one(bench *b, const cru_forest_shape *shape, const cru_rng *rng, int64_t number)
{
    growth g = {.shape = shape, .desk = &b->desk, .rows = b->rows, .columns = b->columns};
    g.rng = cru_rng_split(rng, (uint64_t)number);
    g.count = fill_bag(b, shape, &g.rng);
    const int64_t cols = b->desk.table->samples->x.cols;
    for (int64_t c = 0; c < cols; c++) b->columns[c] = (int32_t)c; /* forget the order of the tree before */
    return tree_grow(&g);
}

cru_forest *cru_forest_grow(const cru_forest_shape *shape, const cru_samples *samples, const cru_rng *rng)
{
    cru_assert(samples->x.rows > 0 && samples->x.rows <= INT32_MAX && samples->classes > 0 && shape->trees > 0,
               "forest: %lld trees on %lld rows of %d classes", (long long)shape->trees, (long long)samples->x.rows,
               samples->classes);
    cru_forest_shape exact = *shape;
    if (!exact.features) exact.features = (int64_t)fmax(1, floor(sqrt((double)samples->x.cols)));
    cru_forest *forest = heap_alloc(1, sizeof *forest);
    *forest = (cru_forest){.trees = shape->trees,
                           .cols = samples->x.cols,
                           .classes = samples->classes,
                           .tree = heap_alloc(shape->trees, sizeof *forest->tree)};
    ranked table = ranked_create(samples);
    const int threads = omp_get_max_threads();
    bench *all = heap_alloc(threads, sizeof *all);
    for (int i = 0; i < threads; i++) all[i] = bench_create(&table, shape->impurity);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t k = 0; k < shape->trees; k++) forest->tree[k] = grow_one(&all[omp_get_thread_num()], &exact, rng, k);
    for (int i = 0; i < threads; i++) bench_free(&all[i]);
    free(all);
    ranked_destroy(&table);
    return forest;
}

void cru_forest_destroy(cru_forest *forest)
{
    if (!forest) return;
    for (int64_t k = 0; k < forest->trees; k++) {
        free(forest->tree[k].nodes);
        free(forest->tree[k].shares);
    }
    free(forest->tree);
    free(forest);
}

void cru_forest_predict(const cru_forest *forest, const cru_dense *x, float *share)
{
    cru_assert(x->cols == forest->cols, "forest: %lld columns, grown on %lld", (long long)x->cols,
               (long long)forest->cols);
    const int32_t classes = forest->classes;
    double *sums = heap_alloc(x->rows * classes, sizeof *sums);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < x->rows; i++) {
        double *sum = sums + i * classes;
        for (int64_t k = 0; k < forest->trees; k++) {
            const float *leaf = tree_find(&forest->tree[k], classes, x->values + i * x->cols);
            for (int32_t c = 0; c < classes; c++) sum[c] += (double)leaf[c];
        }
        for (int32_t c = 0; c < classes; c++) share[i * classes + c] = (float)(sum[c] / (double)forest->trees);
    }
    free(sums);
}

int64_t cru_forest_nodes(const cru_forest *forest)
{
    int64_t count = 0;
    for (int64_t k = 0; k < forest->trees; k++) count += forest->tree[k].count;
    return count;
}
