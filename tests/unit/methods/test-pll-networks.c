// SPDX-License-Identifier: Apache-2.0
/* Partial labels: methods with several networks, views or queues against whole trajectories of the study's code. What a
 * method keeps is seen through the losses and weights of the steps that follow. */
#include <crucible/draft/minibatch.h>
#include <crucible/draft/tensor.h>

#include "methods/pll-bench.h"

enum { MOST_SETTINGS = 32 };

typedef struct network_case {
    const char *method, *name;
    const pair *weights;
    const char *settings[MOST_SETTINGS];
} network_case;

static const pair two_networks[] = {
    {"featurizer_f.fc1.weight", "0:backbone.fc1.weight"},
    {"featurizer_f.fc1.bias", "0:backbone.fc1.bias"},
    {"classifier_f.weight", "0:classifier.weight"},
    {"classifier_f.bias", "0:classifier.bias"},
    {"featurizer_g.fc1.weight", "1:backbone.fc1.weight"},
    {"featurizer_g.fc1.bias", "1:backbone.fc1.bias"},
    {"classifier_g.weight", "1:classifier.weight"},
    {"classifier_g.bias", "1:classifier.bias"},
    {NULL, NULL},
};

static const pair one_encoder[] = {
    {"network.encoder.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"network.encoder.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"network.encoder.classifier.weight", "0:classifier.weight"},
    {"network.encoder.classifier.bias", "0:classifier.bias"},
    {"network.encoder.head.0.weight", "0:head.0.weight"},
    {"network.encoder.head.0.bias", "0:head.0.bias"},
    {"network.encoder.head.2.weight", "0:head.2.weight"},
    {"network.encoder.head.2.bias", "0:head.2.bias"},
    {NULL, NULL},
};

static const pair student_and_teacher[] = {
    {"stu.encoder.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"stu.encoder.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"stu.encoder.classifier.weight", "0:classifier.weight"},
    {"stu.encoder.classifier.bias", "0:classifier.bias"},
    {"stu.encoder.head.0.weight", "0:head.0.weight"},
    {"stu.encoder.head.0.bias", "0:head.0.bias"},
    {"stu.encoder.head.2.weight", "0:head.2.weight"},
    {"stu.encoder.head.2.bias", "0:head.2.bias"},
    {"tea.encoder.featurizer.fc1.weight", "1:backbone.fc1.weight"},
    {"tea.encoder.featurizer.fc1.bias", "1:backbone.fc1.bias"},
    {"tea.encoder.classifier.weight", "1:classifier.weight"},
    {"tea.encoder.classifier.bias", "1:classifier.bias"},
    {"tea.encoder.head.0.weight", "1:head.0.weight"},
    {"tea.encoder.head.0.bias", "1:head.0.bias"},
    {"tea.encoder.head.2.weight", "1:head.2.weight"},
    {"tea.encoder.head.2.bias", "1:head.2.bias"},
    {NULL, NULL},
};

/* ---- the SDK's random numbers are replaced by those of the fixtures ------------------------------------------- */

/* fredis: the last k of the list, backwards. */
void cru_rng_choose(cru_rng *rng, int64_t n, int64_t k, int32_t *out)
{
    (void)rng;
    for (int64_t i = 0; i < k; i++) out[i] = (int32_t)(n - 1 - i);
}

/* alim and pico-plus: Beta draws, permutations and second batches in the order of the fixture's lists; without a fixture
 * 0.5, the identity and the first rows. */
static struct {
    const cJSON *item;
    int betas, permutations, batches;
} frozen;

static const cJSON *next_frozen(const char *list, int *at)
{
    const cJSON *value = cJSON_GetArrayItem(fixture_input(frozen.item, list), (*at)++);
    ck_assert_msg(value != NULL, "the fixture has no more %s", list);
    return value;
}

double cru_rng_beta(cru_rng *rng, double a, double b)
{
    (void)rng;
    ck_assert_double_eq(a, 4);
    ck_assert_double_eq(b, 4);
    if (!frozen.item) return 0.5;
    return next_frozen("beta_draws", &frozen.betas)->valuedouble;
}

void cru_rng_permutation(cru_rng *rng, int32_t *out, int64_t n)
{
    (void)rng;
    const cJSON *order = frozen.item ? next_frozen("permutations", &frozen.permutations) : NULL;
    for (int i = 0; i < n; i++) out[i] = order ? cJSON_GetArrayItem(order, i)->valueint : i;
}

cru_ids cru_batches_next(cru_batches *batches)
{
    const cJSON *rows = frozen.item ? next_frozen("second_batch_rows", &frozen.batches) : NULL;
    for (int i = 0; rows && i < batches->size; i++) batches->order[i] = cJSON_GetArrayItem(rows, i)->valueint;
    return (cru_ids){batches->order, batches->size};
}

/* ---- one step with the fixture's views ------------------------------------------------------------------------ */

static cru_input view_of(cru_learner *l, const int32_t *ids, int64_t count, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    const int64_t cols = l->x.cols;
    float *view = cru_tape_alloc(l->tape, count * cols, sizeof *view);
    fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count * cols; i++) view[i] = (float)numbers[ids[i / cols] * cols + i % cols];
    return cru_input_of(cru_tensor_upload(l->tape, cru_2d(count, cols), view));
}

static double step_with_views(bench *b, const cJSON *item, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    cru_learner *l = b->learner;
    const int64_t count = fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)numbers[i];
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_batch batch = cru_learner_batch(l, (cru_ids){ids, count});
    batch.strong = view_of(l, ids, count, fixture_input(item, "X_strong"));
    batch.distill = view_of(l, ids, count, fixture_input(item, "X_distill"));
    const double loss = cru_learner_step(l, l->optim, l->method->batch_loss(l, l->model, l->tape, &batch));
    cru_tape_record(l->tape, false);
    if (l->method->after_step) l->method->after_step(l, l->model, l->tape, &batch);
    l->epoch++;
    return loss;
}

/* clang-format off */
#define MOMENTUM "same_views", "true", "steps", "20", "prot_start", "1", "feat_dim", "3", "moco_queue", "8", "moco_m", "0.9", "proto_m", "0.9"
#define PICO_PLUS MOMENTUM, "pure_ratio", "0.75", "knn_start", "2", "chosen_neighbors", "3", "temperature_guess", "0.1"
#define ALIM MOMENTUM, "start_epoch", "1", "noise_rate", "0.3"
#define VECTORS "same_views", "true", "batch_size", "4", "prot_start", "2", "feat_dim", "4", "moco_queue", "8", "loss_weight", "0", "conf_ema_start", "0.9", "conf_ema_end", "0.9"
/* clang-format on */

static const network_case cases[] = {
    {"crdpll", "trajectory", perceptron, {"steps", "20"}},
    {"idgp", "trajectory", two_networks, {"steps", "20", "warm_up_epoch", "1"}},
    {"fredis",
     "trajectory_reference",
     perceptron,
     {"theta", "0.05", "inc", "0.01", "delta", "0.6", "dec", "0.01", "times", "1", "change_size", "3",
      "update_interval", "1"}},
    {"able", "trajectory", one_encoder, {"same_views", "true", "feat_dim", "3", "temperature", "0.1"}},
    {"dirk",
     "trajectory",
     student_and_teacher,
     {"same_views", "true", "momentum", "0.9", "moco_queue", "8", "feat_dim", "3", "prot_start", "1", "weight", "0.7",
      "feat_temperature", "0.1"}},
    {"pico-plus", "trajectory_reference", query_and_key, {PICO_PLUS, "variant", "bench"}},
    {"pico-plus", "trajectory_corrected", query_and_key, {PICO_PLUS, "variant", "paper"}},
    {"alim", "trajectory_reference", query_and_key, {ALIM, "variant", "bench"}},
    {"alim", "trajectory_corrected", query_and_key, {ALIM, "variant", "paper"}},
};

static const pair queues[] = {
    {"queue", "queue"},           {"queue_feat", "queue"},
    {"queue_dist", "queue_dist"}, {"queue_candidates", "queue_candidates"},
    {"prototypes", "prototypes"}, {NULL, NULL},
};

/* After a step, those that the fixture tells; before the first (NULL) they are set. */
static void check_queues(const bench *b, const cJSON *item, const cJSON *step)
{
    char initial[100];
    for (const pair *p = queues; p->theirs; p++) {
        snprintf(initial, sizeof initial, "initial_%s", p->theirs);
        const cJSON *start = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), initial);
        const cJSON *now = cJSON_GetObjectItem(step, p->theirs);
        if (!step && start) bench_set(b, p->ours, start, AS_STORED);
        if (step && now) bench_check_weight(b, p->ours, now, AS_STORED);
    }
}

START_TEST(whole_trajectories)
{
    const network_case *c = &cases[_i];
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", c->method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, c->name), *step;
    bench b = bench_create();
    memset(&frozen, 0, sizeof frozen);
    frozen.item = item;
    open_trajectory(&b, item, c->method, c->settings);
    set_weights(&b, fixture_input(item, "initial_params"), c->weights);
    check_queues(&b, item, NULL);
    cJSON_ArrayForEach(step, fixture_expected(item, "steps"))
    {
        const double loss = step_with_views(&b, item, cJSON_GetObjectItem(step, "batch_rows"));
        bench_check_number(&b, loss, cJSON_GetObjectItem(step, "loss")->valuedouble);
        check_queues(&b, item, step);
    }
    check_weights(&b, fixture_expected(item, "final_params"), c->weights);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

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

static void set_zero(const bench *b, const char *name)
{
    cru_tensor *w = bench_weight(b, name);
    memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
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

/* ---- what vectors and prototypes decide: X = I and an identity as projection, so that the last matrix holds vectors - */

static void open_vectors(bench *b, const char *method, const cJSON *sets, const char *const *settings)
{
    open_given_logits(b, method, sets, settings);
    set_zero(b, "0:classifier.weight");
    set_unit(b, "0:head.0.weight");
    set_zero(b, "0:head.0.bias");
    set_zero(b, "0:head.2.weight");
    set_zero(b, "0:head.2.bias");
}

/* The vectors of the batch are the unit vectors, and prototype k has at i the logarithm of score_ik: v mu' are those. */
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

/* u of which r is the rectified confidence: alpha is the mass of r on the candidates, and A = max(comp) (1 - alpha) / (alpha
 * min(part)). Without mass outside u = r. */
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

/* ---- images: how often a step moves the running statistics of the network that predicts, as the pages count the passes
 * of the study's code -------------------------------------------------------------------------------------------- */

typedef struct moving_case {
    const char *method;
    int passes;
    const char *settings[MOST_SETTINGS];
} moving_case;

static const moving_case moving[] = {
    {"cc", 1, {NULL}},
    {"proden", 2, {NULL}},
    {"cavl", 2, {NULL}},
    {"pop", 2, {NULL}},
    {"lws", 2, {NULL}},
    {"idgp", 1, {NULL}},
    {"valen", 2, {"knn", "2", "warm_up", "2"}},
    {"crdpll", 4, {NULL}},
    {"fredis", 3, {NULL}},
    {"able", 1, {NULL}},
    {"dirk", 2, {"moco_queue", "8"}},
    {"pico", 1, {"moco_queue", "8"}},
    {"pico-plus", 1, {"moco_queue", "8"}},
    {"alim", 2, {"moco_queue", "8"}},
};

enum { IMAGES = 4, SIDE = 8 };

static void open_images(bench *b, const moving_case *c)
{
    enum { SHARED = 8 };
    const char *settings[MOST_SETTINGS] = {"blocks", "1", "width", "2", "batch_size", "4", "lr", "0"};
    cJSON *rows = cJSON_CreateArray(), *sets = cJSON_Parse("[[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]");
    for (int i = 0; i < IMAGES; i++) {
        cJSON *row = cJSON_CreateArray();
        for (int k = 0; k < SIDE * SIDE; k++) cJSON_AddItemToArray(row, cJSON_CreateNumber((i + k) % 3 / 2.0));
        cJSON_AddItemToArray(rows, row);
    }
    for (int i = 0; c->settings[i]; i++) settings[SHARED + i] = c->settings[i];
    bench_candidates(b, rows, sets);
    b->data->x.channels = 1;
    b->data->x.height = b->data->x.width = SIDE;
    bench_open(b, c->method, settings);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
}

/* With a first convolution of zeros the batch variance is 0, so that a pass leaves 0.9 of the running one. */
START_TEST(a_step_moves_the_statistics_of_images)
{
    const moving_case *c = &moving[_i];
    cJSON *batch = cJSON_Parse("[0, 1, 2, 3]");
    bench b = bench_create();
    memset(&frozen, 0, sizeof frozen);
    open_images(&b, c);
    set_zero(&b, "0:backbone.conv1.weight");
    bench_step(&b, batch);
    const cru_tensor *variance = bench_weight(&b, "0:backbone.bn1.running_var");
    for (int64_t k = 0; k < cru_tensor_count(variance); k++)
        ck_assert_double_eq_tol((double)variance->data[k], pow(0.9, c->passes), 1e-6);
    bench_destroy(&b);
    cJSON_Delete(batch);
}
END_TEST

/* ---- no fixture ------------------------------------------------------------------------------------------------ */

#define SMALL_QUEUE "same_views", "true", "moco_queue", "8", "prot_start", "2"
static const network_case diverged[] = {
    {"crdpll", NULL, NULL, {NULL}},
    {"idgp", NULL, NULL, {"warm_up_epoch", "1"}},
    {"fredis", NULL, NULL, {"update_interval", "1"}},
    {"fredis", NULL, NULL, {"update_interval", "1", "variant", "paper", "change_size", "2"}},
    {"able", NULL, NULL, {"same_views", "true"}},
    {"dirk", NULL, NULL, {SMALL_QUEUE}},
    {"pico-plus", NULL, NULL, {SMALL_QUEUE, "variant", "paper", "knn_start", "4", "pure_ratio", "0.5"}},
    {"alim", NULL, NULL, {SMALL_QUEUE, "variant", "paper", "start_epoch", "1"}},
};

/* Through all phases of each method: nothing ends the process, nothing runs for ever. */
START_TEST(steps_of_nan_weights_do_no_harm)
{
    static float scores[BENCH_MOST];
    cJSON *root = fixture_open("pll/idgp.json");
    const cJSON *item = fixture_case(root, "trajectory");
    bench b = bench_create();
    open_trajectory(&b, item, diverged[_i].method, diverged[_i].settings);
    const char *const biases[] = {"0:classifier.bias", "0:backbone.fc1.bias"};
    for (int w = 0; w < 2; w++) {
        cru_tensor *bias = bench_weight(&b, biases[w]);
        for (int64_t k = 0; k < cru_tensor_count(bias); k++) bias->data[k] = NAN;
    }
    for (int s = 0; s < 12; s++) {
        cJSON *rows = cJSON_Parse(s % 2 ? "[0, 1, 2, 3]" : "[4, 5, 6, 7]");
        bench_step(&b, rows);
        cJSON_Delete(rows);
    }
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_DIVERGED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The mean over rows of 10 KL(q || p) - sum over labels outside the set of log(1 - p); q is p within the set, and p the
 * same for all rows. */
static double fredis_loss_of(const double *p, const int sets[4][3])
{
    double loss = 0;
    for (int i = 0; i < 4; i++) {
        double inside = 0;
        for (int k = 0; k < 3; k++) inside += sets[i][k] * p[k];
        for (int k = 0; k < 3; k++) loss -= sets[i][k] ? 10 * p[k] / inside * log(inside) : log(1 - p[k]);
    }
    return loss / 4;
}

/* fredis, variant paper, by the formulas. With weights of 0 and lr = 0, p = (0.6, 0.3, 0.1) by the bias in every row, so g
 * = (0, 0.3, 0.5). One pass is one step, and there is no correction after the first. After the second, theta = 0.1 lets
 * label 0 into rows 0, 1 and 2; beyond delta = 0.45 are the members 2 of rows 1 and 2, and a third must go for the three
 * that came: delta falls below 0.3, and the 1 of row 0 goes, too. With theta = 0 none comes, and rows 1 and 2, which would
 * be empty, get back what they had. */
START_TEST(fredis_puts_the_corrected_sets_in_the_place_of_the_given)
{
    static const double p[] = {0.6, 0.3, 0.1};
    static const int given[4][3] = {{0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
    static const int corrected[4][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    cJSON *x = cJSON_Parse("[[1, 0], [0, 1], [1, 1], [2, 1]]"), *rows = cJSON_Parse("[0, 1, 2, 3]");
    cJSON *sets = cJSON_Parse("[[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]");
    bench b = bench_create();
    bench_candidates(&b, x, sets);
    bench_open(&b, "fredis", (const char *[]){"backbone", "linear",     "lr",
                                              "0",        "batch_size", "4",
                                              "variant",  "paper",      "update_interval",
                                              "1",        "theta",      _i ? "0.1" : "0",
                                              "delta",    "0.45",       "dec",
                                              "0.01",     "times",      "1",
                                              "inc",      "0",          NULL});
    set_zero(&b, "classifier.weight");
    for (int k = 0; k < 3; k++) bench_weight(&b, "classifier.bias")->data[k] = (float)log(p[k]);
    for (int s = 0; s < 4; s++)
        bench_check_number(&b, bench_step(&b, rows), fredis_loss_of(p, _i && s > 1 ? corrected : given));
    bench_destroy(&b);
    cJSON_Delete(x);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels: networks");
    TCase *t = tcase_create("fixtures");
    tcase_add_loop_test(t, whole_trajectories, 0, (int)(sizeof cases / sizeof *cases));
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
    tcase_add_loop_test(t, a_step_moves_the_statistics_of_images, 0, (int)(sizeof moving / sizeof *moving));
    tcase_add_loop_test(t, steps_of_nan_weights_do_no_harm, 0, (int)(sizeof diverged / sizeof *diverged));
    tcase_add_loop_test(t, fredis_puts_the_corrected_sets_in_the_place_of_the_given, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
