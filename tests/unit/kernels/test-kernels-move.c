// SPDX-License-Identifier: Apache-2.0
/* Copies, permutations, gather and scatter, top-k. */
#include "kernels.h"

static void call_copy(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_copy_args c = *(const cru_copy_args *)args;
    c.y = out;
    b->copy(device, &c);
}

START_TEST(rectangles_are_copied_scaled_and_added)
{
    for (int64_t i = 0; i < COUNT(odd_sizes); i++)
        for (int64_t j = 0; j < COUNT(odd_sizes); j++) {
            const int64_t rows = odd_sizes[i], cols = odd_sizes[j], ldx = cols + 5, ldy = cols + 2;
            float *x = random_floats(rows * ldx, -1, 1), *before = random_floats(rows * ldy, -1, 1);
            double *want = doubles(rows * ldy);
            for (int mode = 0; mode < 4; mode++) {
                const float scale = mode & 1 ? 0.5f : 1.0f;
                for (int64_t at = 0; at < rows * ldy; at++) {
                    const int64_t row = at / ldy, col = at % ldy;
                    const double moved = col < cols ? (double)(scale * x[row * ldx + col]) : 0;
                    want[at] = moved + (col >= cols || mode & 2 ? (double)before[at] : 0);
                }
                cru_copy_args c = {rows, cols, x, ldx, NULL, ldy, scale, mode & 2};
                check_kernel(&(kernel_check){"copy", call_copy, &c, rows * ldy, before, want, 1e-7});
            }
            free(x), free(before), free(want);
        }
}
END_TEST

static void call_permute(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_permute_args p = *(const cru_permute_args *)args;
    p.y = out;
    b->permute(device, &p);
}

static void check_permute(const int64_t dim[4], const int32_t order[4], bool add)
{
    const int64_t n = dim[0] * dim[1] * dim[2] * dim[3];
    const int64_t stride[4] = {dim[1] * dim[2] * dim[3], dim[2] * dim[3], dim[3], 1};
    float *x = random_floats(n, -1, 1), *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    cru_permute_args p = {.x = x, .accumulate = add};
    for (int i = 0; i < 4; i++) p.dim[i] = dim[i], p.order[i] = order[i];
    int64_t to = 0;
    for (int64_t a = 0; a < dim[order[0]]; a++)
        for (int64_t b = 0; b < dim[order[1]]; b++)
            for (int64_t c = 0; c < dim[order[2]]; c++)
                for (int64_t d = 0; d < dim[order[3]]; d++, to++)
                    want[to] = (double)x[a * stride[order[0]] + b * stride[order[1]] + c * stride[order[2]] +
                                         d * stride[order[3]]] +
                               (add ? (double)before[to] : 0);
    check_kernel(&(kernel_check){"permute", call_permute, &p, n, add ? before : NULL, want, 1e-7});
    free(x), free(before), free(want);
}

START_TEST(axes_are_permuted)
{
    static const int64_t dims[][4] = {{1, 1, 1, 1},   {2, 3, 4, 5}, {1, 1, 33, 70}, {1, 1, 1000, 17},
                                      {3, 17, 1, 65}, {4, 0, 3, 2}, {7, 64, 5, 33}};
    for (int64_t i = 0; i < COUNT(dims); i++)
        for (int32_t a = 0; a < 4; a++)
            for (int32_t b = 0; b < 4; b++)
                for (int32_t c = 0; c < 4; c++) {
                    if (a == b || b == c || a == c) continue;
                    check_permute(dims[i], (const int32_t[]){a, b, c, 6 - a - b - c}, (a + b) % 2);
                }
}
END_TEST

static void call_gather(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_gather_args g = *(const cru_gather_args *)args;
    g.y = out;
    b->gather(device, &g);
}

START_TEST(rows_are_gathered_by_id)
{
    for (int64_t i = 0; i < COUNT(odd_sizes); i++)
        for (int64_t j = 0; j < COUNT(odd_sizes); j++) {
            const int64_t count = odd_sizes[i], cols = odd_sizes[j], n = count * cols;
            float *x = random_floats(10 * cols, -1, 1), *before = random_floats(n, -1, 1);
            int32_t *ids = random_ids(count, 10);
            double *want = doubles(n);
            for (int add = 0; add < 2; add++) {
                for (int64_t at = 0; at < n; at++)
                    want[at] = (double)x[ids[at / cols] * cols + at % cols] + (add ? (double)before[at] : 0);
                cru_gather_args g = {count, cols, ids, x, NULL, add};
                check_kernel(&(kernel_check){"gather", call_gather, &g, n, add ? before : NULL, want, 1e-7});
            }
            free(x), free(before), free(ids), free(want);
        }
}
END_TEST

typedef struct scatter_call {
    cru_scatter_args args;
    const int32_t *where;
} scatter_call;

static void call_scatter(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const scatter_call *c = args;
    cru_scatter_args s = c->args;
    const size_t size = (size_t)(s.rows * s.cols);
    int32_t *where = calloc(size + 1, sizeof *where);
    s.y = out;
    s.where = c->where ? where : NULL;
    b->scatter(device, &s);
    if (c->where) ck_assert_mem_eq(where, c->where, sizeof *where * size);
    free(where);
}

static void call_scatter_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_scatter_grad_args s = *(const cru_scatter_grad_args *)args;
    s.dx = out;
    b->scatter_grad(device, &s);
}

/* Result per destination, winners, contributions. */
static void scatter_oracle(const cru_scatter_args *s, double *y, int32_t *where, double *shares)
{
    for (int64_t at = 0; at < s->rows * s->cols; at++) where[at] = -1;
    for (int64_t i = 0; i < s->count; i++) {
        shares[s->ids[i]]++;
        for (int64_t j = 0; j < s->cols; j++) {
            const double value = (double)s->x[i * s->cols + j];
            const int64_t to = s->ids[i] * s->cols + j;
            if (s->op == CRU_REDUCE_SUM || s->op == CRU_REDUCE_MEAN)
                y[to] += value;
            else if (where[to] < 0 || (s->op == CRU_REDUCE_MAX ? value > y[to] : value < y[to]))
                y[to] = value, where[to] = (int32_t)i;
        }
    }
    for (int64_t at = 0; at < s->rows * s->cols && s->op == CRU_REDUCE_MEAN; at++)
        if (shares[at / s->cols] > 0) y[at] /= shares[at / s->cols];
}

static void check_scatter(cru_reduce op, int64_t count, int64_t rows, int64_t cols)
{
    float *x = random_floats(count * cols, -1, 1), *before = random_floats(rows * cols, -1, 1);
    float *dy = random_floats(rows * cols, -1, 1);
    int32_t *ids = random_ids(count, rows), *where = calloc((size_t)(rows * cols) + 1, sizeof *where);
    double *want = doubles(rows * cols), *shares = doubles(rows), *grad = doubles(count * cols);
    const bool extreme = op == CRU_REDUCE_MAX || op == CRU_REDUCE_MIN;
    scatter_call c = {{op, count, rows, cols, ids, x, NULL, NULL, false}, NULL};
    scatter_oracle(&c.args, want, where, shares);
    if (extreme) c.where = where;
    check_kernel(&(kernel_check){"scatter", call_scatter, &c, rows * cols, NULL, want, 1e-6});
    c.args.accumulate = true;
    for (int64_t i = 0; i < rows * cols; i++) want[i] += (double)before[i];
    check_kernel(&(kernel_check){"scatter, added", call_scatter, &c, rows * cols, before, want, 1e-6});
    for (int64_t at = 0; at < count * cols; at++) {
        const int64_t row = ids[at / cols], from = row * cols + at % cols;
        grad[at] = (double)dy[from] / (op == CRU_REDUCE_MEAN ? shares[row] : 1);
        if (extreme && where[from] != at / cols) grad[at] = 0;
    }
    cru_scatter_grad_args g = {op, count, rows, cols, ids, dy, where, NULL, false};
    check_kernel(&(kernel_check){"scatter grad", call_scatter_grad, &g, count * cols, NULL, grad, 1e-6});
    free(x), free(before), free(dy), free(ids), free(where), free(want), free(shares), free(grad);
}

START_TEST(rows_are_scattered_by_id)
{
    for (int64_t i = 0; i < COUNT(odd_sizes); i++)
        for (int64_t j = 0; j < COUNT(odd_sizes); j++) {
            check_scatter((cru_reduce)_i, odd_sizes[i], 1, odd_sizes[j]);
            check_scatter((cru_reduce)_i, odd_sizes[i], 50, odd_sizes[j]);
        }
    check_scatter((cru_reduce)_i, 30000, 700, 17);
}
END_TEST

static void call_take(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_take_args t = *(const cru_take_args *)args;
    t.y = out;
    b->take(device, &t);
}

static void call_place(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_take_args t = *(const cru_take_args *)args;
    t.y = out;
    b->place(device, &t);
}

static void check_take_and_place(int64_t rows, int64_t cols, int64_t k)
{
    float *x = random_floats(rows * cols, -1, 1), *few = random_floats(rows * k, -1, 1),
          *before = random_floats(rows * cols, -1, 1);
    int32_t *ids = random_ids(rows * k, cols + 1);
    double *taken = doubles(rows * k), *placed = doubles(rows * cols);
    for (int64_t i = 0; i < rows * cols; i++) placed[i] = (double)before[i];
    for (int64_t i = 0; i < rows * k; i++) {
        ids[i]--; /* -1: none */
        if (ids[i] < 0) continue;
        taken[i] = (double)x[i / k * cols + ids[i]];
        placed[i / k * cols + ids[i]] += (double)few[i];
    }
    const cru_take_args take = {rows, cols, k, ids, x, NULL}, place = {rows, cols, k, ids, few, NULL};
    check_kernel(&(kernel_check){"take", call_take, &take, rows * k, NULL, taken, 0});
    check_kernel(&(kernel_check){"place", call_place, &place, rows * cols, before, placed, 1e-6});
    free(x), free(few), free(before), free(ids), free(taken), free(placed);
}

START_TEST(elements_are_taken_and_placed_by_column)
{
    static const int64_t widths[] = {1, 7, 40}, counts[] = {0, 1, 5, 40};
    for (int64_t i = 0; i < COUNT(odd_sizes); i++)
        for (int64_t j = 0; j < COUNT(widths); j++)
            for (int64_t k = 0; k < COUNT(counts); k++) check_take_and_place(odd_sizes[i], widths[j], counts[k]);
}
END_TEST

typedef struct topk_call {
    cru_topk_args args;
    const int32_t *ids;
} topk_call;

static void call_topk(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const topk_call *c = args;
    cru_topk_args t = c->args;
    const size_t size = (size_t)(t.rows * t.k);
    t.ids = calloc(size + 1, sizeof *t.ids);
    t.values = out;
    b->topk(device, &t);
    ck_assert_mem_eq(t.ids, c->ids, sizeof *t.ids * size);
    free(t.ids);
}

/* By counting, for each column, how many come before it. */
static void topk_oracle(const cru_topk_args *t, int32_t *ids, double *values)
{
    for (int64_t row = 0; row < t->rows; row++)
        for (int64_t j = 0; j < t->cols; j++) {
            const float *x = t->x + row * t->cols;
            int64_t rank = 0;
            for (int64_t i = 0; i < t->cols; i++)
                rank += (t->smallest ? x[i] < x[j] : x[i] > x[j]) || (x[i] == x[j] && i < j);
            if (rank >= t->k) continue;
            ids[row * t->k + rank] = (int32_t)j;
            values[row * t->k + rank] = (double)x[j];
        }
}

/* Among 3, NaN, infinity, NaN and -1, in a row that is filled up with zeros. */
START_TEST(nan_ranks_as_the_largest)
{
    const int64_t cols = _i ? 400 : 40, k = cols;
    const bool smallest = true;
    float *x = floats(cols);
    const float first[] = {3, NAN, INFINITY, NAN, -1};
    memcpy(x, first, sizeof first);
    int32_t *ids = calloc((size_t)cols, sizeof *ids);
    double *want = doubles(cols);
    ids[0] = 4;
    for (int32_t i = 5; i < cols; i++) ids[i - 4] = i;
    ids[cols - 4] = 0, ids[cols - 3] = 2, ids[cols - 2] = 1, ids[cols - 1] = 3;
    for (int64_t i = 0; i < cols; i++) want[i] = (double)x[ids[i]];
    topk_call c = {{1, cols, k, x, NULL, NULL, smallest}, ids};
    check_kernel(&(kernel_check){"topk", call_topk, &c, k, NULL, want, 0});
    static const int32_t best[] = {1, 3, 2}; /* of the largest, both NaN come first */
    const double largest[] = {(double)NAN, (double)NAN, (double)INFINITY};
    topk_call few = {{1, cols, 3, x, NULL, NULL, !smallest}, best};
    check_kernel(&(kernel_check){"topk", call_topk, &few, 3, NULL, largest, 0});
    free(x), free(ids), free(want);
}
END_TEST

START_TEST(the_k_best_come_in_order_with_ties_by_column)
{
    static const int64_t cols[] = {1, 3, 16, 17, 64, 300, 600}, ks[] = {0, 1, 2, 5, 17, 300, 600};
    for (int64_t i = 0; i < COUNT(cols); i++)
        for (int64_t j = 0; j < COUNT(ks); j++) {
            const int64_t rows = 37, k = ks[j] < cols[i] ? ks[j] : cols[i];
            float *x = random_floats(rows * cols[i], -1, 1);
            for (int64_t at = 0; at < rows * cols[i]; at++) x[at] = rintf(x[at] * 8) * (at % 5 ? 1 : 1e-3f);
            if (cols[i] > 4) x[1] = INFINITY, x[2] = -INFINITY, x[3] = -0.0f, x[4] = 0;
            int32_t *ids = calloc((size_t)(rows * k) + 1, sizeof *ids);
            double *want = doubles(rows * k);
            topk_call c = {{rows, cols[i], k, x, NULL, NULL, _i}, ids};
            topk_oracle(&c.args, ids, want);
            check_kernel(&(kernel_check){"topk", call_topk, &c, rows * k, NULL, want, 0});
            free(x), free(ids), free(want);
        }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("moving kernels");
    TCase *c = tcase_create("moving");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, rectangles_are_copied_scaled_and_added);
    tcase_add_test(c, axes_are_permuted);
    tcase_add_test(c, rows_are_gathered_by_id);
    tcase_add_loop_test(c, rows_are_scattered_by_id, 0, CRU_REDUCE_COUNT);
    tcase_add_test(c, elements_are_taken_and_placed_by_column);
    tcase_add_loop_test(c, nan_ranks_as_the_largest, 0, 2);
    tcase_add_loop_test(c, the_k_best_come_in_order_with_ties_by_column, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
