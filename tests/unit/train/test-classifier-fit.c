// SPDX-License-Identifier: Apache-2.0
/* A classifier trained by itself. */
#include <check.h>
#include <math.h>

#include <crucible/crucible.h>

#include "on-device.h"

enum { ROWS = 5, COLS = 2, CLASSES = 2 };
static const float x[ROWS][COLS] = {{1, 2}, {-1, 0.5f}, {0, -3}, {2, 1}, {9, 9}};
static const int32_t labels[ROWS] = {0, 1, 1, 0, CRU_UNLABELLED}, items[] = {0, 1, 2, 3};

static void read_row(const void *user, int64_t item, float *row)
{
    const float(*from)[COLS] = user;
    for (int k = 0; k < COLS; k++) row[k] = from[item][k];
}

static const cru_row_source rows = {ROWS, COLS, read_row, x};
static const cru_task task = {.size = sizeof task, .x = {.rows = ROWS, .cols = COLS}, .classes = CLASSES};

static cru_classifier linear(cru_net *net)
{
    return cru_classifier_create(net, &(cru_backbone_choice){.kind = CRU_BACKBONE_LINEAR}, &task);
}

/* p_c of a row, from the weights as they are */
static double probability(const cru_classifier *c, int64_t row, int class)
{
    double z[CLASSES], sum = 0;
    for (int k = 0; k < CLASSES; k++) {
        z[k] = (double)test_value(c->head.b, k);
        for (int j = 0; j < COLS; j++) z[k] += (double)x[row][j] * (double)test_value(c->head.w, j * CLASSES + k);
        sum += exp(z[k]);
    }
    return exp(z[class]) / sum;
}

/* One batch of all: w - lr mean of x (p - y). */
START_TEST(a_step_goes_down_the_cross_entropy)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = cru_net_create(ctx, "net");
    const cru_classifier c = linear(net);
    double expected[COLS * CLASSES];
    for (int j = 0; j < COLS; j++)
        for (int k = 0; k < CLASSES; k++) {
            double slope = 0;
            for (int i = 0; i < 4; i++) slope += (double)x[i][j] * (probability(&c, i, k) - (labels[i] == k)) / 4;
            expected[j * CLASSES + k] = (double)test_value(c.head.w, j * CLASSES + k) - 0.5 * slope;
        }
    cru_classifier_fit(
        net, &c, &rows,
        &(cru_fit){
            .optim = {.kind = CRU_SGD, .lr = 0.5}, .epochs = 1, .batch = 10, .labels = labels, .items = {items, 4}});
    for (int i = 0; i < COLS * CLASSES; i++)
        ck_assert_double_eq_tol((double)test_value(c.head.w, i), expected[i], 1e-6);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(many_steps_learn_the_labels)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = cru_net_create(ctx, "net");
    const cru_classifier c = linear(net);
    float scores[ROWS * CLASSES];
    cru_classifier_fit(
        net, &c, &rows,
        &(cru_fit){
            .optim = {.kind = CRU_ADAM, .lr = 0.1}, .epochs = 100, .batch = 3, .labels = labels, .items = {items, 4}});
    cru_classifier_scores(net, &c, &rows, 2, scores);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(cru_best_class(scores + i * CLASSES, CLASSES), labels[i]);
    cru_ctx_destroy(ctx);
}
END_TEST

/* Whatever the size of the blocks: x W + b. */
START_TEST(scores_are_those_of_every_row)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = cru_net_create(ctx, "net");
    const cru_classifier c = linear(net);
    for (int64_t batch = 1; batch <= ROWS + 1; batch++) {
        float scores[ROWS * CLASSES];
        cru_classifier_scores(net, &c, &rows, batch, scores);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < CLASSES; k++) {
                double z = (double)test_value(c.head.b, k);
                for (int j = 0; j < COLS; j++) z += (double)x[i][j] * (double)test_value(c.head.w, j * CLASSES + k);
                ck_assert_double_eq_tol((double)scores[i * CLASSES + k], z, 1e-5);
            }
    }
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("classifier-fit");
    TCase *c = tcase_create("fit");
    tcase_add_test(c, a_step_goes_down_the_cross_entropy);
    tcase_add_test(c, many_steps_learn_the_labels);
    tcase_add_test(c, scores_are_those_of_every_row);
    suite_add_tcase(s, c);
    return s;
}
