// SPDX-License-Identifier: Apache-2.0
/* What candidate sets tell of accuracy, on sets that were generated. The two theorems of
 *
 *     Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. ICLR 2025.
 *
 *     1  when every wrong label is a candidate with the same probability c:   E[CR] = ACC + c (1 - ACC)
 *     2  when p(S | x, y) = C(x, S) [y in S] and the scores are p(y | x):      E[AA] = ACC
 *
 * Means over N items have standard errors below 1 / (2 sqrt(N)); the bounds are four of them. */
#include <math.h>

#include <crucible/crucible.h>

#include "corruptors/damage.h"

enum { N = 40000, K = 5 };
#define BOUND (4 * 0.5 / sqrt((double)N))

typedef struct world {
    cru_data *data;
    float *scores; /* N x K logits */
} world;

/* A posterior of random logits for every item, and a label that is drawn from it. */
static world create_world(uint64_t seed)
{
    world w = {.data = damage_data(N, K)};
    cru_rng rng = cru_rng_stream(seed, "world", 0);
    w.scores = cru_data_alloc(w.data, (int64_t)N * K, sizeof *w.scores);
    for (int64_t i = 0; i < N; i++) {
        double p[K], sum = 0;
        for (int k = 0; k < K; k++) {
            w.scores[i * K + k] = (float)(1.5 * cru_rng_normal(&rng));
            sum += p[k] = exp((double)w.scores[i * K + k]);
        }
        double left = sum * cru_rng_uniform(&rng);
        int32_t label = 0;
        while (label < K - 1 && left >= p[label]) left -= p[label++];
        w.data->truth[i] = w.data->labels[i] = label;
    }
    return w;
}

static double accuracy_of(const world *w)
{
    int64_t right = 0;
    for (int64_t i = 0; i < N; i++) {
        int best = 0;
        for (int k = 1; k < K; k++)
            if (w->scores[i * K + k] > w->scores[i * K + best]) best = k;
        right += best == w->data->truth[i];
    }
    return (double)right / N;
}

static cru_covered covered(const world *w)
{
    int32_t *all = cru_data_alloc(w->data, N, sizeof *all);
    for (int32_t i = 0; i < N; i++) all[i] = i;
    return (cru_covered){w->scores, w->data->candidates, K, {all, N}};
}

/* A wrong label joins with probability 0.3 (fps), and by the uniform law in (2^(K-2) - 1) of the 2^(K-1) - 1 sets that
 * hold the label: those of the other K - 2 labels but for all of them. */
static const struct {
    damage how;
    double wrong;
} laws[] = {
    {{.name = "fps", .settings = {"where", "all", "rate", "0.3"}, .seed = 3}, 0.3},
    {{.name = "uss", .settings = {"where", "all"}, .seed = 4}, 7.0 / 15},
};

START_TEST(covering_rate_is_accuracy_and_a_share_of_the_errors)
{
    world w = create_world(1);
    damage_report report;
    damage_apply(&laws[_i].how, w.data, &report);
    const cru_covered c = covered(&w);
    const double right = accuracy_of(&w);
    ck_assert_double_eq_tol(cru_covering_rate(&c), right + laws[_i].wrong * (1 - right), BOUND);
    cru_data_destroy(w.data);
}
END_TEST

/* Both laws weigh all sets that hold the label alike, whatever the label: C depends on the size of S alone. */
START_TEST(approximated_accuracy_is_accuracy_when_the_posterior_is_exact)
{
    world w = create_world(2);
    damage_report report;
    damage_apply(&laws[_i].how, w.data, &report);
    const cru_covered c = covered(&w);
    ck_assert_double_eq_tol(cru_approximated_accuracy(&c, true), accuracy_of(&w), BOUND);
    ck_assert_double_eq_tol(cru_approximated_accuracy(&c, false), accuracy_of(&w), BOUND);
    cru_data_destroy(w.data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("candidate-theorems");
    TCase *c = tcase_create("theorems");
    tcase_add_loop_test(c, covering_rate_is_accuracy_and_a_share_of_the_errors, 0, 2);
    tcase_add_loop_test(c, approximated_accuracy_is_accuracy_when_the_posterior_is_exact, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
