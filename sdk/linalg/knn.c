// SPDX-License-Identifier: Apache-2.0
/* Nearest neighbours: float products propose, double differences decide.
 *
 * For centred rows q and p the product gives d2 = |q|^2 + |p|^2 - 2 q.p with an error of at most
 *     bound(p) = (cols + 16) 2^-24 (|q|^2 + |p|^2).
 * The k-th smallest d2 + bound is at least the true k-th distance, so only points with d2 - bound below it can be among
 * the k nearest; those are measured again. Cosines of rows of length 1 take the place of d2, negative, with the same
 * bound, which is generous then. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/knn.h>
#include <crucible/draft/linalg.h>
#include <crucible/knn.h>

#include "linalg/gemm.h"
#include "memory/heap.h"

/* One of the two sets: as given, and prepared for products. */
typedef struct cloud {
    const cru_dense *x;
    float *rows;   /* x centred, or scaled to length 1 */
    double *scale; /* what a row is multiplied with before it is compared */
    float *square; /* |row|^2 */
} cloud;

static void column_means(const cru_dense *x, double *mean)
{
    memset(mean, 0, (size_t)x->cols * sizeof *mean);
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->cols; j++) mean[j] += x->values[i * x->cols + j];
    for (int64_t j = 0; x->rows && j < x->cols; j++) mean[j] /= (double)x->rows;
}

/* What a row of this squared length is multiplied with. */
static double scale_of(double square, cru_distance distance)
{
    if (distance == CRU_COSINE) return 1 / (sqrt(square) + 1e-5);
    if (distance == CRU_ONE_LESS_COSINE) return square > 0 ? 1 / sqrt(square) : 0;
    return 1;
}

static cloud cloud_create(const cru_dense *x, cru_distance distance, const double *mean)
{
    cloud c = {x, heap_alloc(x->rows * x->cols, sizeof *c.rows), heap_alloc(x->rows, sizeof *c.scale),
               heap_alloc(x->rows, sizeof *c.square)};
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < x->rows; i++) {
        const float *from = x->values + i * x->cols;
        double norm = 0, square = 0;
        for (int64_t j = 0; j < x->cols; j++) norm += (double)from[j] * from[j];
        c.scale[i] = scale_of(norm, distance);
        for (int64_t j = 0; j < x->cols; j++) {
            float value = (float)(distance == CRU_EUCLIDEAN ? from[j] - mean[j] : c.scale[i] * from[j]);
            c.rows[i * x->cols + j] = value;
            square += (double)value * value;
        }
        c.square[i] = (float)square;
    }
    return c;
}

static void cloud_destroy(cloud *c)
{
    free(c->rows);
    free(c->scale);
    free(c->square);
}

static double exact_square(const cloud *a, int64_t i, const cloud *b, int64_t j)
{
    const float *x = a->x->values + i * a->x->cols, *y = b->x->values + j * b->x->cols;
    double sum = 0, sx = a->scale[i], sy = b->scale[j];
    for (int64_t k = 0; k < a->x->cols; k++) {
        double gap = sx * x[k] - sy * y[k];
        sum += gap * gap;
    }
    return sum;
}

static double exact_cosine(const cloud *a, int64_t i, const cloud *b, int64_t j)
{
    const float *x = a->x->values + i * a->x->cols, *y = b->x->values + j * b->x->cols;
    double sum = 0;
    for (int64_t k = 0; k < a->x->cols; k++) sum += (double)x[k] * y[k];
    return sum * (a->scale[i] * b->scale[j]);
}

typedef struct candidate {
    double distance; /* squared; or the cosine, negative */
    int32_t id;
} candidate;

/* A max-heap of at most k candidates whose root is the worst. */
typedef struct heap {
    candidate *items;
    int64_t count, k;
} heap;

static bool worse(const candidate *a, const candidate *b)
{
    return a->distance > b->distance;
}

static void sift_down(heap *h, int64_t at)
{
    for (;;) {
        int64_t largest = at, left = 2 * at + 1, right = left + 1;
        if (left < h->count && worse(&h->items[left], &h->items[largest])) largest = left;
        if (right < h->count && worse(&h->items[right], &h->items[largest])) largest = right;
        if (largest == at) return;
        candidate swap = h->items[at];
        h->items[at] = h->items[largest];
        h->items[largest] = swap;
        at = largest;
    }
}

static void heap_fill(heap *h)
{
    h->count = h->k;
    for (int64_t i = 0; i < h->k; i++) h->items[i] = (candidate){INFINITY, -1};
}

static void heap_replace(heap *h, candidate c)
{
    h->items[0] = c;
    sift_down(h, 0);
}

static int nearest_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Everything about one search; per thread: a block of products, a heap and a list of candidates. */
typedef struct search {
    const cru_knn_options *options;
    const cloud *queries, *points;
    int64_t block;
    cru_neighbours *out;
} search;

typedef struct desk {
    float *products; /* block x points */
    candidate *list; /* points */
    heap nearest;
} desk;

static double error_bound(const search *s, int64_t query, int64_t point)
{
    return (double)(s->points->x->cols + 16) * 0x1p-24 * ((double)s->queries->square[query] + s->points->square[point]);
}

/* What has no distance (NaN) is the farthest. */
static double far_if_nan(double rank)
{
    return isnan(rank) ? INFINITY : rank;
}

static bool by_cosine(const search *s)
{
    return s->options->distance == CRU_ONE_LESS_COSINE;
}

/* What ranks a point, exactly. */
static double exact_rank(const search *s, int64_t query, int64_t point)
{
    if (by_cosine(s)) return far_if_nan(-(double)(float)exact_cosine(s->queries, query, s->points, point));
    return far_if_nan(exact_square(s->queries, query, s->points, point));
}

static float distance_of(const search *s, const candidate *c)
{
    return (float)(by_cosine(s) ? 1 + c->distance : sqrt(c->distance));
}

static double rough_rank(const search *s, int64_t query, int64_t point, const float *products)
{
    if (by_cosine(s)) return far_if_nan(-(double)products[point]);
    return far_if_nan((double)s->queries->square[query] + s->points->square[point] - 2 * (double)products[point]);
}

/* The greatest distance at which a point could still be among the k nearest. */
static double reach(const search *s, int64_t query, const float *products, heap *h)
{
    heap_fill(h);
    for (int64_t j = 0; j < s->points->x->rows; j++) {
        if (s->options->skip_self && j == query) continue;
        double most = rough_rank(s, query, j, products) + error_bound(s, query, j);
        if (most < h->items[0].distance) heap_replace(h, (candidate){most, (int32_t)j});
    }
    return h->items[0].distance;
}

static void take_low_ids(desk *d, int64_t count)
{
    qsort(d->list, (size_t)count, sizeof *d->list, nearest_first);
    memcpy(d->nearest.items, d->list, (size_t)d->nearest.k * sizeof *d->list);
}

/* The bounded heap of the reference kernel, over all points in order of ids; those out of reach carry their rough
 * distance, which is larger than any that stays. */
static void take_by_heap(const search *s, int64_t query, desk *d, int64_t count, const float *products)
{
    heap *h = &d->nearest;
    heap_fill(h);
    for (int64_t j = 0, next = 0; j < s->points->x->rows; j++) {
        if (s->options->skip_self && j == query) continue;
        bool exact = next < count && d->list[next].id == j;
        double distance = exact ? d->list[next++].distance : rough_rank(s, query, j, products);
        candidate c = {(float)fmin(distance, FLT_MAX), (int32_t)j}; /* nearer than an empty place of the heap */
        if (c.distance <= h->items[0].distance) heap_replace(h, c);
    }
    qsort(h->items, (size_t)h->k, sizeof *h->items, nearest_first);
}

static void search_query(const search *s, int64_t query, desk *d, const float *products)
{
    double limit = reach(s, query, products, &d->nearest);
    int64_t count = 0, k = d->nearest.k;
    for (int64_t j = 0; j < s->points->x->rows; j++) {
        if (s->options->skip_self && j == query) continue;
        if (rough_rank(s, query, j, products) - error_bound(s, query, j) > limit) continue;
        d->list[count++] = (candidate){exact_rank(s, query, j), (int32_t)j};
    }
    if (s->options->ties == CRU_TIES_HEAP)
        take_by_heap(s, query, d, count, products);
    else
        take_low_ids(d, count);
    for (int64_t i = 0; i < k; i++) {
        s->out->ids[query * k + i] = d->nearest.items[i].id;
        s->out->distances[query * k + i] = distance_of(s, &d->nearest.items[i]);
    }
}

static void search_block(const search *s, int64_t first, desk *d)
{
    const cru_dense *points = s->points->x;
    int64_t left = s->queries->x->rows - first, rows = left < s->block ? left : s->block, cols = points->cols;
    gemm_block(&(cru_gemm_args){.tb = true,
                                .m = rows,
                                .n = points->rows,
                                .k = cols,
                                .alpha = 1,
                                .a = s->queries->rows + first * cols,
                                .b = s->points->rows,
                                .c = d->products,
                                .lda = cols,
                                .ldb = cols,
                                .ldc = points->rows});
    for (int64_t i = 0; i < rows; i++) search_query(s, first + i, d, d->products + i * points->rows);
}

static desk *desks_create(const search *s, int threads)
{
    desk *desks = heap_alloc(threads, sizeof *desks);
    int64_t n = s->points->x->rows, k = s->options->k;
    for (int t = 0; t < threads; t++)
        desks[t] = (desk){heap_alloc(s->block * n, sizeof(float)),
                          heap_alloc(n, sizeof(candidate)),
                          {heap_alloc(k, sizeof(candidate)), k, k}};
    return desks;
}

static void desks_destroy(desk *desks, int threads)
{
    for (int t = 0; t < threads; t++) {
        free(desks[t].products);
        free(desks[t].list);
        free(desks[t].nearest.items);
    }
    free(desks);
}

/* Products of a block of queries take at most about 16 MB. */
static int64_t block_rows(int64_t points)
{
    int64_t rows = (4 << 20) / (points ? points : 1);
    return rows < 16 ? 16 : rows > 256 ? 256 : rows;
}

cru_neighbours cru_knn(cru_pool pool, const cru_dense *queries, const cru_dense *points, const cru_knn_options *options)
{
    int64_t k = options->k, rows = queries->rows;
    cru_assert(queries->cols == points->cols, "knn: %lld columns against %lld", (long long)queries->cols,
               (long long)points->cols);
    cru_assert(k >= 0 && (rows == 0 || k + options->skip_self <= points->rows),
               "knn: %lld neighbours among %lld points", (long long)k, (long long)points->rows);
    cru_neighbours out = {rows, k, cru_pool_alloc(pool, rows * k, sizeof *out.ids),
                          cru_pool_alloc(pool, rows * k, sizeof *out.distances)};
    if (!k || !rows) return out;
    double *mean = heap_alloc(points->cols, sizeof *mean);
    column_means(points, mean);
    cloud q = cloud_create(queries, options->distance, mean), p = cloud_create(points, options->distance, mean);
    search s = {options, &q, &p, block_rows(points->rows), &out};
    int threads = omp_get_max_threads();
    desk *desks = desks_create(&s, threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t first = 0; first < rows; first += s.block) search_block(&s, first, &desks[omp_get_thread_num()]);
    desks_destroy(desks, threads);
    cloud_destroy(&p);
    cloud_destroy(&q);
    free(mean);
    return out;
}

cru_csr cru_knn_graph(cru_pool pool, const cru_dense *points, const cru_knn_options *options)
{
    cru_arena *scratch = heap_arena();
    cru_neighbours found = cru_knn(cru_arena_pool(scratch), points, points, options);
    int64_t count = found.rows * found.k;
    int32_t *row = cru_pool_alloc(cru_arena_pool(scratch), count, sizeof *row);
    for (int64_t e = 0; e < count; e++) row[e] = (int32_t)(e / found.k);
    cru_coo entries = {points->rows, points->rows, count, row, found.ids, found.distances};
    cru_csr result = cru_csr_from_coo(pool, &entries, CRU_DUP_KEEP);
    cru_arena_destroy(scratch);
    return result;
}

cru_csr cru_knn_among(cru_pool pool, const cru_features *x, cru_ids among, const cru_knn_options *options)
{
    cru_assert(!options->skip_self, "knn: rows among others have no self to skip");
    cru_arena *scratch = heap_arena();
    const cru_pool own = cru_arena_pool(scratch);
    const cru_dense all = cru_features_rows(own, x, NULL), points = cru_features_rows(own, x, &among);
    cru_knn_options fewer = *options;
    if (fewer.k > among.count) fewer.k = among.count;
    const cru_neighbours found = cru_knn(own, &all, &points, &fewer);
    const int64_t count = found.rows * found.k;
    int32_t *row = cru_pool_alloc(own, count, sizeof *row), *col = cru_pool_alloc(own, count, sizeof *col);
    for (int64_t e = 0; e < count; e++) {
        row[e] = (int32_t)(e / found.k);
        col[e] = among.ids[found.ids[e]];
    }
    const cru_coo entries = {x->rows, x->rows, count, row, col, found.distances};
    const cru_csr result = cru_csr_from_coo(pool, &entries, CRU_DUP_KEEP);
    cru_arena_destroy(scratch);
    return result;
}
