// SPDX-License-Identifier: Apache-2.0
/* Making tensors, indices and sparse operands, and reading them back. */
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

START_TEST(tensors_have_the_shape_and_the_values_they_were_made_with)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    const int64_t dim[4] = {2, 3, 1, 4};
    const cru_tensor *x = cru_tensor_new(b.tape, cru_nd(4, dim)), *m = cru_tensor_matrix(b.tape, 5, 0),
                     *filled = cru_tensor_filled(b.tape, cru_nd(3, dim), 2.5f), *scalar = cru_tensor_scalar(b.tape, -7);
    ck_assert_int_eq(x->rank, 4);
    ck_assert_int_eq(cru_tensor_count(x), 24);
    ck_assert_int_eq(cru_tensor_rows(x), 2);
    ck_assert_int_eq(cru_tensor_cols(x), 12);
    ck_assert_int_eq(cru_tensor_count(m), 0);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(filled, i), 2.5f);
    ck_assert_int_eq(scalar->rank, 0);
    ck_assert_float_eq(cru_tensor_item(b.tape, scalar), -7);
    const cru_tensor *zeros = cru_tensor_create(b.ctx, cru_nd(1, dim));
    for (int i = 0; i < 2; i++) ck_assert_float_eq(test_value(zeros, i), 0);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_kept_tensor_and_its_host_copy_outlive_what_comes_after)
{
    op_bench b = op_bench_open();
    static const float values[] = {1, -2, 3, -4, 5, -6};
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *kept = cru_tensor_kept(b.tape, cru_tensor_upload(b.tape, cru_2d(3, 2), values));
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor_filled(b.tape, cru_2d(3, 2), 9);
    ck_assert_int_eq(cru_tensor_rows(kept), 3);
    ck_assert_mem_eq(cru_tensor_host(b.tape, kept), values, sizeof values);
    const cru_tensor *filled = cru_tensor_create_filled(b.ctx, cru_1d(3), 0.25);
    for (int i = 0; i < 3; i++) ck_assert_float_eq(test_value(filled, i), 0.25f);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_sparse_matrix_gives_its_values_or_ones)
{
    op_bench b = op_bench_open();
    static const int64_t offsets[] = {0, 2, 3};
    static const int32_t ids[] = {0, 1, 0};
    static const float values[] = {2, 3, 4};
    cru_csr csr = {.rows = 2, .cols = 2, .offsets = offsets, .ids = ids, .values = values};
    const cru_tensor *own = cru_sparse_values(cru_sparse_create(b.ctx, &csr));
    csr.values = NULL;
    const cru_tensor *ones = cru_sparse_values(cru_sparse_create(b.ctx, &csr));
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq(test_value(own, i), values[i]);
        ck_assert_float_eq(test_value(ones, i), 1);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(an_index_comes_back_as_it_was)
{
    op_bench b = op_bench_open();
    static const int32_t ids[] = {5, -1, 0, 2147483647};
    int32_t copied[4];
    const cru_index kept = cru_index_create(b.ctx, ids, 4);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_index step = cru_index_step(b.tape, ids, 4);
    cru_index_download(b.tape, kept, copied);
    ck_assert_mem_eq(copied, ids, sizeof ids);
    ck_assert_mem_eq(cru_index_host(b.tape, step), ids, sizeof ids);
    ck_assert_int_eq(cru_index_step(b.tape, ids, 0).count, 0);
    op_bench_close(&b);
}
END_TEST

static const int64_t offsets[] = {0, 2, 2, 4};
static const int32_t ids[] = {0, 3, 1, 3};
static const float values[] = {1, 2, 3, 4};
static const cru_csr wide = {3, 4, offsets, ids, values};

/* 3 x 4: the columns are 0: (0), 1: (2), 2: none, 3: (0, 2). */
START_TEST(a_transpose_knows_where_its_entries_come_from)
{
    op_bench b = op_bench_open();
    static const int64_t back_offsets[] = {0, 1, 2, 2, 4}, entry[] = {0, 2, 1, 3};
    static const int32_t back_ids[] = {0, 2, 0, 2};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_sparse *a = _i ? cru_sparse_step(b.tape, &wide) : cru_sparse_create(b.ctx, &wide);
    const cru_csr *t = cru_sparse_transpose(a);
    ck_assert_int_eq(t->rows, 4);
    ck_assert_int_eq(t->cols, 3);
    ck_assert_mem_eq(t->offsets, back_offsets, sizeof back_offsets);
    ck_assert_mem_eq(t->ids, back_ids, sizeof back_ids);
    ck_assert_mem_eq(a->entry, entry, sizeof entry);
    for (int e = 0; e < 4; e++) ck_assert_float_eq(t->values[e], values[entry[e]]);
    ck_assert_ptr_eq(cru_sparse_transpose(a), t); /* made once */
    op_bench_close(&b);
}
END_TEST

START_TEST(a_symmetric_matrix_is_its_own_mirror)
{
    op_bench b = op_bench_open();
    static const int64_t rows[] = {0, 1, 3, 4};
    static const int32_t cols[] = {1, 0, 2, 1};
    static const float same[] = {5, 5, 6, 6}, other[] = {5, 5, 6, 7};
    cru_sparse *a = cru_sparse_create(b.ctx, &(cru_csr){3, 3, rows, cols, same});
    const cru_csr *mirror = cru_sparse_mirrored(a);
    ck_assert_ptr_eq(mirror->ids, a->csr.ids);
    ck_assert_ptr_eq(mirror->values, a->csr.values);
    cru_sparse *skew = cru_sparse_create(b.ctx, &(cru_csr){3, 3, rows, cols, other});
    mirror = cru_sparse_mirrored(skew);
    static const float back[] = {5, 5, 7, 6};
    ck_assert_mem_eq(mirror->ids, cols, sizeof cols);
    ck_assert_mem_eq(mirror->values, back, sizeof back);
    op_bench_close(&b);
}
END_TEST

/* ---- modes ---------------------------------------------------------------------------------------------------- */

START_TEST(the_mode_matters_once_something_asked_for_it)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 3, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_relu(b.tape, x);
    ck_assert(!cru_tape_mode_mattered(b.tape));
    cru_dropout(b.tape, x, 0.5f);
    ck_assert(cru_tape_mode_mattered(b.tape));
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert(!cru_tape_mode_mattered(b.tape));
    ck_assert_int_eq(cru_tape_mode(b.tape), CRU_EVAL);
    ck_assert(cru_tape_mode_mattered(b.tape));
    op_bench_close(&b);
}
END_TEST

START_TEST(a_graph_can_live_in_the_memory_of_a_step)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_csr twice = cru_csr_add(cru_tape_pool(b.tape), &wide, 1, &wide, 1), pattern = cru_csr_pattern(&wide);
    ck_assert_int_eq(cru_csr_nnz(&twice), 4);
    for (int e = 0; e < 4; e++) ck_assert_float_eq(twice.values[e], 2 * values[e]);
    ck_assert_ptr_null(pattern.values);
    ck_assert_ptr_eq(pattern.ids, wide.ids);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("tensors");
    TCase *c = tcase_create("tensors");
    tcase_add_test(c, tensors_have_the_shape_and_the_values_they_were_made_with);
    tcase_add_test(c, a_kept_tensor_and_its_host_copy_outlive_what_comes_after);
    tcase_add_test(c, a_sparse_matrix_gives_its_values_or_ones);
    tcase_add_test(c, an_index_comes_back_as_it_was);
    tcase_add_loop_test(c, a_transpose_knows_where_its_entries_come_from, 0, 2);
    tcase_add_test(c, a_symmetric_matrix_is_its_own_mirror);
    tcase_add_test(c, the_mode_matters_once_something_asked_for_it);
    tcase_add_test(c, a_graph_can_live_in_the_memory_of_a_step);
    suite_add_tcase(s, c);
    return s;
}
