// SPDX-License-Identifier: Apache-2.0
/* Partial labels: methods with several networks, views or queues against whole trajectories of the study's code. What a
 * method keeps is seen through the losses and weights of the steps that follow. */
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

static const pair query_and_key[] = {
    {"network.encoder_q.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"network.encoder_q.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"network.encoder_q.classifier.weight", "0:classifier.weight"},
    {"network.encoder_q.classifier.bias", "0:classifier.bias"},
    {"network.encoder_q.head.0.weight", "0:head.0.weight"},
    {"network.encoder_q.head.0.bias", "0:head.0.bias"},
    {"network.encoder_q.head.2.weight", "0:head.2.weight"},
    {"network.encoder_q.head.2.bias", "0:head.2.bias"},
    {"network.encoder_k.featurizer.fc1.weight", "1:backbone.fc1.weight"},
    {"network.encoder_k.featurizer.fc1.bias", "1:backbone.fc1.bias"},
    {"network.encoder_k.classifier.weight", "1:classifier.weight"},
    {"network.encoder_k.classifier.bias", "1:classifier.bias"},
    {"network.encoder_k.head.0.weight", "1:head.0.weight"},
    {"network.encoder_k.head.0.bias", "1:head.0.bias"},
    {"network.encoder_k.head.2.weight", "1:head.2.weight"},
    {"network.encoder_k.head.2.bias", "1:head.2.bias"},
    {NULL, NULL},
};

/* ---- the SDK's random numbers are replaced by those of the fixtures ------------------------------------------- */

/* fredis: the last k of the list, backwards. */
void cru_rng_choose(cru_rng *rng, int64_t n, int64_t k, int32_t *out)
{
    (void)rng;
    for (int64_t i = 0; i < k; i++) out[i] = (int32_t)(n - 1 - i);
}

/* alim and pico-plus: Beta draws, permutations and second batches in the order of the fixture's lists. */
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
    return next_frozen("beta_draws", &frozen.betas)->valuedouble;
}

void cru_rng_permutation(cru_rng *rng, int32_t *out, int64_t n)
{
    (void)rng;
    const cJSON *order = next_frozen("permutations", &frozen.permutations);
    for (int i = 0; i < n; i++) out[i] = cJSON_GetArrayItem(order, i)->valueint;
}

cru_ids cru_batches_next(cru_batches *batches)
{
    const cJSON *rows = next_frozen("second_batch_rows", &frozen.batches);
    for (int i = 0; i < batches->size; i++) batches->order[i] = cJSON_GetArrayItem(rows, i)->valueint;
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

Suite *suite(void)
{
    Suite *s = suite_create("partial labels: networks");
    TCase *t = tcase_create("fixtures");
    tcase_add_loop_test(t, whole_trajectories, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(s, t);
    return s;
}
