// SPDX-License-Identifier: Apache-2.0
/* Recurrent cells and embedding, against their formulas in double. */
#include <crucible/draft/ops-image.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* ---- recurrent cells ------------------------------------------------------------------------------------- */

enum { BATCH = 2, IN = 3, HIDDEN = 2 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* operands: input and hidden weights, both biases, x, h, c */
static void cell_operands(op_bench *b, int64_t gates, cru_tensor **x)
{
    int64_t wide = gates * HIDDEN;
    x[0] = op_matrix(b, IN, wide, -1, 1);
    x[1] = op_matrix(b, HIDDEN, wide, -1, 1);
    x[2] = op_values(b, 1, &wide, -0.5, 0.5);
    x[3] = op_values(b, 1, &wide, -0.3, 0.6);
    x[4] = op_matrix(b, BATCH, IN, -1, 1);
    x[5] = op_matrix(b, BATCH, HIDDEN, -1, 1);
    x[6] = op_matrix(b, BATCH, HIDDEN, -0.5, 1);
}

static double from_input(operands x, int64_t i, int64_t k)
{
    double sum = (double)test_value(x[2], k);
    for (int64_t j = 0; j < IN; j++) sum += op_at(x[4], i, j) * op_at(x[0], j, k);
    return sum;
}
static double from_hidden(operands x, int64_t i, int64_t k)
{
    double sum = (double)test_value(x[3], k);
    for (int64_t j = 0; j < HIDDEN; j++) sum += op_at(x[5], i, j) * op_at(x[1], j, k);
    return sum;
}
static double gate(operands x, int64_t i, int64_t k)
{
    return from_input(x, i, k) + from_hidden(x, i, k);
}

static cru_cell cell_of(operands x)
{
    return (cru_cell){.input = x[0], .hidden = x[1], .input_bias = x[2], .hidden_bias = x[3]};
}

static cru_tensor *lstm(void *user, cru_tape *t, operands x)
{
    (void)user;
    cru_cell cell = cell_of(x);
    cru_lstm_state s = cru_lstm_cell(t, &cell, x[4], (cru_lstm_state){.h = x[5], .c = x[6]});
    return cru_concat_cols(t, (cru_tensor *[]){s.h, s.c}, 2);
}

START_TEST(lstm_cell_with_gates_in_the_order_of_pytorch)
{
    op_bench b = op_bench_open();
    cru_tensor *x[7];
    cell_operands(&b, 4, x);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = lstm(NULL, b.tape, x);
    for (int64_t i = 0; i < BATCH; i++)
        for (int64_t k = 0; k < HIDDEN; k++) {
            double in = sigmoid(gate(x, i, k)), forget = sigmoid(gate(x, i, HIDDEN + k));
            double cell = tanh(gate(x, i, 2 * HIDDEN + k)), out = sigmoid(gate(x, i, 3 * HIDDEN + k));
            double c = forget * op_at(x[6], i, k) + in * cell;
            ck_assert_double_eq_tol(op_at(y, i, HIDDEN + k), c, 1e-5);
            ck_assert_double_eq_tol(op_at(y, i, k), out * tanh(c), 1e-5);
        }
    op_check(&b, lstm, NULL, x, 7);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *gru(void *user, cru_tape *t, operands x)
{
    (void)user;
    cru_cell cell = cell_of(x);
    return cru_gru_cell(t, &cell, x[4], x[5]);
}

START_TEST(gru_cell_with_gates_in_the_order_of_pytorch)
{
    op_bench b = op_bench_open();
    cru_tensor *x[7];
    cell_operands(&b, 3, x);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = gru(NULL, b.tape, x);
    for (int64_t i = 0; i < BATCH; i++)
        for (int64_t k = 0; k < HIDDEN; k++) {
            double reset = sigmoid(gate(x, i, k)), update = sigmoid(gate(x, i, HIDDEN + k));
            double fresh = tanh(from_input(x, i, 2 * HIDDEN + k) + reset * from_hidden(x, i, 2 * HIDDEN + k));
            ck_assert_double_eq_tol(op_at(y, i, k), (1 - update) * fresh + update * op_at(x[5], i, k), 1e-5);
        }
    op_check(&b, gru, NULL, x, 6);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *embedding(void *user, cru_tape *t, operands x)
{
    return cru_embedding(t, x[0], *(cru_index *)user);
}

START_TEST(embedding_rows_collect_the_gradients_of_all_their_uses)
{
    op_bench b = op_bench_open();
    const int32_t words[] = {2, 0, 2, 2};
    cru_index ids = cru_index_create(b.ctx, words, 4);
    cru_tensor *table = op_matrix(&b, 4, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = embedding(&ids, b.tape, &table);
    for (int64_t i = 0; i < 4; i++) ck_assert_double_eq(op_at(y, i, 1), op_at(table, words[i], 1));
    op_check(&b, embedding, &ids, &table, 1);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("cells");
    TCase *c = tcase_create("operators");
    tcase_add_test(c, lstm_cell_with_gates_in_the_order_of_pytorch);
    tcase_add_test(c, gru_cell_with_gates_in_the_order_of_pytorch);
    tcase_add_test(c, embedding_rows_collect_the_gradients_of_all_their_uses);
    suite_add_tcase(s, c);
    return s;
}
