// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>

#include <crucible/random.h>

#include "random/statistics.h"

enum { DRAWS = 60000 };

START_TEST(categories_are_drawn_by_weight_and_zero_weights_never)
{
    const double weights[] = {1, 0, 3, 6, 0}, probability[] = {0.1, 0.3, 0.6};
    int64_t counts[5] = {0};
    cru_rng rng = cru_rng_stream(1, "categorical", 0);
    for (int i = 0; i < DRAWS; i++) counts[cru_rng_categorical(&rng, weights, 5)]++;
    ck_assert_int_eq(counts[1] + counts[4], 0);
    assert_counts_fit((int64_t[]){counts[0], counts[2], counts[3]}, probability, 3, DRAWS);
}
END_TEST

/* The position of an arrangement of 0 .. 3 among all 24. */
static int arrangement(const int32_t p[4])
{
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int smaller = 0;
        for (int j = i + 1; j < 4; j++) smaller += p[j] < p[i];
        code = code * (4 - i) + smaller;
    }
    return code;
}

START_TEST(all_permutations_are_equally_likely)
{
    int64_t counts[24] = {0};
    int32_t p[4];
    cru_rng rng = cru_rng_stream(2, "permutation", 0);
    for (int i = 0; i < DRAWS; i++) {
        cru_rng_permutation(&rng, p, 4);
        counts[arrangement(p)]++;
    }
    assert_uniform_counts(counts, 24, DRAWS);
}
END_TEST

START_TEST(a_shuffle_keeps_its_values)
{
    int32_t ids[100];
    int64_t sum = 0;
    for (int i = 0; i < 100; i++) ids[i] = i * i;
    cru_rng rng = cru_rng_stream(3, "shuffle", 0);
    cru_rng_shuffle(&rng, ids, 100);
    for (int i = 0; i < 100; i++) sum += ids[i];
    ck_assert_int_eq(sum, 99 * 100 * 199 / 6);
    cru_rng_shuffle(&rng, ids, 0);
    cru_rng_shuffle(&rng, ids, 1);
}
END_TEST

START_TEST(ordered_choices_are_equally_likely)
{
    int64_t counts[16] = {0}, cells[12], used = 0;
    int32_t pair[2];
    cru_rng rng = cru_rng_stream(4, "choose", 0);
    for (int i = 0; i < DRAWS; i++) {
        cru_rng_choose(&rng, 4, 2, pair);
        counts[4 * pair[0] + pair[1]]++;
    }
    for (int i = 0; i < 16; i++) {
        if (i % 5 == 0)
            ck_assert_int_eq(counts[i], 0);
        else
            cells[used++] = counts[i];
    }
    assert_uniform_counts(cells, 12, DRAWS);
}
END_TEST

START_TEST(choosing_gives_different_numbers_in_range)
{
    static const struct {
        int64_t n, k;
    } cases[] = {{0, 0}, {1, 0}, {1, 1}, {17, 17}, {1000, 1000}, {1000, 3}, {INT32_MAX, 1000}};
    int64_t n = cases[_i].n, k = cases[_i].k;
    int32_t *ids = malloc((size_t)(k + 1) * sizeof *ids);
    cru_rng rng = cru_rng_stream(5, "choose", 0);
    cru_rng_choose(&rng, n, k, ids);
    for (int64_t i = 0; i < k; i++) {
        ck_assert(ids[i] >= 0 && ids[i] < n);
        for (int64_t j = 0; j < i; j++)
            if (ids[i] == ids[j]) ck_abort_msg("%d twice", ids[i]);
    }
    free(ids);
}
END_TEST

START_TEST(weighted_draws_with_replacement_follow_the_weights)
{
    const double weights[] = {5, 0, 1, 3, 1}, probability[] = {0.5, 0.1, 0.3, 0.1};
    static int32_t out[DRAWS];
    int64_t counts[5] = {0};
    cru_rng rng = cru_rng_stream(6, "weighted", 0);
    cru_rng_weighted(&rng, weights, 5, DRAWS, true, out);
    for (int i = 0; i < DRAWS; i++) counts[out[i]]++;
    ck_assert_int_eq(counts[1], 0);
    assert_counts_fit((int64_t[]){counts[0], counts[2], counts[3], counts[4]}, probability, 4, DRAWS);
}
END_TEST

/* The chance of drawing i, then j, is w_i / W * w_j / (W - w_i). */
START_TEST(weighted_draws_without_replacement_are_successive_draws)
{
    const double weights[] = {1, 2, 0, 3, 4};
    const int items[] = {0, 1, 3, 4};
    int64_t counts[25] = {0}, cells[12];
    double probability[12];
    int32_t pair[2];
    cru_rng rng = cru_rng_stream(7, "weighted", 0);
    for (int i = 0; i < DRAWS; i++) {
        cru_rng_weighted(&rng, weights, 5, 2, false, pair);
        counts[5 * pair[0] + pair[1]]++;
    }
    int used = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            if (a == b) continue;
            double w = weights[items[a]];
            probability[used] = w / 10 * weights[items[b]] / (10 - w);
            cells[used++] = counts[5 * items[a] + items[b]];
        }
    assert_counts_fit(cells, probability, 12, DRAWS);
}
END_TEST

START_TEST(all_of_many_can_be_drawn_with_extreme_weights)
{
    double weights[200];
    bool seen[200] = {false};
    int32_t out[200];
    for (int i = 0; i < 200; i++) weights[i] = ldexp(1, -5 * i);
    cru_rng rng = cru_rng_stream(8, "weighted", 0);
    cru_rng_weighted(&rng, weights, 200, 200, false, out);
    for (int i = 0; i < 200; i++) seen[out[i]] = true;
    for (int i = 0; i < 200; i++) ck_assert(seen[i]);
    cru_rng_weighted(&rng, weights, 200, 0, false, out);
}
END_TEST

/* The smallest of ln(-ln(1 - u_i)) - ln w_i, all of which are computed here, for weights of all sizes. */
START_TEST(few_of_many_are_those_whose_exponential_times_end_first)
{
    enum { MANY = 3000, FEW = 9 };
    static double weights[MANY], time[MANY];
    int32_t out[FEW];
    const double spread[] = {0, 4, 600};
    cru_rng draw = cru_rng_stream(10, "weights", 0), rng = cru_rng_stream(10, "weighted", _i), same = rng;
    for (int i = 0; i < MANY; i++) weights[i] = i % 7 ? exp(spread[_i] * (cru_rng_uniform(&draw) - 0.5)) : 0;
    cru_rng_weighted(&rng, weights, MANY, FEW, false, out);
    for (int i = 0; i < MANY; i++)
        time[i] = weights[i] > 0 ? log(-log1p(-cru_rng_uniform(&same))) - log(weights[i]) : INFINITY;
    for (int k = 0; k < FEW; k++) {
        int first = 0;
        for (int i = 1; i < MANY; i++)
            if (time[i] < time[first]) first = i;
        ck_assert_int_eq(out[k], first);
        time[first] = INFINITY;
    }
}
END_TEST

static void jump_back(void *user, cru_status status, const char *message)
{
    ck_assert_int_eq(status, CRU_FAILED);
    ck_assert_str_eq(message, "cru_rng_weighted: 2 draws from 1 positive weights");
    longjmp(*(jmp_buf *)user, 1);
}

START_TEST(more_draws_than_positive_weights_is_an_assertion)
{
    jmp_buf frame;
    int32_t out[2];
    cru_rng rng = cru_rng_stream(9, "weighted", 0);
    cru_panic_set_handler(jump_back, &frame);
    if (setjmp(frame) == 0) {
        cru_rng_weighted(&rng, (double[]){0, 1}, 2, 2, false, out);
        ck_abort_msg("the draw returned");
    }
    cru_panic_set_handler(NULL, NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("pick");
    TCase *c = tcase_create("picking");
    tcase_add_test(c, categories_are_drawn_by_weight_and_zero_weights_never);
    tcase_add_test(c, all_permutations_are_equally_likely);
    tcase_add_test(c, a_shuffle_keeps_its_values);
    tcase_add_test(c, ordered_choices_are_equally_likely);
    tcase_add_loop_test(c, choosing_gives_different_numbers_in_range, 0, 7);
    tcase_add_test(c, weighted_draws_with_replacement_follow_the_weights);
    tcase_add_test(c, weighted_draws_without_replacement_are_successive_draws);
    tcase_add_test(c, all_of_many_can_be_drawn_with_extreme_weights);
    tcase_add_loop_test(c, few_of_many_are_those_whose_exponential_times_end_first, 0, 3);
    tcase_add_test(c, more_draws_than_positive_weights_is_an_assertion);
    suite_add_tcase(s, c);
    return s;
}
