/* A backend that notes which of its kernels were called. */
#include "on-device.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

/* The kernels of the table in their order, but for `fill`, which takes no struct. */
#define KERNELS(PLAIN, CHOOSING)                                                                                       \
    CHOOSING(unary, cru_unary, cru_unary_args)                                                                         \
    CHOOSING(unary_grad, cru_unary, cru_unary_grad_args)                                                               \
    CHOOSING(binary, cru_binary, cru_binary_args)                                                                      \
    CHOOSING(binary_grad, cru_binary, cru_binary_grad_args)                                                            \
    CHOOSING(reduce, cru_reduce, cru_reduce_args)                                                                      \
    PLAIN(spread, cru_spread_args)                                                                                     \
    PLAIN(softmax, cru_softmax_args)                                                                                   \
    PLAIN(softmax_grad, cru_softmax_grad_args)                                                                         \
    PLAIN(gemm, cru_gemm_args)                                                                                         \
    PLAIN(finish, cru_finish_args)                                                                                     \
    PLAIN(finish_grad, cru_finish_grad_args)                                                                           \
    PLAIN(copy, cru_copy_args)                                                                                         \
    PLAIN(permute, cru_permute_args)                                                                                   \
    PLAIN(gather, cru_gather_args)                                                                                     \
    PLAIN(scatter, cru_scatter_args)                                                                                   \
    PLAIN(scatter_grad, cru_scatter_grad_args)                                                                         \
    PLAIN(take, cru_take_args)                                                                                         \
    PLAIN(place, cru_take_args)                                                                                        \
    PLAIN(spmm, cru_spmm_args)                                                                                         \
    PLAIN(spmm_transposed, cru_spmm_transposed_args)                                                                   \
    PLAIN(select, cru_select_args)                                                                                     \
    PLAIN(sddmm, cru_sddmm_args)                                                                                       \
    PLAIN(edge, cru_edge_args)                                                                                         \
    PLAIN(edge_sum, cru_edge_sum_args)                                                                                 \
    PLAIN(edge_softmax, cru_edge_softmax_args)                                                                         \
    PLAIN(edge_softmax_grad, cru_edge_softmax_grad_args)                                                               \
    PLAIN(dropout, cru_dropout_args)                                                                                   \
    PLAIN(norm_stats, cru_norm_args)                                                                                   \
    PLAIN(norm, cru_norm_args)                                                                                         \
    PLAIN(norm_grad, cru_norm_grad_args)                                                                               \
    PLAIN(xent, cru_xent_args)                                                                                         \
    PLAIN(xent_grad, cru_xent_grad_args)                                                                               \
    PLAIN(topk, cru_topk_args)                                                                                         \
    PLAIN(conv, cru_conv_args)                                                                                         \
    PLAIN(conv_grad, cru_conv_grad_args)                                                                               \
    PLAIN(pool, cru_pool_args)                                                                                         \
    PLAIN(pool_grad, cru_pool_grad_args)                                                                               \
    PLAIN(adam, cru_adam_args)                                                                                         \
    PLAIN(sgd, cru_sgd_args)                                                                                           \
    PLAIN(transpose, cru_transpose_args)

static struct record {
    const cru_backend *inner;
    char path[4096];
    bool noted[sizeof(cru_backend) / sizeof(void *)];
} record;

static void note(const char *kernel, size_t at)
{
    bool *noted = &record.noted[at / sizeof(void *)];
    if (*noted) return;
    *noted = true;
    char line[80];
    const int length = snprintf(line, sizeof line, "%s\n", kernel);
    const int fd = open(record.path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    ck_assert_msg(fd >= 0 && write(fd, line, (size_t)length) == length, "%s: %s", record.path, strerror(errno));
    close(fd);
}

#define NOTE(kernel) note(#kernel, offsetof(cru_backend, kernel))
#define RECORD(kernel, args_type)                                                                                      \
    static void record_##kernel(cru_device *device, const args_type *args)                                             \
    {                                                                                                                  \
        NOTE(kernel);                                                                                                  \
        record.inner->kernel(device, args);                                                                            \
    }
#define RECORD_CHOOSING(kernel, op_type, args_type)                                                                    \
    static void record_##kernel(cru_device *device, op_type op, const args_type *args)                                 \
    {                                                                                                                  \
        NOTE(kernel);                                                                                                  \
        record.inner->kernel(device, op, args);                                                                        \
    }
KERNELS(RECORD, RECORD_CHOOSING)

static void record_fill(cru_device *device, float *x, int64_t n, float value)
{
    NOTE(fill);
    record.inner->fill(device, x, n, value);
}

const cru_backend *recorded_backend(const cru_backend *inner, const char *folder)
{
    static cru_backend table;
#define ONE(...) +1
    _Static_assert(offsetof(cru_backend, fill) + (1 KERNELS(ONE, ONE)) * sizeof(void *) == offsetof(cru_backend, limit),
                   "a kernel of the table is missing in KERNELS");
    record.inner = inner;
    snprintf(record.path, sizeof record.path, "%s/%s", folder, program_invocation_short_name);
    table = *inner;
    table.fill = record_fill;
#define TAKE(kernel, ...) table.kernel = record_##kernel;
    KERNELS(TAKE, TAKE)
    return &table;
}
