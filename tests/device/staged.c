/* Two backends around another, which know the arrays of every kernel's arguments and the extents that backend.h
 * promises.
 *
 * Staged, for the tests of kernels: arguments are in host memory. Each array is copied to the device, the kernel
 * called, and the array copied back.
 *
 * Checked, for everything else: arguments must be memory that the device gave out. A card that is handed memory of the
 * host would stop without a word about where it came from. */
#include "on-device.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 16, GUARD = 64, GUARD_BYTE = 0xa5 };

typedef struct part {
    const void *host;
    char *card;
    size_t bytes;
    bool written;
} part;

typedef struct stage {
    cru_device *device; /* the inner one */
    const cru_backend *backend;
    bool check;
    part parts[MOST_PARTS];
    int count;
} stage;

typedef struct staged_state {
    cru_device device;
    const cru_backend *backend;
    bool check;
} staged_state;

static stage stage_of(cru_device *device)
{
    staged_state *s = device->state;
    return (stage){.device = &s->device, .backend = s->backend, .check = s->check};
}

/* ---- memory that was given out --------------------------------------------------------------------------- */

typedef struct given {
    const char *memory;
    size_t bytes;
    struct given *next;
} given;
static given *all_given;

static void note_given(const void *memory, size_t bytes)
{
    given *g = malloc(sizeof *g);
    *g = (given){.memory = memory, .bytes = bytes, .next = all_given};
    all_given = g;
}

static void note_returned(const void *memory)
{
    for (given **at = &all_given; *at; at = &(*at)->next) {
        given *g = *at;
        if (g->memory != memory) continue;
        *at = g->next;
        free(g);
        return;
    }
}

static bool was_given(const void *memory, size_t bytes)
{
    const char *at = memory;
    for (const given *g = all_given; g; g = g->next)
        if (at >= g->memory && at + bytes <= g->memory + g->bytes) return true;
    return false;
}

/* ---- arrays ---------------------------------------------------------------------------------------------- */

/* One array; arguments that share it share the copy. Under a check a negative count is an unknown one. */
static void *send(stage *s, const void *host, int64_t count, size_t size, bool written)
{
    const size_t bytes = count > 0 ? (size_t)count * size : 0;
    char guard[GUARD];
    if (!host) return NULL;
    if (s->check) {
        if (count != 0 && !was_given(host, bytes)) ck_abort_msg("a kernel is handed memory that is not the device's");
        return (void *)host;
    }
    for (int i = 0; i < s->count; i++)
        if (s->parts[i].host == host && s->parts[i].bytes >= bytes) {
            s->parts[i].written |= written;
            return s->parts[i].card;
        }
    ck_assert_int_lt(s->count, MOST_PARTS);
    char *card = s->backend->alloc(s->device, bytes + GUARD);
    ck_assert_ptr_nonnull(card);
    memset(guard, GUARD_BYTE, sizeof guard);
    s->backend->upload(s->device, card, host, bytes);
    s->backend->upload(s->device, card + bytes, guard, sizeof guard);
    s->parts[s->count++] = (part){host, card, bytes, written};
    return card;
}

static void *in(stage *s, const void *host, int64_t count, size_t size)
{
    return send(s, host, count, size, false);
}
static float *in_floats(stage *s, const float *host, int64_t count)
{
    return send(s, host, count, sizeof *host, false);
}
static int32_t *in_ids(stage *s, const int32_t *host, int64_t count)
{
    return send(s, host, count, sizeof *host, false);
}
static float *out_floats(stage *s, float *host, int64_t count)
{
    return send(s, host, count, sizeof *host, true);
}
static int32_t *out_ids(stage *s, int32_t *host, int64_t count)
{
    return send(s, host, count, sizeof *host, true);
}

static void stage_end(stage *s)
{
    for (int i = 0; i < s->count; i++) {
        const part *p = &s->parts[i];
        char *back = malloc(p->bytes + GUARD);
        s->backend->download(s->device, back, p->card, p->bytes + GUARD);
        for (size_t k = 0; k < GUARD; k++)
            if ((unsigned char)back[p->bytes + k] != GUARD_BYTE) ck_abort_msg("a kernel wrote beyond an array");
        if (p->written)
            memcpy((void *)p->host, back, p->bytes);
        else if (memcmp(p->host, back, p->bytes) != 0)
            ck_abort_msg("a kernel changed one of its inputs");
        s->backend->release(s->device, p->card);
        free(back);
    }
}

/* ---- extents --------------------------------------------------------------------------------------------- */

/* Under a check what lies on the device cannot be looked up: then an extent is unknown, and negative. */
static int64_t entries_of(const stage *s, const cru_csr *a)
{
    return s->check ? -1 : a->rows > 0 ? a->offsets[a->rows] : 0;
}

static cru_csr in_csr(stage *s, const cru_csr *a)
{
    const int64_t nnz = entries_of(s, a);
    cru_csr copy = *a;
    copy.offsets = in(s, a->offsets, a->rows + 1, sizeof *a->offsets);
    copy.ids = in_ids(s, a->ids, nnz);
    copy.values = in_floats(s, a->values, nnz);
    return copy;
}

static int64_t rows_reached(const stage *s, const int32_t *ids, int64_t count)
{
    int64_t rows = 0;
    if (s->check) return -1;
    for (int64_t i = 0; i < count; i++)
        if (ids[i] >= rows) rows = ids[i] + 1;
    return rows;
}

/* rows x cols with `row` and `col` between neighbours */
static int64_t extent(int64_t rows, int64_t row, int64_t cols, int64_t col)
{
    return rows > 0 && cols > 0 ? (rows - 1) * row + (cols - 1) * col + 1 : 0;
}

static cru_operand in_operand(stage *s, cru_operand o, int64_t rows, int64_t cols)
{
    o.x = in_floats(s, o.x, extent(rows, o.row, cols, o.col));
    return o;
}

static const cru_finish *in_finish(stage *s, const cru_finish *finish, int64_t cols, cru_finish *copy)
{
    if (!finish) return NULL;
    *copy = *finish;
    copy->bias = in_floats(s, finish->bias, cols);
    return copy;
}

static int64_t after(int64_t length, int64_t kernel, int64_t stride, int64_t pad)
{
    return (length + 2 * pad - kernel) / stride + 1;
}

/* ---- kernels --------------------------------------------------------------------------------------------- */

static void staged_fill(cru_device *device, float *x, int64_t n, float value)
{
    stage s = stage_of(device);
    s.backend->fill(s.device, out_floats(&s, x, n), n, value);
    stage_end(&s);
}

static void staged_unary(cru_device *device, cru_unary op, const cru_unary_args *args)
{
    stage s = stage_of(device);
    cru_unary_args a = *args;
    a.x = in_floats(&s, a.x, a.n);
    a.y = out_floats(&s, a.y, a.n);
    s.backend->unary(s.device, op, &a);
    stage_end(&s);
}

static void staged_unary_grad(cru_device *device, cru_unary op, const cru_unary_grad_args *args)
{
    stage s = stage_of(device);
    cru_unary_grad_args a = *args;
    a.x = in_floats(&s, a.x, a.n);
    a.y = in_floats(&s, a.y, a.n);
    a.dy = in_floats(&s, a.dy, a.n);
    a.dx = out_floats(&s, a.dx, a.n);
    s.backend->unary_grad(s.device, op, &a);
    stage_end(&s);
}

static void staged_binary(cru_device *device, cru_binary op, const cru_binary_args *args)
{
    stage s = stage_of(device);
    cru_binary_args a = *args;
    a.a = in_operand(&s, a.a, a.rows, a.cols);
    a.b = in_operand(&s, a.b, a.rows, a.cols);
    a.y = out_floats(&s, a.y, a.rows * a.cols);
    s.backend->binary(s.device, op, &a);
    stage_end(&s);
}

static void staged_binary_grad(cru_device *device, cru_binary op, const cru_binary_grad_args *args)
{
    stage s = stage_of(device);
    cru_binary_grad_args a = *args;
    const cru_operand side = a.to_b ? a.b : a.a;
    a.a = in_operand(&s, a.a, a.rows, a.cols);
    a.b = in_operand(&s, a.b, a.rows, a.cols);
    a.dy = in_floats(&s, a.dy, a.rows * a.cols);
    a.dx = out_floats(&s, a.dx, (side.row ? a.rows : 1) * (side.col ? a.cols : 1));
    s.backend->binary_grad(s.device, op, &a);
    stage_end(&s);
}

static void staged_reduce(cru_device *device, cru_reduce op, const cru_reduce_args *args)
{
    stage s = stage_of(device);
    cru_reduce_args a = *args;
    a.x = in_floats(&s, a.x, a.outer * a.count * a.inner);
    a.y = out_floats(&s, a.y, a.outer * a.inner);
    a.where = out_ids(&s, a.where, a.outer * a.inner);
    s.backend->reduce(s.device, op, &a);
    stage_end(&s);
}

static void staged_spread(cru_device *device, const cru_spread_args *args)
{
    stage s = stage_of(device);
    cru_spread_args a = *args;
    a.dy = in_floats(&s, a.dy, a.outer * a.inner);
    a.where = in_ids(&s, a.where, a.outer * a.inner);
    a.dx = out_floats(&s, a.dx, a.outer * a.count * a.inner);
    s.backend->spread(s.device, &a);
    stage_end(&s);
}

static void staged_softmax(cru_device *device, const cru_softmax_args *args)
{
    stage s = stage_of(device);
    cru_softmax_args a = *args;
    const int64_t n = a.outer * a.count * a.inner;
    a.x = in_floats(&s, a.x, n);
    a.y = out_floats(&s, a.y, n);
    s.backend->softmax(s.device, &a);
    stage_end(&s);
}

static void staged_softmax_grad(cru_device *device, const cru_softmax_grad_args *args)
{
    stage s = stage_of(device);
    cru_softmax_grad_args a = *args;
    const int64_t n = a.outer * a.count * a.inner;
    a.y = in_floats(&s, a.y, n);
    a.dy = in_floats(&s, a.dy, n);
    a.dx = out_floats(&s, a.dx, n);
    s.backend->softmax_grad(s.device, &a);
    stage_end(&s);
}

static void staged_gemm(cru_device *device, const cru_gemm_args *args)
{
    stage s = stage_of(device);
    cru_gemm_args a = *args;
    cru_finish finish;
    const int64_t more = a.batch > 1 ? a.batch - 1 : 0;
    a.a = in_floats(&s, a.a, more * a.stride_a + extent(a.ta ? a.k : a.m, a.lda, a.ta ? a.m : a.k, 1));
    a.b = in_floats(&s, a.b, more * a.stride_b + extent(a.tb ? a.n : a.k, a.ldb, a.tb ? a.k : a.n, 1));
    a.c = out_floats(&s, a.c, more * a.stride_c + extent(a.m, a.ldc, a.n, 1));
    a.finish = in_finish(&s, a.finish, a.n, &finish);
    s.backend->gemm(s.device, &a);
    stage_end(&s);
}

static void staged_finish(cru_device *device, const cru_finish_args *args)
{
    stage s = stage_of(device);
    cru_finish_args a = *args;
    cru_finish finish;
    a.y = out_floats(&s, a.y, (a.first + a.rows) * a.cols);
    a.finish = in_finish(&s, a.finish, a.cols, &finish);
    s.backend->finish(s.device, &a);
    stage_end(&s);
}

static void staged_finish_grad(cru_device *device, const cru_finish_grad_args *args)
{
    stage s = stage_of(device);
    cru_finish_grad_args a = *args;
    cru_finish finish;
    a.y = in_floats(&s, a.y, a.rows * a.cols);
    a.dy = out_floats(&s, a.dy, a.rows * a.cols);
    a.dbias = out_floats(&s, a.dbias, a.cols);
    a.finish = in_finish(&s, a.finish, a.cols, &finish);
    s.backend->finish_grad(s.device, &a);
    stage_end(&s);
}

static void staged_copy(cru_device *device, const cru_copy_args *args)
{
    stage s = stage_of(device);
    cru_copy_args a = *args;
    a.x = in_floats(&s, a.x, extent(a.rows, a.ldx, a.cols, 1));
    a.y = out_floats(&s, a.y, extent(a.rows, a.ldy, a.cols, 1));
    s.backend->copy(s.device, &a);
    stage_end(&s);
}

static void staged_permute(cru_device *device, const cru_permute_args *args)
{
    stage s = stage_of(device);
    cru_permute_args a = *args;
    const int64_t n = a.dim[0] * a.dim[1] * a.dim[2] * a.dim[3];
    a.x = in_floats(&s, a.x, n);
    a.y = out_floats(&s, a.y, n);
    s.backend->permute(s.device, &a);
    stage_end(&s);
}

static void staged_gather(cru_device *device, const cru_gather_args *args)
{
    stage s = stage_of(device);
    cru_gather_args a = *args;
    a.x = in_floats(&s, a.x, rows_reached(&s, a.ids, a.count) * a.cols);
    a.ids = in_ids(&s, a.ids, a.count);
    a.y = out_floats(&s, a.y, a.count * a.cols);
    s.backend->gather(s.device, &a);
    stage_end(&s);
}

static void staged_scatter(cru_device *device, const cru_scatter_args *args)
{
    stage s = stage_of(device);
    cru_scatter_args a = *args;
    a.ids = in_ids(&s, a.ids, a.count);
    a.x = in_floats(&s, a.x, a.count * a.cols);
    a.y = out_floats(&s, a.y, a.rows * a.cols);
    a.where = out_ids(&s, a.where, a.rows * a.cols);
    s.backend->scatter(s.device, &a);
    stage_end(&s);
}

static void staged_scatter_grad(cru_device *device, const cru_scatter_grad_args *args)
{
    stage s = stage_of(device);
    cru_scatter_grad_args a = *args;
    a.ids = in_ids(&s, a.ids, a.count);
    a.dy = in_floats(&s, a.dy, a.rows * a.cols);
    a.where = in_ids(&s, a.where, a.rows * a.cols);
    a.dx = out_floats(&s, a.dx, a.count * a.cols);
    s.backend->scatter_grad(s.device, &a);
    stage_end(&s);
}

/* From rows x x_cols to rows x y_cols. */
static cru_take_args take_args(stage *s, const cru_take_args *args, int64_t x_cols, int64_t y_cols)
{
    cru_take_args a = *args;
    a.ids = in_ids(s, a.ids, a.rows * a.k);
    a.x = in_floats(s, a.x, a.rows * x_cols);
    a.y = out_floats(s, a.y, a.rows * y_cols);
    return a;
}

static void staged_take(cru_device *device, const cru_take_args *args)
{
    stage s = stage_of(device);
    const cru_take_args a = take_args(&s, args, args->cols, args->k);
    s.backend->take(s.device, &a);
    stage_end(&s);
}

static void staged_place(cru_device *device, const cru_take_args *args)
{
    stage s = stage_of(device);
    const cru_take_args a = take_args(&s, args, args->k, args->cols);
    s.backend->place(s.device, &a);
    stage_end(&s);
}

static void staged_spmm(cru_device *device, const cru_spmm_args *args)
{
    stage s = stage_of(device);
    cru_spmm_args a = *args;
    cru_finish finish;
    const int64_t nnz = entries_of(&s, &a.a), width = a.heads * a.cols;
    a.a = in_csr(&s, &a.a);
    a.weights = in_floats(&s, a.weights, nnz * a.heads);
    a.order = in(&s, a.order, nnz, sizeof *a.order);
    a.x = in_floats(&s, a.x, a.a.cols * width);
    a.y = out_floats(&s, a.y, a.a.rows * width);
    a.where = out_ids(&s, a.where, a.a.rows * width);
    a.finish = in_finish(&s, a.finish, width, &finish);
    s.backend->spmm(s.device, &a);
    stage_end(&s);
}

static void staged_spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args)
{
    stage s = stage_of(device);
    cru_spmm_transposed_args a = *args;
    const int64_t nnz = entries_of(&s, &a.a);
    a.a = in_csr(&s, &a.a);
    a.weights = in_floats(&s, a.weights, nnz);
    a.x = in_floats(&s, a.x, a.a.rows * a.cols);
    a.y = out_floats(&s, a.y, a.a.cols * a.cols);
    s.backend->spmm_transposed(s.device, &a);
    stage_end(&s);
}

static void staged_select(cru_device *device, const cru_select_args *args)
{
    stage s = stage_of(device);
    cru_select_args a = *args;
    a.order = in(&s, a.order, entries_of(&s, &a.a), sizeof *a.order);
    a.a = in_csr(&s, &a.a);
    a.where = in_ids(&s, a.where, a.a.cols * a.cols);
    a.dy = in_floats(&s, a.dy, a.a.cols * a.cols);
    a.dx = out_floats(&s, a.dx, a.a.rows * a.cols);
    s.backend->select(s.device, &a);
    stage_end(&s);
}

static void staged_sddmm(cru_device *device, const cru_sddmm_args *args)
{
    stage s = stage_of(device);
    cru_sddmm_args a = *args;
    const int64_t width = a.heads * a.cols;
    a.y = out_floats(&s, a.y, entries_of(&s, &a.a) * a.heads);
    a.a = in_csr(&s, &a.a);
    a.l = in_floats(&s, a.l, a.a.rows * width);
    a.r = in_floats(&s, a.r, a.a.cols * width);
    s.backend->sddmm(s.device, &a);
    stage_end(&s);
}

static void staged_edge(cru_device *device, const cru_edge_args *args)
{
    stage s = stage_of(device);
    cru_edge_args a = *args;
    a.y = out_floats(&s, a.y, entries_of(&s, &a.a) * a.heads);
    a.a = in_csr(&s, &a.a);
    a.l = in_floats(&s, a.l, a.a.rows * a.heads);
    a.r = in_floats(&s, a.r, a.a.cols * a.heads);
    s.backend->edge(s.device, &a);
    stage_end(&s);
}

static void staged_edge_sum(cru_device *device, const cru_edge_sum_args *args)
{
    stage s = stage_of(device);
    cru_edge_sum_args a = *args;
    const int64_t nnz = entries_of(&s, &a.a);
    a.a = in_csr(&s, &a.a);
    a.order = in(&s, a.order, nnz, sizeof *a.order);
    a.x = in_floats(&s, a.x, nnz * a.cols);
    a.y = out_floats(&s, a.y, a.a.rows * a.cols);
    s.backend->edge_sum(s.device, &a);
    stage_end(&s);
}

static void staged_edge_softmax(cru_device *device, const cru_edge_softmax_args *args)
{
    stage s = stage_of(device);
    cru_edge_softmax_args a = *args;
    const int64_t n = entries_of(&s, &a.a) * a.heads;
    a.a = in_csr(&s, &a.a);
    a.x = in_floats(&s, a.x, n);
    a.y = out_floats(&s, a.y, n);
    s.backend->edge_softmax(s.device, &a);
    stage_end(&s);
}

static void staged_edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args)
{
    stage s = stage_of(device);
    cru_edge_softmax_grad_args a = *args;
    const int64_t n = entries_of(&s, &a.a) * a.heads;
    a.a = in_csr(&s, &a.a);
    a.y = in_floats(&s, a.y, n);
    a.dy = in_floats(&s, a.dy, n);
    a.dx = out_floats(&s, a.dx, n);
    s.backend->edge_softmax_grad(s.device, &a);
    stage_end(&s);
}

static void staged_dropout(cru_device *device, const cru_dropout_args *args)
{
    stage s = stage_of(device);
    cru_dropout_args a = *args;
    a.x = in_floats(&s, a.x, a.n);
    a.y = out_floats(&s, a.y, a.n);
    s.backend->dropout(s.device, &a);
    stage_end(&s);
}

static cru_norm_args norm_args(stage *s, const cru_norm_args *args)
{
    cru_norm_args a = *args;
    const int64_t n = a.outer * a.channels * a.inner;
    a.x = in_floats(s, a.x, n);
    a.mean = out_floats(s, a.mean, a.channels);
    a.var = out_floats(s, a.var, a.channels);
    a.gain = in_floats(s, a.gain, a.channels);
    a.shift = in_floats(s, a.shift, a.channels);
    a.y = out_floats(s, a.y, n);
    return a;
}

static void staged_norm_stats(cru_device *device, const cru_norm_args *args)
{
    stage s = stage_of(device);
    const cru_norm_args a = norm_args(&s, args);
    s.backend->norm_stats(s.device, &a);
    stage_end(&s);
}

static void staged_norm(cru_device *device, const cru_norm_args *args)
{
    stage s = stage_of(device);
    const cru_norm_args a = norm_args(&s, args);
    s.backend->norm(s.device, &a);
    stage_end(&s);
}

static void staged_norm_grad(cru_device *device, const cru_norm_grad_args *args)
{
    stage s = stage_of(device);
    cru_norm_grad_args a = *args;
    const int64_t n = a.outer * a.channels * a.inner;
    a.x = in_floats(&s, a.x, n);
    a.dy = in_floats(&s, a.dy, n);
    a.mean = in_floats(&s, a.mean, a.channels);
    a.var = in_floats(&s, a.var, a.channels);
    a.gain = in_floats(&s, a.gain, a.channels);
    a.dx = out_floats(&s, a.dx, n);
    a.dgain = out_floats(&s, a.dgain, a.channels);
    a.dshift = out_floats(&s, a.dshift, a.channels);
    s.backend->norm_grad(s.device, &a);
    stage_end(&s);
}

static void staged_xent(cru_device *device, const cru_xent_args *args)
{
    stage s = stage_of(device);
    cru_xent_args a = *args;
    a.logits = in_floats(&s, a.logits, (a.rows ? rows_reached(&s, a.rows, a.count) : a.count) * a.classes);
    a.rows = in_ids(&s, a.rows, a.count);
    a.labels = in_ids(&s, a.labels, a.count);
    a.weights = in_floats(&s, a.weights, a.count);
    a.loss = out_floats(&s, a.loss, a.count);
    a.prob = out_floats(&s, a.prob, a.count * a.classes);
    s.backend->xent(s.device, &a);
    stage_end(&s);
}

static void staged_xent_grad(cru_device *device, const cru_xent_grad_args *args)
{
    stage s = stage_of(device);
    cru_xent_grad_args a = *args;
    a.dlogits = out_floats(&s, a.dlogits, (a.rows ? rows_reached(&s, a.rows, a.count) : a.count) * a.classes);
    a.rows = in_ids(&s, a.rows, a.count);
    a.labels = in_ids(&s, a.labels, a.count);
    a.weights = in_floats(&s, a.weights, a.count);
    a.prob = in_floats(&s, a.prob, a.count * a.classes);
    a.dloss = in_floats(&s, a.dloss, a.count);
    s.backend->xent_grad(s.device, &a);
    stage_end(&s);
}

static void staged_topk(cru_device *device, const cru_topk_args *args)
{
    stage s = stage_of(device);
    cru_topk_args a = *args;
    a.x = in_floats(&s, a.x, a.rows * a.cols);
    a.values = out_floats(&s, a.values, a.rows * a.k);
    a.ids = out_ids(&s, a.ids, a.rows * a.k);
    s.backend->topk(s.device, &a);
    stage_end(&s);
}

static void staged_conv(cru_device *device, const cru_conv_args *args)
{
    stage s = stage_of(device);
    cru_conv_args a = *args;
    const int64_t size = after(a.height, a.kernel_h, a.stride, a.pad) * after(a.width, a.kernel_w, a.stride, a.pad);
    a.x = in_floats(&s, a.x, a.batch * a.in * a.height * a.width);
    a.weight = in_floats(&s, a.weight, a.out * (a.in / a.groups) * a.kernel_h * a.kernel_w);
    a.bias = in_floats(&s, a.bias, a.out);
    a.y = out_floats(&s, a.y, a.batch * a.out * size);
    s.backend->conv(s.device, &a);
    stage_end(&s);
}

static void staged_conv_grad(cru_device *device, const cru_conv_grad_args *args)
{
    stage s = stage_of(device);
    cru_conv_grad_args a = *args;
    const int64_t size = after(a.height, a.kernel_h, a.stride, a.pad) * after(a.width, a.kernel_w, a.stride, a.pad);
    const int64_t pixels = a.batch * a.in * a.height * a.width;
    const int64_t weights = a.out * (a.in / a.groups) * a.kernel_h * a.kernel_w;
    a.x = in_floats(&s, a.x, pixels);
    a.weight = in_floats(&s, a.weight, weights);
    a.dy = in_floats(&s, a.dy, a.batch * a.out * size);
    a.dx = out_floats(&s, a.dx, pixels);
    a.dweight = out_floats(&s, a.dweight, weights);
    a.dbias = out_floats(&s, a.dbias, a.out);
    s.backend->conv_grad(s.device, &a);
    stage_end(&s);
}

static void staged_pool(cru_device *device, const cru_pool_args *args)
{
    stage s = stage_of(device);
    cru_pool_args a = *args;
    const int64_t size = after(a.height, a.kernel, a.stride, a.pad) * after(a.width, a.kernel, a.stride, a.pad);
    a.x = in_floats(&s, a.x, a.planes * a.height * a.width);
    a.y = out_floats(&s, a.y, a.planes * size);
    a.where = out_ids(&s, a.where, a.planes * size);
    s.backend->pool(s.device, &a);
    stage_end(&s);
}

static void staged_pool_grad(cru_device *device, const cru_pool_grad_args *args)
{
    stage s = stage_of(device);
    cru_pool_grad_args a = *args;
    const int64_t size = after(a.height, a.kernel, a.stride, a.pad) * after(a.width, a.kernel, a.stride, a.pad);
    a.dy = in_floats(&s, a.dy, a.planes * size);
    a.where = in_ids(&s, a.where, a.planes * size);
    a.dx = out_floats(&s, a.dx, a.planes * a.height * a.width);
    s.backend->pool_grad(s.device, &a);
    stage_end(&s);
}

static void staged_adam(cru_device *device, const cru_adam_args *args)
{
    stage s = stage_of(device);
    cru_adam_args a = *args;
    a.w = out_floats(&s, a.w, a.n);
    a.m = out_floats(&s, a.m, a.n);
    a.v = out_floats(&s, a.v, a.n);
    a.vmax = out_floats(&s, a.vmax, a.n);
    a.g = in_floats(&s, a.g, a.n);
    s.backend->adam(s.device, &a);
    stage_end(&s);
}

static void staged_sgd(cru_device *device, const cru_sgd_args *args)
{
    stage s = stage_of(device);
    cru_sgd_args a = *args;
    a.w = out_floats(&s, a.w, a.n);
    a.velocity = out_floats(&s, a.velocity, a.n);
    a.g = in_floats(&s, a.g, a.n);
    s.backend->sgd(s.device, &a);
    stage_end(&s);
}

static void staged_transpose(cru_device *device, const cru_transpose_args *args)
{
    stage s = stage_of(device);
    cru_transpose_args a = *args;
    const int64_t nnz = entries_of(&s, &a.a);
    a.a = in_csr(&s, &a.a);
    a.offsets = send(&s, a.offsets, a.a.cols + 1, sizeof *a.offsets, true);
    a.ids = out_ids(&s, a.ids, nnz);
    a.values = out_floats(&s, a.values, nnz);
    a.entry = send(&s, a.entry, nnz, sizeof *a.entry, true);
    s.backend->transpose(s.device, &a);
    stage_end(&s);
}

/* ---- the device ------------------------------------------------------------------------------------------ */

static const cru_backend *staged_inner, *checked_inner;

static cru_status open_around(cru_device *device, const cru_backend *inner, int32_t index, cru_error *err)
{
    staged_state *s = device->state = calloc(1, sizeof *s);
    s->backend = inner;
    const cru_status status = inner->open(&s->device, index, device->threads, err);
    s->device.backend = inner;
    device->threads = s->device.threads;
    if (status != CRU_OK) free(s);
    return status;
}

static cru_status staged_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    *device = (cru_device){.threads = threads};
    return open_around(device, staged_inner, index, err);
}

static cru_status checked_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    *device = (cru_device){.threads = threads};
    const cru_status status = open_around(device, checked_inner, index, err);
    if (status == CRU_OK) ((staged_state *)device->state)->check = true;
    return status;
}

static void staged_close(cru_device *device)
{
    staged_state *s = device->state;
    s->backend->close(&s->device);
    free(s);
}

static void *staged_alloc(cru_device *device, size_t bytes)
{
    stage s = stage_of(device);
    void *memory = s.backend->alloc(s.device, bytes);
    if (memory && s.check) note_given(memory, bytes);
    return memory;
}
static void staged_release(cru_device *device, void *memory)
{
    stage s = stage_of(device);
    if (s.check) note_returned(memory);
    s.backend->release(s.device, memory);
}
static void staged_upload(cru_device *device, void *to, const void *from, size_t bytes)
{
    stage s = stage_of(device);
    if (s.check) in(&s, to, (int64_t)bytes, 1);
    s.backend->upload(s.device, to, from, bytes);
}
static void staged_download(cru_device *device, void *to, const void *from, size_t bytes)
{
    stage s = stage_of(device);
    if (s.check) in(&s, from, (int64_t)bytes, 1);
    s.backend->download(s.device, to, from, bytes);
}

static const cru_backend staged_table = {
    .size = sizeof(cru_backend),
    .name = "staged",
    .open = staged_open,
    .close = staged_close,
    .alloc = staged_alloc,
    .release = staged_release,
    .upload = staged_upload,
    .download = staged_download,
    .fill = staged_fill,
    .unary = staged_unary,
    .unary_grad = staged_unary_grad,
    .binary = staged_binary,
    .binary_grad = staged_binary_grad,
    .reduce = staged_reduce,
    .spread = staged_spread,
    .softmax = staged_softmax,
    .softmax_grad = staged_softmax_grad,
    .gemm = staged_gemm,
    .finish = staged_finish,
    .finish_grad = staged_finish_grad,
    .copy = staged_copy,
    .permute = staged_permute,
    .gather = staged_gather,
    .scatter = staged_scatter,
    .scatter_grad = staged_scatter_grad,
    .take = staged_take,
    .place = staged_place,
    .spmm = staged_spmm,
    .spmm_transposed = staged_spmm_transposed,
    .select = staged_select,
    .sddmm = staged_sddmm,
    .edge = staged_edge,
    .edge_sum = staged_edge_sum,
    .edge_softmax = staged_edge_softmax,
    .edge_softmax_grad = staged_edge_softmax_grad,
    .dropout = staged_dropout,
    .norm_stats = staged_norm_stats,
    .norm = staged_norm,
    .norm_grad = staged_norm_grad,
    .xent = staged_xent,
    .xent_grad = staged_xent_grad,
    .topk = staged_topk,
    .conv = staged_conv,
    .conv_grad = staged_conv_grad,
    .pool = staged_pool,
    .pool_grad = staged_pool_grad,
    .adam = staged_adam,
    .sgd = staged_sgd,
    .transpose = staged_transpose,
};

const cru_backend *staged_backend(const cru_backend *inner)
{
    staged_inner = inner;
    return &staged_table;
}

const cru_backend *checked_backend(const cru_backend *inner)
{
    static cru_backend table;
    table = staged_table;
    table.name = inner->name;
    table.open = checked_open;
    checked_inner = inner;
    return &table;
}
