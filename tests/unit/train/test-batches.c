// SPDX-License-Identifier: Apache-2.0
/* Shuffled passes over a set of rows. */
#include <check.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"

static const int32_t rows[] = {30, 10, 20, 70, 50, 40, 60};

static int64_t place_of(int32_t id)
{
    for (int64_t i = 0; i < 7; i++)
        if (rows[i] == id) return i;
    ck_abort_msg("id %d was never given", id);
    return -1;
}

START_TEST(every_row_comes_once_per_pass)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_batches batches = cru_batches_create(ctx, (cru_ids){rows, 7}, 3, false);
    ck_assert_int_eq(cru_batches_per_pass(&batches), 3);
    int32_t order[2][7];
    for (int pass = 0; pass < 2; pass++) {
        int64_t seen = 0, times[7] = {0};
        for (int64_t b = 0; b < 3; b++) {
            cru_ids batch = cru_batches_next(&batches);
            ck_assert_int_eq(batch.count, b < 2 ? 3 : 1);
            for (int64_t i = 0; i < batch.count; i++) {
                times[place_of(batch.ids[i])]++;
                order[pass][seen++] = batch.ids[i];
            }
        }
        for (int i = 0; i < 7; i++) ck_assert_int_eq(times[i], 1);
    }
    ck_assert(memcmp(order[0], order[1], sizeof order[0]) != 0);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(an_incomplete_last_batch_is_left_out_when_asked)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_batches batches = cru_batches_create(ctx, (cru_ids){rows, 7}, 3, true);
    ck_assert_int_eq(cru_batches_per_pass(&batches), 2);
    for (int pass = 0; pass < 3; pass++) {
        int64_t times[7] = {0};
        for (int b = 0; b < 2; b++) {
            cru_ids batch = cru_batches_next(&batches);
            ck_assert_int_eq(batch.count, 3);
            for (int64_t i = 0; i < 3; i++) ck_assert_int_eq(++times[place_of(batch.ids[i])], 1);
        }
    }
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(an_only_batch_is_never_left_out)
{
    cru_ctx *ctx = test_ctx(NULL);
    for (int drop = 0; drop < 2; drop++) {
        cru_batches batches = cru_batches_create(ctx, (cru_ids){rows, 7}, 100, drop);
        ck_assert_int_eq(cru_batches_per_pass(&batches), 1);
        for (int pass = 0; pass < 2; pass++) ck_assert_int_eq(cru_batches_next(&batches).count, 7);
        cru_batches exact = cru_batches_create(ctx, (cru_ids){rows, 6}, 3, drop);
        ck_assert_int_eq(cru_batches_per_pass(&exact), 2);
        for (int b = 0; b < 4; b++) ck_assert_int_eq(cru_batches_next(&exact).count, 3);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("minibatches");
    TCase *c = tcase_create("passes");
    tcase_add_test(c, every_row_comes_once_per_pass);
    tcase_add_test(c, an_incomplete_last_batch_is_left_out_when_asked);
    tcase_add_test(c, an_only_batch_is_never_left_out);
    suite_add_tcase(s, c);
    return s;
}
