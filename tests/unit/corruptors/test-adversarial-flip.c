// SPDX-License-Identifier: Apache-2.0
/* The attack on labels: against a search of all flips with the network solved in its other form. */
#include <math.h>

#include <crucible/draft/linalg.h>
#include <crucible/graph.h>

#include "corruptors/damage.h"

enum { NODES = 10, COLS = 4, CLASSES = 3, TRAIN = 5 };

/* Two rings joined by an edge; a class more than rings. The last five nodes test. */
static cru_data *rings(bool sparse)
{
    static const int32_t from[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2}, to[] = {1, 2, 3, 4, 0, 6, 7, 8, 9, 5, 7};
    int32_t row[22], col[22];
    cru_data *data = damage_data(NODES, CLASSES);
    cru_rng rng = cru_rng_stream(5, "features", 0);
    float *x = cru_data_alloc(data, NODES * COLS, sizeof *x);
    for (int i = 0; i < 11; i++) row[2 * i] = col[2 * i + 1] = from[i], row[2 * i + 1] = col[2 * i] = to[i];
    const cru_coo coo = {.rows = NODES, .cols = NODES, .count = 22, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    for (int i = 0; i < NODES * COLS; i++) x[i] = (float)cru_rng_uniform(&rng) + (i % COLS == data->truth[i / COLS]);
    data->x = (cru_features){.rows = NODES, .cols = COLS, .dense = x};
    if (sparse)
        data->x = (cru_features){
            .rows = NODES, .cols = COLS, .sparse = cru_csr_from_dense(cru_data_pool(data), x, NODES, COLS)};
    data->split.val = (cru_ids){NULL, 0};
    data->split.test = (cru_ids){data->split.train.ids + TRAIN, NODES - TRAIN};
    return data;
}

/* H = Â Â X */
static void spread(cru_data *data, double h[NODES][COLS])
{
    float adj[NODES * NODES], x[NODES * COLS];
    const cru_csr a = cru_graph_gcn(cru_data_pool(data), &data->graph, CRU_LOOPS_ADD);
    cru_csr_to_dense(&a, adj);
    if (data->x.dense)
        memcpy(x, data->x.dense, sizeof x);
    else
        cru_csr_to_dense(&data->x.sparse, x);
    for (int i = 0; i < NODES; i++)
        for (int c = 0; c < COLS; c++) {
            h[i][c] = 0;
            for (int j = 0; j < NODES; j++)
                for (int k = 0; k < NODES; k++)
                    h[i][c] += (double)adj[i * NODES + j] * (double)adj[j * NODES + k] * (double)x[k * COLS + c];
        }
}

/* The damage of labels by theta = (H_T^T H_T + ridge I)^-1 H_T^T Y. */
static double damage_of(cru_data *data, const int32_t *labels, double ridge, double sharpness)
{
    double h[NODES][COLS], square[COLS * COLS], theta[COLS * CLASSES] = {0}, sum = 0;
    cru_error err = {0};
    spread(data, h);
    for (int a = 0; a < COLS; a++) {
        for (int b = 0; b < COLS; b++) {
            square[a * COLS + b] = a == b ? ridge : 0;
            for (int t = 0; t < TRAIN; t++) square[a * COLS + b] += h[t][a] * h[t][b];
        }
        for (int t = 0; t < TRAIN; t++) theta[a * CLASSES + labels[t]] += h[t][a];
    }
    ck_assert_int_eq(cru_inverse(square, COLS, &err), CRU_OK);
    for (int u = TRAIN; u < NODES; u++) {
        double score[CLASSES] = {0}, other = -INFINITY;
        for (int c = 0; c < CLASSES; c++)
            for (int a = 0; a < COLS; a++)
                for (int b = 0; b < COLS; b++) score[c] += h[u][a] * square[a * COLS + b] * theta[b * CLASSES + c];
        for (int c = 0; c < CLASSES; c++)
            if (c != data->truth[u]) other = fmax(other, score[c]);
        sum += (1 - tanh(sharpness * (score[data->truth[u]] - other))) / 2;
    }
    return sum / (NODES - TRAIN);
}

/* floor(0.2 * 5) = 1 flip: the worst of the ten that there are. */
START_TEST(one_flip_is_the_worst_of_all)
{
    cru_data *data = rings(_i);
    damage_report report;
    int32_t before[NODES];
    double worst = 0;
    memcpy(before, data->labels, sizeof before);
    for (int t = 0; t < TRAIN; t++)
        for (int32_t c = 0; c < CLASSES; c++) {
            int32_t labels[NODES];
            memcpy(labels, before, sizeof labels);
            labels[t] = c;
            worst = fmax(worst, damage_of(data, labels, 0.5, 3));
        }
    damage_apply(&(damage){.name = "adversarial-flip",
                           .settings = {"rate", "0.2", "ridge", "0.5", "sharpness", "3", "shortlist", "0"}},
                 data, &report);
    int changed = 0;
    for (int i = 0; i < NODES; i++) changed += data->labels[i] != before[i];
    ck_assert_int_eq(changed, 1);
    ck_assert_double_eq_tol(damage_of(data, data->labels, 0.5, 3), worst, 1e-9);
    ck_assert_double_eq_tol(*damage_reported(&report, "damage_after"), worst, 1e-5);
    ck_assert_double_eq_tol(*damage_reported(&report, "damage_before"), damage_of(data, before, 0.5, 3), 1e-5);
    ck_assert_double_eq_tol(*damage_reported(&report, "noise_rate"), 0.2, 1e-12);
    cru_data_destroy(data);
}
END_TEST

/* Round after round: each flip is the worst one that the flips before it leave, whatever the gradient thinks of it. */
START_TEST(every_round_does_most_harm)
{
    static const char *const rates[] = {"0.4", "0.6", "1"};
    cru_data *data = rings(false);
    damage_report report;
    int32_t labels[NODES];
    uint8_t done[TRAIN] = {0};
    const int budget = _i == 0 ? 2 : _i == 1 ? 3 : 5;
    memcpy(labels, data->labels, sizeof labels);
    double most = damage_of(data, labels, 1, 5);
    for (int round = 0; round < budget; round++) {
        int32_t item = -1, class = 0;
        for (int32_t t = 0; t < TRAIN; t++)
            for (int32_t c = 0; c < CLASSES && !done[t]; c++) {
                int32_t tried[NODES];
                memcpy(tried, labels, sizeof tried);
                tried[t] = c;
                const double after = damage_of(data, tried, 1, 5);
                if (after > most + 1e-9) most = after, item = t, class = c;
            }
        if (item < 0) break;
        labels[item] = class, done[item] = 1;
    }
    damage_apply(&(damage){.name = "adversarial-flip", .settings = {"rate", rates[_i], "shortlist", "0"}}, data,
                 &report);
    ck_assert_double_eq_tol(*damage_reported(&report, "damage_after"), most, 1e-5);
    ck_assert_mem_eq(data->labels, labels, sizeof labels);
    cru_data_destroy(data);
}
END_TEST

/* Test items keep label and truth, and nothing is drawn: another seed, the same flips. */
START_TEST(only_training_labels_change)
{
    cru_data *data = rings(false), *again = rings(false);
    damage_report report;
    damage_apply(&(damage){.name = "adversarial-flip", .settings = {"rate", "1"}}, data, &report);
    damage_apply(&(damage){.name = "adversarial-flip", .settings = {"rate", "1"}, .seed = 9}, again, &report);
    for (int i = 0; i < NODES; i++) {
        ck_assert_int_eq(data->truth[i], i % CLASSES);
        ck_assert_int_eq(data->labels[i], again->labels[i]);
        if (i >= TRAIN) ck_assert_int_eq(data->labels[i], i % CLASSES);
    }
    cru_data_destroy(data);
    cru_data_destroy(again);
}
END_TEST

START_TEST(nothing_changes_at_rate_0)
{
    cru_data *data = rings(false);
    damage_report report;
    damage_apply(&(damage){.name = "adversarial-flip", .settings = {"rate", "0"}}, data, &report);
    for (int i = 0; i < NODES; i++) ck_assert_int_eq(data->labels[i], i % CLASSES);
    cru_data_destroy(data);
}
END_TEST

START_TEST(data_without_features_is_refused)
{
    cru_data *data = rings(false);
    cru_error err = {0};
    damage_report report = {0};
    data->x = (cru_features){.rows = NODES};
    ck_assert_int_eq(damage_try(&(damage){.name = "adversarial-flip"}, data, &report, &err), CRU_UNSUPPORTED);
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("adversarial flips");
    TCase *c = tcase_create("flips");
    tcase_add_loop_test(c, one_flip_is_the_worst_of_all, 0, 2);
    tcase_add_loop_test(c, every_round_does_most_harm, 0, 3);
    tcase_add_test(c, only_training_labels_change);
    tcase_add_test(c, nothing_changes_at_rate_0);
    tcase_add_test(c, data_without_features_is_refused);
    suite_add_tcase(s, c);
    return s;
}
