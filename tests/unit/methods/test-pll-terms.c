// SPDX-License-Identifier: Apache-2.0
/* Partial labels: single terms of methods with several networks, views or queues against the study's code. */
#include "methods/pll-networks.h"

#define VECTORS                                                                                                        \
    "same_views", "true", "batch_size", "4", "prot_start", "2", "feat_dim", "4", "moco_queue", "8", "loss_weight",     \
        "0", "conf_ema_start", "0.9", "conf_ema_end", "0.9"

/* ---- single terms: X = I, so that classifiers hold logits ------------------------------------------------------ */

static const int32_t first_four[] = {0, 1, 2, 3}, last_four[] = {4, 5, 6, 7}, batch_rows[] = {0, 3, 4, 6},
                     other_rows[] = {1, 2, 5, 7};

/* The tables of these methods come first in their models; there is no other way to put values in. */
static cru_tensor *table_of(const bench *b, int number)
{
    return ((cru_tensor **)b->learner->model)[number];
}

static void put_rows(cru_tensor *to, const int32_t *rows, const cJSON *values)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(values, numbers), cols = cru_tensor_cols(to);
    for (int64_t i = 0; i < count; i++) to->data[rows[i / cols] * cols + i % cols] = (float)numbers[i];
}

static void check_rows(const bench *b, const float *data, const int32_t *rows, const cJSON *values)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(values, numbers), cols = cJSON_GetArraySize(cJSON_GetArrayItem(values, 0));
    for (int64_t i = 0; i < count; i++)
        bench_check_number(b, (double)data[rows[i / cols] * cols + i % cols], numbers[i]);
}

static void set_unit(const bench *b, const char *name)
{
    cru_tensor *w = bench_weight(b, name);
    const int64_t cols = cru_tensor_cols(w);
    for (int64_t i = 0; i < cru_tensor_count(w); i++) w->data[i] = i / cols == i % cols;
}

/* Four rows, and what stands for their strong views: four others. */
static cru_batch batch_with_views(bench *b, const int32_t *rows, const int32_t *strong)
{
    cru_learner *l = b->learner;
    for (int64_t i = 0; i < l->net_count; i++) cru_net_clear(l->nets[i]);
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_batch batch = cru_learner_batch(l, (cru_ids){(int32_t *)rows, 4});
    if (strong) {
        cru_tensor *x = cru_input_dense(l->tape, &l->x);
        batch.strong = cru_input_of(cru_gather(l->tape, x, cru_index_step(l->tape, strong, 4)));
    }
    return batch;
}

static double loss_of(bench *b, const cru_batch *batch)
{
    cru_learner *l = b->learner;
    cru_tensor *loss = l->method->batch_loss(l, l->model, l->tape, batch);
    cru_backward(l->tape, loss);
    return (double)cru_tensor_item(l->tape, loss);
}

static double number_of(cJSON *root, const char *name)
{
    return fixture_expected(fixture_case(root, name), "loss")->valuedouble;
}

START_TEST(crdpll_loss_of_two_views)
{
    cJSON *root = fixture_open("pll/crdpll.json");
    const cJSON *item = fixture_case(root, "loss"), *row;
    cJSON *sets = cJSON_Duplicate(fixture_input(item, "S"), true);
    cJSON_ArrayForEach(row, fixture_input(item, "S")) cJSON_AddItemToArray(sets, cJSON_Duplicate(row, true));
    bench b = bench_create();
    open_given_logits(&b, "crdpll", sets, (const char *[]){"steps", "20", NULL});
    put_rows(bench_weight(&b, "classifier.weight"), first_four, fixture_input(item, "logits_weak"));
    put_rows(bench_weight(&b, "classifier.weight"), last_four, fixture_input(item, "logits_strong"));
    put_rows(table_of(&b, 0), first_four, fixture_input(item, "q"));
    b.learner->epoch = 4;
    const cru_batch batch = batch_with_views(&b, first_four, last_four);
    bench_check_number(&b, loss_of(&b, &batch), fixture_expected(item, "loss")->valuedouble);
    const float *gradient = cru_weight_grad(bench_weight(&b, "classifier.weight"));
    check_rows(&b, gradient, first_four, fixture_expected(item, "grad_weak"));
    check_rows(&b, gradient, last_four, fixture_expected(item, "grad_strong"));
    bench_destroy(&b);
    cJSON_Delete(sets);
    cJSON_Delete(root);
}
END_TEST

START_TEST(crdpll_confidence_of_two_views)
{
    static const int32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    cJSON *root = fixture_open("pll/crdpll.json");
    const cJSON *item = fixture_case(root, "confidence_update");
    bench b = bench_create();
    open_given_logits(&b, "crdpll", fixture_input(item, "S"), NULL);
    put_rows(bench_weight(&b, "classifier.weight"), batch_rows, fixture_input(item, "logits_weak"));
    put_rows(bench_weight(&b, "classifier.weight"), other_rows, fixture_input(item, "logits_strong"));
    put_rows(table_of(&b, 0), all, fixture_input(item, "q_before"));
    const cru_batch batch = batch_with_views(&b, batch_rows, other_rows);
    cru_tape_record(b.learner->tape, false);
    b.learner->method->after_step(b.learner, b.learner->model, b.learner->tape, &batch);
    check_rows(&b, table_of(&b, 0)->data, all, fixture_expected(item, "q_after"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(fredis_loss)
{
    cJSON *root = fixture_open("pll/fredis.json");
    const cJSON *item = fixture_case(root, "loss");
    bench b = bench_create();
    open_given_logits(&b, "fredis", fixture_input(item, "S"), NULL);
    put_rows(bench_weight(&b, "classifier.weight"), first_four, fixture_input(item, "logits"));
    put_rows(table_of(&b, 0), first_four, fixture_input(item, "q"));
    const cru_batch batch = batch_with_views(&b, first_four, NULL);
    bench_check_number(&b, loss_of(&b, &batch), fixture_expected(item, "loss")->valuedouble);
    bench_check_gradient(&b, "classifier.weight", fixture_expected(item, "grad_logits"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Warm-up: L_f and the slopes of L_f and L_g. Later, at full ramp: L_f + L_fg + C_f and its slope. */
/* The losses of given tables, and the tables after a step whose network is given. */
static const struct {
    const char *method, *before, *after, *in_loss;
} tables[] = {
    {"proden", "q_before", "q_after", "q"}, {"cavl", "q_before", "q_after", "q"}, {"lws", "w_before", "w_after", "w"}};

START_TEST(losses_of_given_tables)
{
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", tables[_i].method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, "loss");
    bench b = bench_create();
    open_given_logits(&b, tables[_i].method, fixture_input(item, "S"), NULL);
    put_rows(bench_weight(&b, "classifier.weight"), first_four, fixture_input(item, "logits"));
    put_rows(table_of(&b, 0), first_four, fixture_input(item, tables[_i].in_loss));
    const cru_batch batch = batch_with_views(&b, first_four, NULL);
    bench_check_number(&b, loss_of(&b, &batch), fixture_expected(item, "loss")->valuedouble);
    bench_check_gradient(&b, "classifier.weight", fixture_expected(item, "grad_logits"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(tables_after_a_step)
{
    static const int32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", tables[_i].method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, _i == 2 ? "weight_update" : "confidence_update");
    bench b = bench_create();
    open_given_logits(&b, tables[_i].method, fixture_input(item, "S"), NULL);
    put_rows(bench_weight(&b, "classifier.weight"), batch_rows, fixture_input(item, "post_step_logits"));
    put_rows(table_of(&b, 0), all, fixture_input(item, tables[_i].before));
    const cru_batch batch = batch_with_views(&b, batch_rows, NULL);
    cru_tape_record(b.learner->tape, false);
    b.learner->method->after_step(b.learner, b.learner->model, b.learner->tape, &batch);
    check_rows(&b, table_of(&b, 0)->data, all, fixture_expected(item, tables[_i].after));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(idgp_terms)
{
    static double slope[3][BENCH_MOST];
    cJSON *root = fixture_open("pll/idgp.json");
    const cJSON *f = fixture_case(root, "L_fg"), *g = fixture_case(root, "L_g");
    bench b = bench_create();
    open_given_logits(&b, "idgp", fixture_input(f, "S"), (const char *[]){"steps", "20", NULL});
    set_unit(&b, "1:backbone.fc1.weight");
    set_zero(&b, "1:backbone.fc1.bias");
    set_zero(&b, "1:classifier.bias");
    for (int joint = 0; joint < 2; joint++) {
        put_rows(bench_weight(&b, "0:classifier.weight"), first_four, fixture_input(f, "logits"));
        put_rows(bench_weight(&b, "1:classifier.weight"), first_four, fixture_input(f, "logits_g"));
        put_rows(table_of(&b, 0), first_four, fixture_input(f, "d"));
        put_rows(table_of(&b, 1), first_four, fixture_input(g, "b"));
        b.learner->epoch = joint ? 1000 : 0;
        const cru_batch batch = batch_with_views(&b, first_four, NULL);
        const double more = joint ? number_of(root, "L_fg") + number_of(root, "C_f") : 0;
        bench_check_number(&b, loss_of(&b, &batch), number_of(root, "L_f") + more);
        if (!joint) bench_check_gradient(&b, "1:classifier.weight", fixture_expected(g, "grad_logits"), AS_STORED);
        const int64_t count = fixture_numbers(fixture_expected(f, "grad_logits"), slope[0]);
        fixture_numbers(fixture_expected(fixture_case(root, "L_f"), "grad_logits"), slope[1]);
        fixture_numbers(fixture_expected(fixture_case(root, "C_f"), "grad_logits"), slope[2]);
        const float *gradient = cru_weight_grad(bench_weight(&b, "0:classifier.weight"));
        for (int64_t i = 0; i < count; i++)
            bench_check_number(&b, (double)gradient[i], slope[1][i] + (joint ? slope[0][i] + slope[2][i] : 0));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* lambda is t / 4 up to 1: from t = 2 to t = 4 the slope of g grows by half that of C_g. */
START_TEST(idgp_adds_the_divergence_of_g_bit_by_bit)
{
    static double slope[2][BENCH_MOST], expected[BENCH_MOST];
    cJSON *root = fixture_open("pll/idgp.json");
    const cJSON *item = fixture_case(root, "C_g");
    bench b = bench_create();
    open_given_logits(&b, "idgp", fixture_input(item, "S"), (const char *[]){"steps", "20", NULL});
    set_unit(&b, "1:backbone.fc1.weight");
    set_zero(&b, "1:backbone.fc1.bias");
    set_zero(&b, "1:classifier.bias");
    put_rows(bench_weight(&b, "1:classifier.weight"), first_four, fixture_input(item, "logits_g"));
    const int64_t count = fixture_numbers(fixture_expected(item, "grad_logits"), expected);
    cru_tensor *d = table_of(&b, 0), *start = cru_tensor_create_filled(b.ctx, cru_shape_of(d), 0);
    memcpy(start->data, d->data, (size_t)count * sizeof(float));
    for (int later = 0; later < 2; later++) {
        memcpy(d->data, start->data, (size_t)count * sizeof(float));
        put_rows(table_of(&b, 1), first_four, fixture_input(item, "b"));
        b.learner->epoch = later ? 4 : 2;
        const cru_batch batch = batch_with_views(&b, first_four, NULL);
        loss_of(&b, &batch);
        const float *gradient = cru_weight_grad(bench_weight(&b, "1:classifier.weight"));
        for (int64_t i = 0; i < count; i++) slope[later][i] = (double)gradient[i];
    }
    for (int64_t i = 0; i < count; i++) bench_check_number(&b, slope[1][i] - slope[0][i], expected[i] / 2);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* -(1/4) sum_i sum_k q_ik log softmax(z_i)_k, of table rows */
static double cross_entropy(const cJSON *table, const cJSON *logits)
{
    static double z[BENCH_MOST];
    double loss = 0;
    const int64_t cols = fixture_numbers(logits, z) / 4;
    for (int64_t i = 0; i < 4; i++) {
        double q[16], sum = 0;
        fixture_numbers(cJSON_GetArrayItem(table, batch_rows[i]), q);
        for (int64_t k = 0; k < cols; k++) sum += exp(z[i * cols + k]);
        for (int64_t k = 0; k < cols; k++) loss -= q[k] * (z[i * cols + k] - log(sum));
    }
    return loss / 4;
}

/* The case tells the sets of its four rows, the trajectory those of all eight. */
START_TEST(able_contrast_and_confidence)
{
    static const int32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7}, weak_then_strong[] = {0, 3, 4, 6, 1, 2, 5, 7};
    cJSON *root = fixture_open("pll/able.json");
    const cJSON *item = fixture_case(root, _i ? "contrastive_corrected" : "contrastive_reference");
    const cJSON *q = fixture_input(item, "q"), *logits = fixture_input(item, "logits_weak");
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    open_given_logits(&b, "able", fixture_input(fixture_case(root, "trajectory"), "S"),
                      (const char *[]){"same_views", "true", "feat_dim", "3", "temperature", "0.1", "variant",
                                       _i ? "paper" : "bench", NULL});
    put_rows(bench_weight(&b, "classifier.weight"), batch_rows, logits);
    set_unit(&b, "head.0.weight");
    set_zero(&b, "head.0.bias");
    set_zero(&b, "head.2.bias");
    put_rows(bench_weight(&b, "head.2.weight"), weak_then_strong, fixture_input(item, "features_weak_then_strong"));
    put_rows(table_of(&b, 0), all, q);
    const cru_batch batch = batch_with_views(&b, batch_rows, other_rows);
    const double contrast = fixture_expected(item, "loss_con")->valuedouble;
    bench_check_number(&b, loss_of(&b, &batch), cross_entropy(q, logits) + contrast);
    check_rows(&b, table_of(&b, 0)->data, batch_rows, fixture_expected(item, "new_confidence_rows"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* They are what the teacher puts into the queue. */
START_TEST(dirk_rectified_confidence)
{
    cJSON *root = fixture_open("pll/dirk.json");
    const cJSON *item = fixture_case(root, _i ? "rectified_confidence_full_set" : "rectified_confidence");
    bench b = bench_create();
    open_given_logits(&b, "dirk", fixture_input(item, "S"),
                      (const char *[]){"same_views", "true", "moco_queue", "8", "batch_size", "4", NULL});
    set_unit(&b, "1:backbone.fc1.weight");
    set_zero(&b, "1:backbone.fc1.bias");
    set_zero(&b, "1:classifier.bias");
    cru_tensor *z = bench_weight(&b, "1:classifier.weight");
    put_rows(z, first_four, fixture_input(item, "u"));
    for (int64_t i = 0; i < cru_tensor_count(z); i++) z->data[i] = logf(z->data[i]);
    const cru_batch batch = batch_with_views(&b, first_four, NULL);
    loss_of(&b, &batch);
    cru_tape_record(b.learner->tape, false);
    b.learner->method->after_step(b.learner, b.learner->model, b.learner->tape, &batch);
    check_rows(&b, bench_weight(&b, "queue_dist")->data, first_four, fixture_expected(item, "r"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- what vectors and prototypes decide: X = I and an identity as projection, so that the last matrix holds vectors
 * - */

static void open_vectors(bench *b, const char *method, const cJSON *sets, const char *const *settings)
{
    open_given_logits(b, method, sets, settings);
    set_zero(b, "0:classifier.weight");
    set_unit(b, "0:head.0.weight");
    set_zero(b, "0:head.0.bias");
    set_zero(b, "0:head.2.weight");
    set_zero(b, "0:head.2.bias");
}

/* The vectors of the batch are the unit vectors, and prototype k has at i the logarithm of score_ik: v mu' are
 * those. */
static void set_scores(const bench *b, const double *score, int64_t classes)
{
    set_zero(b, "0:head.2.weight");
    cru_tensor *v = bench_weight(b, "0:head.2.weight"), *mu = bench_weight(b, "prototypes");
    for (int i = 0; i < 4; i++) {
        v->data[batch_rows[i] * 4 + i] = 1;
        for (int64_t k = 0; k < classes; k++) mu->data[k * 4 + i] = (float)log(score[i * classes + k]);
    }
}

/* The targets of the batch, which the classifier's gradient tells: its scores are 0, so that it is (1/K - q) / B. */
static void read_targets(bench *b, const int32_t *rows, int64_t step, double *q)
{
    const int64_t classes = b->task.classes;
    b->learner->epoch = step;
    const cru_batch batch = batch_with_views(b, rows, NULL);
    loss_of(b, &batch);
    const float *gradient = cru_weight_grad(bench_weight(b, "0:classifier.weight"));
    for (int64_t i = 0; i < 4 * classes; i++)
        q[i] = 1 / (double)classes - 4 * (double)gradient[rows[i / classes] * classes + i % classes];
}

/* The fixture's table before is another; both give q_after = phi q_before + (1 - phi) onehot, with the same label. */
START_TEST(prototypes_decide_what_is_meant)
{
    static double score[BENCH_MOST], before[BENCH_MOST], after[BENCH_MOST], q[2][16], clear[16];
    cJSON *root = fixture_open(_i ? "pll/alim.json" : "pll/pico.json");
    const cJSON *item = fixture_case(root, "confidence_update");
    const double phi = fixture_input(item, "phi")->valuedouble;
    const int64_t classes = 4;
    bench b = bench_create();
    memset(&frozen, 0, sizeof frozen);
    const char *const alim[] = {VECTORS, "variant",    "paper", "start_epoch", "0", "loss_weight_mixup",
                                "0",     "noise_rate", "0",     NULL};
    open_vectors(&b, _i ? "alim" : "pico", fixture_input(item, "S"), _i ? alim : (const char *[]){VECTORS, NULL});
    fixture_numbers(fixture_input(item, "confidence_before"), before);
    fixture_numbers(fixture_expected(item, "confidence_after"), after);
    for (int64_t i = 0; i < 4 * classes; i++)
        clear[i] = b.data->candidates[batch_rows[i / classes] * classes + i % classes] && _i
                       ? fixture_input(item, "prior_lambda")->valuedouble
                       : 1;
    for (int64_t step = 0; step < 2; step++) { /* alim: margins of lambda in a pass of two steps */
        set_scores(&b, clear, classes);
        read_targets(&b, batch_rows, step, q[0]);
    }
    fixture_numbers(fixture_input(item, "proto_scores"), score);
    set_scores(&b, score, classes);
    read_targets(&b, batch_rows, 2, q[1]);
    for (int64_t i = 0; i < 4 * classes; i++) {
        const int64_t at = batch_rows[i / classes] * classes + i % classes;
        bench_check_number(&b, q[1][i] - phi * q[0][i], after[at] - phi * before[at]);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* u of which r is the rectified confidence: alpha is the mass of r on the candidates, and A = max(comp) (1 - alpha) /
 * (alpha min(part)). Without mass outside u = r. */
static void unrectify(const double *r, const double *set, double *u)
{
    double alpha = 0, most = 0, least = 1;
    for (int k = 0; k < 4; k++) alpha += r[k] * set[k];
    for (int k = 0; k < 4; k++) {
        if (set[k] != 0)
            least = fmin(least, r[k] / alpha);
        else
            most = fmax(most, r[k] / (1 - alpha));
    }
    const double a = most * (1 - alpha) / (alpha * least);
    for (int k = 0; k < 4; k++) u[k] = set[k] != 0 ? a * r[k] / alpha : (1 - a) * r[k] / (1 - alpha);
}

static const int32_t queue_rows[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The student's gradient lies on the sphere of unit vectors: g - <g, v> v of the fixture's. */
START_TEST(dirk_contrast_weighed_by_likeness)
{
    static double dist[64], sets[64], slope[16], vector[16], u[4];
    cJSON *root = fixture_open("pll/dirk.json");
    const cJSON *item = fixture_case(root, "weighted_contrastive");
    cJSON *eight = cJSON_CreateArray(), *late_dist = cJSON_CreateArray(), *late_sets = cJSON_CreateArray();
    for (int i = 0; i < 16; i++) {
        const cJSON *d = cJSON_GetArrayItem(fixture_input(item, "dist"), i),
                    *c = cJSON_GetArrayItem(fixture_input(item, "candidates"), i);
        if (i < 8) cJSON_AddItemToArray(eight, cJSON_Duplicate(c, true));
        if (i >= 8) cJSON_AddItemToArray(late_dist, cJSON_Duplicate(d, true));
        if (i >= 8) cJSON_AddItemToArray(late_sets, cJSON_Duplicate(c, true));
    }
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    open_vectors(&b, "dirk", eight,
                 (const char *[]){"same_views", "true", "batch_size", "4", "moco_queue", "8", "feat_dim", "3",
                                  "prot_start", "0", "feat_temperature", "0.1", "dist_temperature", "0.4", NULL});
    set_unit(&b, "1:backbone.fc1.weight"), set_zero(&b, "1:backbone.fc1.bias"), set_zero(&b, "1:classifier.bias");
    set_unit(&b, "1:head.0.weight"), set_zero(&b, "1:head.0.bias"), set_zero(&b, "1:head.2.bias");
    put_rows(bench_weight(&b, "0:head.2.weight"), last_four, fixture_input(item, "student"));
    put_rows(bench_weight(&b, "1:head.2.weight"), first_four, fixture_input(item, "teacher"));
    put_rows(bench_weight(&b, "queue"), queue_rows, fixture_input(item, "queue"));
    put_rows(bench_weight(&b, "queue_dist"), queue_rows, late_dist);
    put_rows(bench_weight(&b, "queue_candidates"), queue_rows, late_sets);
    fixture_numbers(fixture_input(item, "dist"), dist);
    fixture_numbers(fixture_input(item, "candidates"), sets);
    for (int i = 0; i < 4; i++) {
        unrectify(dist + 4 * i, sets + 4 * i, u);
        for (int k = 0; k < 4; k++) bench_weight(&b, "1:classifier.weight")->data[4 * i + k] = (float)log(u[k]);
    }
    const cru_batch batch = batch_with_views(&b, first_four, last_four);
    bench_check_number(&b, loss_of(&b, &batch), log(4) + fixture_expected(item, "loss")->valuedouble);
    fixture_numbers(fixture_expected(item, "grad_q"), slope);
    fixture_numbers(fixture_input(item, "student"), vector);
    const float *gradient = cru_weight_grad(bench_weight(&b, "0:head.2.weight"));
    for (int i = 0; i < 4; i++) {
        double along = 0;
        for (int j = 3 * i; j < 3 * i + 3; j++) along += slope[j] * vector[j];
        for (int j = 3 * i; j < 3 * i + 3; j++)
            bench_check_number(&b, (double)gradient[12 + j], slope[j] - along * vector[j]);
    }
    bench_destroy(&b);
    cJSON_Delete(eight), cJSON_Delete(late_dist), cJSON_Delete(late_sets);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels: terms");
    TCase *t = tcase_create("fixtures");
    tcase_add_test(t, crdpll_loss_of_two_views);
    tcase_add_test(t, crdpll_confidence_of_two_views);
    tcase_add_test(t, fredis_loss);
    tcase_add_loop_test(t, losses_of_given_tables, 0, 3);
    tcase_add_loop_test(t, tables_after_a_step, 0, 3);
    tcase_add_test(t, idgp_terms);
    tcase_add_test(t, idgp_adds_the_divergence_of_g_bit_by_bit);
    tcase_add_loop_test(t, able_contrast_and_confidence, 0, 2);
    tcase_add_loop_test(t, dirk_rectified_confidence, 0, 2);
    tcase_add_loop_test(t, prototypes_decide_what_is_meant, 0, 2);
    tcase_add_test(t, dirk_contrast_weighed_by_likeness);
    suite_add_tcase(s, t);
    return s;
}
