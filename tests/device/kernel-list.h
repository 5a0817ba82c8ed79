// SPDX-License-Identifier: Apache-2.0
/* kernel-list.h: the kernels of a backend by name and arguments, for code that does the same for each of them.
 * CHOOSING are those that take a kind of operation before their struct. */
#ifndef TESTS_KERNEL_LIST_H
#define TESTS_KERNEL_LIST_H

#include <crucible/backend.h>

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

#endif
