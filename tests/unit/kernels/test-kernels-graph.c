// SPDX-License-Identifier: Apache-2.0
/* SpMM, SDDMM and per-edge kernels on graphs with empty rows and one very long row. */
#include "kernels.h"

static const int64_t widths[] = {1, 3, 7, 8, 16, 17, 40, 64, 130};
static const int64_t head_counts[] = {1, 4, 8, 17};

static cru_csr graph_at(int i)
{
    static const struct {
        int64_t rows, cols, longest;
    } shapes[] = {{0, 5, 0}, {1, 1, 1}, {17, 33, 30}, {1000, 900, 800}};
    return random_csr(shapes[i].rows, shapes[i].cols, shapes[i].longest);
}
enum { GRAPHS = 4 };

typedef struct spmm_call {
    cru_spmm_args args;
    const int32_t *where;
} spmm_call;

static void call_spmm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const spmm_call *c = args;
    cru_spmm_args s = c->args;
    const size_t size = (size_t)(s.a.rows * s.heads * s.cols);
    int32_t *where = calloc(size + 1, sizeof *where);
    s.y = out;
    s.where = c->where ? where : NULL;
    b->spmm(device, &s);
    if (c->where) ck_assert_mem_eq(where, c->where, sizeof *where * size);
    free(where);
}

static double weight_of(const cru_spmm_args *s, int64_t e, int64_t h)
{
    if (s->weights) return (double)s->weights[(s->order ? s->order[e] : e) * s->heads + h];
    return s->a.values ? (double)s->a.values[e] : 1;
}

static void spmm_oracle(const cru_spmm_args *s, double *y, int32_t *where)
{
    for (int64_t v = 0; v < s->a.rows; v++)
        for (int64_t h = 0; h < s->heads; h++)
            for (int64_t j = 0; j < s->cols; j++) {
                const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], to = (v * s->heads + h) * s->cols + j;
                double sum = 0, best = 0;
                where[to] = -1;
                for (int64_t e = begin; e < end; e++) {
                    const double value = weight_of(s, e, h) * (double)s->x[(s->a.ids[e] * s->heads + h) * s->cols + j];
                    sum += value;
                    if (where[to] < 0 || (s->op == CRU_REDUCE_MAX ? value > best : value < best))
                        best = value, where[to] = (int32_t)e;
                }
                if (s->op == CRU_REDUCE_MEAN && end > begin) sum /= (double)(end - begin);
                y[to] = s->op == CRU_REDUCE_SUM || s->op == CRU_REDUCE_MEAN ? sum : best;
            }
}

static void check_spmm(cru_spmm_args s)
{
    const int64_t n = s.a.rows * s.heads * s.cols;
    float *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    int32_t *where = calloc((size_t)n + 1, sizeof *where);
    spmm_oracle(&s, want, where);
    const bool extreme = s.op == CRU_REDUCE_MAX || s.op == CRU_REDUCE_MIN;
    spmm_call c = {s, extreme ? where : NULL};
    check_kernel(&(kernel_check){"spmm", call_spmm, &c, n, NULL, want, 2e-5});
    c.args.accumulate = true;
    for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
    check_kernel(&(kernel_check){"spmm, added", call_spmm, &c, n, before, want, 2e-5});
    free(before), free(want), free(where);
}

/* Weights: none, the matrix's values, per head, per head through a reversed order. */
START_TEST(spmm_matches_the_naive_sum)
{
    cru_csr a = graph_at(_i);
    const int64_t nnz = cru_csr_nnz(&a);
    int64_t *reversed = calloc((size_t)nnz + 1, sizeof *reversed);
    for (int64_t e = 0; e < nnz; e++) reversed[e] = nnz - 1 - e;
    for (int64_t w = 0; w < COUNT(widths); w++)
        for (int64_t h = 0; h < COUNT(head_counts); h++) {
            const int64_t heads = head_counts[h], cols = widths[w];
            float *x = random_floats(a.cols * heads * cols, -1, 1), *weights = random_floats(nnz * heads, -1, 1);
            for (int kind = 0; kind < 4; kind++) {
                cru_spmm_args s = {.a = a,
                                   .op = (cru_reduce)((w + h + kind) % CRU_REDUCE_COUNT),
                                   .heads = heads,
                                   .cols = cols,
                                   .x = x};
                if (kind == 0) s.a.values = NULL;
                if (kind < 2 && heads > 1) continue;
                if (kind >= 2) s.weights = weights;
                if (kind == 3) s.order = reversed;
                check_spmm(s);
                s.op = CRU_REDUCE_SUM;
                check_spmm(s);
            }
            free(x), free(weights);
        }
    free(reversed);
    free_csr(&a);
}
END_TEST

/* Large enough for the search for zero rows, with a row longer than what is sorted out at a time. */
START_TEST(spmm_without_zero_rows_matches_the_naive_sum)
{
    static const int64_t some[] = {16, 17, 40, 130};
    cru_csr a = random_csr(700, 5000, 4600);
    const int64_t nnz = cru_csr_nnz(&a), every = _i;
    int64_t *reversed = calloc((size_t)nnz + 1, sizeof *reversed);
    for (int64_t e = 0; e < nnz; e++) reversed[e] = nnz - 1 - e;
    float *weights = random_floats(nnz, -1, 1);
    for (int64_t w = 0; w < COUNT(some); w++) {
        const int64_t cols = some[w];
        float *x = random_floats(a.cols * cols, -1, 1);
        for (int64_t u = 0; u < a.cols; u++) {
            if (u % every == 0) continue;
            memset(x + u * cols, 0, sizeof *x * (size_t)cols);
            if (u % every == 1) x[u * cols + cols - 1] = 0.5f; /* a row that only looks like zeros */
        }
        cru_spmm_args s = {.a = a, .op = CRU_REDUCE_SUM, .heads = 1, .cols = cols, .x = x};
        check_spmm(s);
        s.op = CRU_REDUCE_MEAN;
        check_spmm(s);
        s.op = CRU_REDUCE_SUM;
        s.a.values = NULL;
        check_spmm(s);
        s.weights = weights;
        s.order = reversed;
        check_spmm(s);
        free(x);
    }
    free(weights), free(reversed);
    free_csr(&a);
}
END_TEST

/* Large results take a way of their own past the caches. */
START_TEST(large_spmm_matches_the_naive_sum)
{
    cru_csr a = random_csr(70001, _i ? 70001 : 500, 300);
    float *x = random_floats(a.cols * 61, -1, 1);
    check_spmm((cru_spmm_args){.a = a, .op = CRU_REDUCE_SUM, .heads = 1, .cols = 61, .x = x});
    free(x);
    free_csr(&a);
}
END_TEST

static void call_sddmm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_sddmm_args s = *(const cru_sddmm_args *)args;
    s.y = out;
    b->sddmm(device, &s);
}

static void check_sddmm(const cru_csr *a, int64_t heads, int64_t cols)
{
    const int64_t n = cru_csr_nnz(a) * heads;
    float *l = random_floats(a->rows * heads * cols, -1, 1), *r = random_floats(a->cols * heads * cols, -1, 1);
    float *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    for (int64_t v = 0; v < a->rows; v++)
        for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++)
            for (int64_t h = 0; h < heads; h++)
                for (int64_t j = 0; j < cols; j++)
                    want[e * heads + h] +=
                        0.5 * (double)l[(v * heads + h) * cols + j] * (double)r[(a->ids[e] * heads + h) * cols + j];
    cru_sddmm_args s = {.a = *a, .heads = heads, .cols = cols, .l = l, .r = r, .scale = 0.5f};
    check_kernel(&(kernel_check){"sddmm", call_sddmm, &s, n, NULL, want, 3e-6});
    s.accumulate = true;
    for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
    check_kernel(&(kernel_check){"sddmm, added", call_sddmm, &s, n, before, want, 3e-6});
    free(l), free(r), free(before), free(want);
}

static void call_spmm_transposed(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_spmm_transposed_args s = *(const cru_spmm_transposed_args *)args;
    s.y = out;
    b->spmm_transposed(device, &s);
}

/* Every other id, from row % 2 on: rows full enough for a part of the result to be kept in the first cache. */
static cru_csr striped_csr(int64_t rows, int64_t cols)
{
    int64_t *offsets = calloc((size_t)rows + 1, sizeof(int64_t));
    int32_t *ids = calloc((size_t)(rows * cols / 2) + 1, sizeof(int32_t));
    for (int64_t v = 0; v < rows; v++) {
        offsets[v + 1] = offsets[v] + cols / 2;
        for (int64_t k = 0; k < cols / 2; k++) ids[offsets[v] + k] = (int32_t)(2 * k + v % 2);
    }
    return (cru_csr){rows, cols, offsets, ids, random_floats(offsets[rows], -1, 1)};
}

/* Narrow, wide and odd rows; the last two are large enough to be summed in blocks, or in parts. */
START_TEST(transposed_spmm_matches_the_naive_sum)
{
    static const int64_t sizes[][3] = {{0, 3, 4},     {5, 4, 1},       {40, 30, 7},   {40, 30, 129},
                                       {200, 50, 60}, {40000, 90, 40}, {150, 400, 65}};
    const int64_t rows = sizes[_i][0], cols = sizes[_i][1], width = sizes[_i][2], n = cols * width;
    cru_csr a = _i == 6 ? striped_csr(rows, cols) : random_csr(rows, cols, 20);
    const int64_t nnz = rows ? cru_csr_nnz(&a) : 0;
    float *x = random_floats(rows * width, -1, 1), *weights = random_floats(nnz, -1, 1),
          *start = random_floats(n, -1, 1);
    for (int own = 0; own < 2; own++) {
        const float *w = own ? a.values : weights;
        double *want = doubles(n);
        for (int64_t v = 0; v < rows; v++)
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                for (int64_t j = 0; j < width; j++)
                    want[a.ids[e] * width + j] += (double)w[e] * (double)x[v * width + j];
        cru_spmm_transposed_args args = {.a = a, .weights = own ? NULL : weights, .cols = width, .x = x};
        check_kernel(&(kernel_check){"spmm, transposed", call_spmm_transposed, &args, n, NULL, want, 2e-4});
        args.accumulate = true;
        for (int64_t i = 0; i < n; i++) want[i] += (double)start[i];
        check_kernel(&(kernel_check){"spmm, transposed, added", call_spmm_transposed, &args, n, start, want, 2e-4});
        free(want);
    }
    free(x), free(weights), free(start);
    free_csr(&a);
}
END_TEST

START_TEST(sddmm_matches_the_naive_dot_products)
{
    cru_csr a = graph_at(_i);
    for (int64_t w = 0; w < COUNT(widths); w++)
        for (int64_t h = 0; h < COUNT(head_counts); h++) check_sddmm(&a, head_counts[h], widths[w]);
    free_csr(&a);
}
END_TEST

static void call_edge(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_edge_args s = *(const cru_edge_args *)args;
    s.y = out;
    b->edge(device, &s);
}

static double edge_value(const cru_edge_args *s, int64_t v, int64_t e, int64_t h)
{
    const double l = s->l ? (double)s->l[v * s->heads + h] : 0, r = s->r ? (double)s->r[s->a.ids[e] * s->heads + h] : 0;
    const double values[] = {l + r, l - r, l * r, l / r, fmax(l, r), fmin(l, r)};
    return s->l && s->r ? values[s->op] : s->l ? l : r;
}

START_TEST(edge_scores_combine_both_ends)
{
    cru_csr a = graph_at(_i);
    for (int64_t i = 0; i < COUNT(head_counts); i++) {
        const int64_t heads = head_counts[i], n = cru_csr_nnz(&a) * heads;
        float *l = random_floats(a.rows * heads, -2, 2), *r = random_floats(a.cols * heads, 0.5f, 2);
        float *before = random_floats(n, -1, 1);
        double *want = doubles(n);
        for (int mode = 0; mode < 4 * CRU_BINARY_COUNT; mode++) {
            const int side = mode / CRU_BINARY_COUNT; /* both, both added, only l, only r */
            cru_edge_args s = {.a = a,
                               .op = (cru_binary)(mode % CRU_BINARY_COUNT),
                               .heads = heads,
                               .l = side == 3 ? NULL : l,
                               .r = side == 2 ? NULL : r,
                               .accumulate = side == 1};
            for (int64_t v = 0; v < a.rows; v++)
                for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                    for (int64_t h = 0; h < heads; h++)
                        want[e * heads + h] = edge_value(&s, v, e, h) + (side == 1 ? (double)before[e * heads + h] : 0);
            check_kernel(&(kernel_check){"edge", call_edge, &s, n, side == 1 ? before : NULL, want, 1e-6});
        }
        free(l), free(r), free(before), free(want);
    }
    free_csr(&a);
}
END_TEST

static void call_edge_sum(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_edge_sum_args s = *(const cru_edge_sum_args *)args;
    s.y = out;
    b->edge_sum(device, &s);
}

START_TEST(edge_sums_reach_their_node)
{
    cru_csr a = graph_at(_i);
    const int64_t nnz = cru_csr_nnz(&a);
    int64_t *reversed = calloc((size_t)nnz + 1, sizeof *reversed);
    for (int64_t e = 0; e < nnz; e++) reversed[e] = nnz - 1 - e;
    for (int64_t w = 0; w < COUNT(widths); w++) {
        const int64_t cols = widths[w], n = a.rows * cols;
        float *x = random_floats(nnz * cols, -1, 1), *before = random_floats(n, -1, 1);
        double *want = doubles(n);
        for (int64_t v = 0; v < a.rows; v++)
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                for (int64_t j = 0; j < cols; j++) want[v * cols + j] += (double)x[reversed[e] * cols + j];
        cru_edge_sum_args s = {a, reversed, cols, x, NULL, false};
        check_kernel(&(kernel_check){"edge sum", call_edge_sum, &s, n, NULL, want, 2e-5});
        s.accumulate = true;
        for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
        check_kernel(&(kernel_check){"edge sum, added", call_edge_sum, &s, n, before, want, 2e-5});
        free(x), free(before), free(want);
    }
    free(reversed);
    free_csr(&a);
}
END_TEST

static void call_select(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_select_args s = *(const cru_select_args *)args;
    s.dx = out;
    b->select(device, &s);
}

/* Entry e of the matrix stands for entry nnz - 1 - e of the original; a winner may be an entry that is not there. */
START_TEST(gradients_go_to_the_winning_entry_only)
{
    cru_csr a = graph_at(_i);
    const int64_t nnz = cru_csr_nnz(&a);
    int64_t *reversed = calloc((size_t)nnz + 1, sizeof *reversed);
    for (int64_t e = 0; e < nnz; e++) reversed[e] = nnz - 1 - e;
    for (int64_t w = 0; w < COUNT(widths); w++) {
        const int64_t cols = widths[w], n = a.rows * cols;
        float *dy = random_floats(a.cols * cols, -1, 1), *before = random_floats(n, -1, 1);
        int32_t *where = random_ids(a.cols * cols, nnz + 1);
        double *want = doubles(n);
        for (int64_t u = 0; u < a.cols * cols; u++) where[u]--;
        for (int64_t v = 0; v < a.rows; v++)
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                for (int64_t j = 0; j < cols; j++) {
                    const int64_t from = a.ids[e] * cols + j;
                    if (e % 3 == 0) where[from] = (int32_t)reversed[e]; /* else hardly one would win */
                }
        for (int64_t v = 0; v < a.rows; v++)
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                for (int64_t j = 0; j < cols; j++)
                    if (where[a.ids[e] * cols + j] == reversed[e])
                        want[v * cols + j] += (double)dy[a.ids[e] * cols + j];
        cru_select_args s = {a, reversed, cols, where, dy, NULL, false};
        check_kernel(&(kernel_check){"select", call_select, &s, n, NULL, want, 2e-5});
        s.accumulate = true;
        for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
        check_kernel(&(kernel_check){"select, added", call_select, &s, n, before, want, 2e-5});
        free(dy), free(before), free(where), free(want);
    }
    free(reversed);
    free_csr(&a);
}
END_TEST

static void call_edge_softmax(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_edge_softmax_args s = *(const cru_edge_softmax_args *)args;
    s.y = out;
    b->edge_softmax(device, &s);
}

static void call_edge_softmax_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_edge_softmax_grad_args s = *(const cru_edge_softmax_grad_args *)args;
    s.dx = out;
    b->edge_softmax_grad(device, &s);
}

static void check_edge_softmax(const cru_csr *a, int64_t heads)
{
    const int64_t n = cru_csr_nnz(a) * heads;
    float *x = random_floats(n, -20, 20), *y = floats(n), *dy = random_floats(n, -1, 1),
          *before = random_floats(n, -1, 1);
    double *want = doubles(n), *grad = doubles(n);
    for (int64_t v = 0; v < a->rows; v++)
        for (int64_t h = 0; h < heads; h++) {
            double sum = 0, product = 0;
            for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++) sum += exp((double)x[e * heads + h]);
            for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++) {
                want[e * heads + h] = exp((double)x[e * heads + h]) / sum;
                y[e * heads + h] = (float)want[e * heads + h];
                product += want[e * heads + h] * (double)dy[e * heads + h];
            }
            for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++)
                grad[e * heads + h] = want[e * heads + h] * ((double)dy[e * heads + h] - product);
        }
    cru_edge_softmax_args s = {*a, heads, x, NULL};
    check_kernel(&(kernel_check){"edge softmax", call_edge_softmax, &s, n, NULL, want, 2e-6});
    cru_edge_softmax_grad_args g = {*a, heads, y, dy, NULL, false};
    check_kernel(&(kernel_check){"edge softmax grad", call_edge_softmax_grad, &g, n, NULL, grad, 2e-6});
    g.accumulate = true;
    for (int64_t i = 0; i < n; i++) grad[i] += (double)before[i];
    check_kernel(&(kernel_check){"edge softmax grad, added", call_edge_softmax_grad, &g, n, before, grad, 2e-6});
    free(x), free(y), free(dy), free(before), free(want), free(grad);
}

START_TEST(edge_softmax_matches_its_formula)
{
    cru_csr a = graph_at(_i);
    for (int64_t h = 0; h < COUNT(head_counts); h++) check_edge_softmax(&a, head_counts[h]);
    free_csr(&a);
}
END_TEST

/* Entries of a column by row, and those in one place in their order. */
static void check_transpose(const cru_backend *b, cru_csr a)
{
    const int64_t nnz = a.rows ? cru_csr_nnz(&a) : 0;
    int64_t *offsets = calloc((size_t)a.cols + 1, sizeof *offsets), *entry = calloc((size_t)nnz + 1, sizeof *entry);
    int32_t *ids = calloc((size_t)nnz + 1, sizeof *ids);
    float *values = a.values ? floats(nnz) : NULL;
    cru_device device;
    ck_assert_int_eq(b->open(&device, test_device_card(), 1, NULL), CRU_OK);
    cru_transpose_args args = {.a = a, .offsets = offsets, .ids = ids, .values = values, .entry = entry};
    b->transpose(&device, &args);
    b->close(&device);
    int64_t seen = 0;
    for (int64_t u = 0; u < a.cols; u++) {
        ck_assert_int_eq(offsets[u], seen);
        for (int64_t v = 0; v < a.rows; v++)
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++) {
                if (a.ids[e] != u) continue;
                if (ids[seen] != v || entry[seen] != e || (values && values[seen] != a.values[e]))
                    ck_abort_msg("entry %lld: row %d, entry %lld", (long long)seen, ids[seen], (long long)entry[seen]);
                seen++;
            }
    }
    ck_assert_int_eq(offsets[a.cols], nnz);
    free(offsets), free(entry), free(ids), free(values);
}

/* Where a device has its own; the host's is tested by its products. */
START_TEST(a_transpose_has_the_columns_as_rows)
{
    static const int64_t some[] = {0, 3, 5};
    static const int32_t twice[] = {1, 1, 0, 1, 1};
    cru_csr a = graph_at(_i), plain = a;
    plain.values = NULL;
    for (int index = 0; index < TEST_BACKENDS_COUNT; index++) {
        const cru_backend *b = test_backend(index);
        if (!b || !b->transpose) continue;
        check_transpose(b, a);
        check_transpose(b, plain);
        check_transpose(b, (cru_csr){.rows = 2, .cols = 2, .offsets = some, .ids = twice});
    }
    free_csr(&a);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph kernels");
    TCase *c = tcase_create("graph");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, spmm_matches_the_naive_sum, 0, GRAPHS);
    tcase_add_loop_test(c, spmm_without_zero_rows_matches_the_naive_sum, 3, 5);
    tcase_add_loop_test(c, large_spmm_matches_the_naive_sum, 0, 2);
    tcase_add_loop_test(c, transposed_spmm_matches_the_naive_sum, 0, 7);
    tcase_add_loop_test(c, sddmm_matches_the_naive_dot_products, 0, GRAPHS);
    tcase_add_loop_test(c, edge_scores_combine_both_ends, 0, GRAPHS);
    tcase_add_loop_test(c, edge_sums_reach_their_node, 0, GRAPHS);
    tcase_add_loop_test(c, gradients_go_to_the_winning_entry_only, 0, GRAPHS);
    tcase_add_loop_test(c, edge_softmax_matches_its_formula, 0, GRAPHS);
    tcase_add_loop_test(c, a_transpose_has_the_columns_as_rows, 0, GRAPHS);
    suite_add_tcase(s, c);
    return s;
}
