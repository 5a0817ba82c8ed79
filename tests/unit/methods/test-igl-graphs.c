/* Methods against imbalance among graphs: against the numbers of the study's code. */
#include "methods/method-bench.h"
#include "pattern-memory.h"

static cru_tensor *upload(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, 2, (const int64_t[]){n, count / n}, values);
    cru_tensor_watch(x);
    return x;
}

/* The gradients are those of relevance + lbd dissimilarity. */
START_TEST(solt_gnn_recalls_patterns)
{
    cJSON *root = fixture_open("igl/solt-gnn.json");
    const cJSON *item = fixture_case(root, "memory");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *q = upload(t, fixture_input(item, "q"));
    const pattern_memory memory = {.know = upload(t, fixture_input(item, "know")),
                                   .m = upload(t, fixture_input(item, "M")),
                                   .eta = upload(t, fixture_input(item, "Eta")),
                                   .w_gamma = cru_transposed(t, upload(t, fixture_input(item, "Wgama"))),
                                   .w_beta = cru_transposed(t, upload(t, fixture_input(item, "Wbeta"))),
                                   .u_gamma = upload(t, fixture_input(item, "Ugama")),
                                   .u_beta = upload(t, fixture_input(item, "Ubeta"))};
    cru_tensor *p = pattern_memory_recall(t, &memory, q);
    bench_check(&b, p, fixture_expected(item, "pattern"));
    cru_tensor *relevance =
        pattern_relevance(t, p, upload(t, fixture_input(item, "pos")), upload(t, fixture_input(item, "neg")));
    bench_check_number(&b, (double)cru_tensor_item(t, relevance), fixture_expected(item, "relevance")->valuedouble);
    cru_tensor *alike = cru_mean(t, cru_cosine_rows(t, q, p, 1e-7f), CRU_ALL);
    bench_check_number(&b, (double)cru_tensor_item(t, alike), fixture_expected(item, "dissim")->valuedouble);
    const float weight = (float)fixture_input(item, "lbd")->valuedouble;
    cru_backward(t, cru_add(t, relevance, cru_scale(t, alike, weight)));
    bench_check(&b, cru_grad_of(t, q), fixture_expected(item, "dq"));
    bench_check(&b, cru_grad_of(t, memory.know), fixture_expected(item, "dknow"));
    bench_check(&b, cru_grad_of(t, memory.m), fixture_expected(item, "dM"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Three rings of 5, 4 and 3 nodes, two of which are heads. */
static void open_rings(bench *b, const char *heads)
{
    cJSON *graph = cJSON_Parse("{\"n\": 12, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [5, 6], [6, 7], [7, 8],"
                               " [8, 5], [9, 10], [10, 11], [11, 9]]}");
    cJSON *of = cJSON_Parse("[0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]"), *labels = cJSON_Parse("[0, 1, 0]");
    cJSON *train = cJSON_Parse("[0, 1, 2]");
    bench_graph(b, graph);
    bench_identity_features(b);
    bench_split_graphs(b, of);
    bench_labels(b, labels, train);
    bench_open(b, "solt-gnn", (const char *[]){"heads", heads, "dropout", "0", "hidden", "4", "memory", "3", NULL});
    cJSON_Delete(graph);
    cJSON_Delete(of);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}

START_TEST(solt_gnn_passes_over_a_batch_without_two_heads_and_a_tail)
{
    static const char *const heads[] = {"1", "3"};
    double loss = 0;
    bench b = bench_create(); /* the learner keeps the address of its task */
    open_rings(&b, heads[_i]);
    const cru_tensor *w = bench_weight(&b, "out.weight");
    const float before = w->data[0];
    ck_assert_int_eq(b.learner->method->epoch(b.learner, &loss), CRU_OK);
    ck_assert_double_nan(loss);
    ck_assert_float_eq(w->data[0], before);
    bench_destroy(&b);
}
END_TEST

START_TEST(solt_gnn_trains_network_and_memory)
{
    double loss = NAN;
    bench b = bench_create();
    open_rings(&b, "2");
    const cru_tensor *w = bench_weight(&b, "out.weight"), *know = bench_weight(&b, "memory.know");
    const float before[] = {w->data[0], know->data[0]};
    ck_assert_int_eq(b.learner->method->epoch(b.learner, &loss), CRU_OK);
    ck_assert(isfinite(loss));
    ck_assert_float_ne(w->data[0], before[0]);
    ck_assert_float_ne(know->data[0], before[1]);
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance methods on graphs");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, solt_gnn_recalls_patterns);
    tcase_add_loop_test(c, solt_gnn_passes_over_a_batch_without_two_heads_and_a_tail, 0, 2);
    tcase_add_test(c, solt_gnn_trains_network_and_memory);
    suite_add_tcase(s, c);
    return s;
}
