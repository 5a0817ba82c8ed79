/* Methods against imbalance among nodes: against the numbers of the study's code. */
#include "methods/method-bench.h"

static bench on_graph(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    return b;
}

/* A tensor of the step with the fixture's numbers, whose gradient can be asked for. */
static cru_tensor *upload(const bench *b, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(b->learner->tape, 2, (const int64_t[]){n, count / n}, values);
    cru_tensor_watch(x);
    return x;
}

START_TEST(renode_weighs_nodes_by_conflict)
{
    cJSON *root = fixture_open("igl/renode.json");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "renode", (const char *[]){NULL});
    cru_tape_begin(b.learner->tape, CRU_TRAIN);
    cru_tensor *z = upload(&b, fixture_input(item, "logits"));
    b.loss = b.learner->method->loss(b.learner, b.learner->tape, z);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    cru_backward(b.learner->tape, b.loss);
    bench_check(&b, cru_grad_of(b.learner->tape, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* One labelled node has no rank to speak of: it has the full weight, 0.5 + 1. */
START_TEST(renode_with_one_labelled_node)
{
    cJSON *root = fixture_open("igl/renode.json"), *train = cJSON_Parse("[3]");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_labels(&b, fixture_input(item, "labels"), train);
    bench_open(&b, "renode", (const char *[]){"dropout", "0", NULL});
    bench_run(&b);
    const cru_tensor *plain = cru_learner_loss(b.learner, b.learner->tape, b.logits);
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss),
                       1.5 * (double)cru_tensor_item(b.learner->tape, plain));
    bench_destroy(&b);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance methods on nodes");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, renode_weighs_nodes_by_conflict);
    tcase_add_test(c, renode_with_one_labelled_node);
    suite_add_tcase(s, c);
    return s;
}
