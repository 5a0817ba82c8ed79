// SPDX-License-Identifier: Apache-2.0
/* care-gnn against the numbers of the anomaly study's code. */
#include <crucible/draft/tensor.h>
#include <crucible/nn.h>

#include "bandit.h"
#include "methods/method-bench.h"

enum { RELATIONS = 3 };

static bench with_relations(const cJSON *item)
{
    static const char *const names[RELATIONS] = {"r1", "r2", "r3"};
    const cJSON *graph = fixture_input(item, "graph");
    bench b = bench_create();
    b.data->problem = CRU_ANOMALY;
    cru_relation *relations = cru_data_alloc(b.data, RELATIONS, sizeof *relations);
    for (int r = 0; r < RELATIONS; r++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "n", cJSON_Duplicate(cJSON_GetObjectItem(graph, "n"), true));
        const cJSON *edges = cJSON_GetObjectItem(cJSON_GetObjectItem(graph, "relations"), names[r]);
        cJSON_AddItemToObject(one, "edges", cJSON_Duplicate(edges, true));
        bench_graph_as(&b, one, true);
        relations[r] = (cru_relation){names[r], b.data->graph};
        cJSON_Delete(one);
    }
    b.data->graph = cru_graph_merge(cru_data_pool(b.data), relations, RELATIONS, CRU_DUP_FIRST);
    b.data->relations = relations;
    b.data->relation_count = RELATIONS;
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "y"), fixture_input(item, "train_mask"));
    return b;
}

static void open_with_weights(bench *b, const cJSON *item, const char *const *settings)
{
    const cJSON *params = fixture_input(item, "params");
    bench_open(b, "care-gnn", settings);
    bench_set(b, "out.weight", cJSON_GetObjectItem(params, "layers.0.linear.weight"), TRANSPOSED);
    bench_set(b, "out.bias", cJSON_GetObjectItem(params, "layers.0.linear.bias"), AS_STORED);
    bench_set(b, "distance.weight", cJSON_GetObjectItem(params, "layers.0.MLP.weight"), TRANSPOSED);
    bench_set(b, "distance.bias", cJSON_GetObjectItem(params, "layers.0.MLP.bias"), AS_STORED);
    b->learner->method->prepare(b->learner, b->learner->model);
    ck_assert_int_eq(cru_ctx_status(b->ctx), CRU_OK);
}

START_TEST(the_first_epoch_computes_as_the_reference)
{
    cJSON *root = fixture_open("gad/care-gnn.json");
    const cJSON *item = fixture_case(root, "epoch0"), *gradients = fixture_expected(item, "grads");
    bench b = with_relations(item);
    open_with_weights(&b, item, (const char *[]){NULL});
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "out.weight", cJSON_GetObjectItem(gradients, "layers.0.linear.weight"), TRANSPOSED);
    bench_check_gradient(&b, "out.bias", cJSON_GetObjectItem(gradients, "layers.0.linear.bias"), AS_STORED);
    ck_assert_ptr_null(cru_weight_grad(bench_weight(&b, "distance.weight")));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* (x + sum_r p mean over the kept edges) W + b, the kept edges given by their numbers in the relation. */
static double naive_logit(const bench *b, const cJSON *kept, double p, const int64_t where[2])
{
    const cru_features *x = &b->data->x;
    const cru_tensor *w = bench_weight(b, "out.weight"), *bias = bench_weight(b, "out.bias");
    double logit = (double)bias->data[where[1]];
    for (int64_t j = 0; j < x->cols; j++) {
        double s = (double)x->dense[where[0] * x->cols + j];
        for (int r = 0; r < RELATIONS; r++) {
            const cru_csr *g = &b->data->relations[r].graph;
            double sum = 0, count = 0;
            const cJSON *number;
            cJSON_ArrayForEach(number, cJSON_GetObjectItem(kept, b->data->relations[r].name))
            {
                const int64_t e = number->valueint;
                if (e < g->offsets[where[0]] || e >= g->offsets[where[0] + 1]) continue;
                sum += (double)x->dense[g->ids[e] * x->cols + j];
                count++;
            }
            if (count > 0) s += p * sum / count;
        }
        logit += s * (double)w->data[j * 2 + where[1]];
    }
    return logit;
}

START_TEST(first_and_nearest_keep_the_edges_of_the_reference)
{
    static const char *const selections[] = {"first", "nearest"}, *const kept[] = {"kept_coded", "kept_nearest"};
    cJSON *root = fixture_open("gad/care-gnn.json");
    const cJSON *item = fixture_case(root, "epoch0");
    bench b = with_relations(item);
    open_with_weights(&b, item, (const char *[]){"select", selections[_i], NULL});
    bench_run(&b);
    for (int64_t v = 0; v < b.task.items; v++)
        for (int64_t c = 0; c < 2; c++)
            bench_check_number(&b, (double)b.logits->data[2 * v + c],
                               naive_logit(&b, fixture_expected(item, kept[_i]), 0.5, (const int64_t[]){v, c}));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* All edges of all relations, as the reference keeps them when p is 0.98: ceil(0.98 d) = d for these degrees. */
static cJSON *all_edges(const bench *b)
{
    cJSON *all = cJSON_CreateObject();
    for (int r = 0; r < RELATIONS; r++) {
        cJSON *list = cJSON_AddArrayToObject(all, b->data->relations[r].name);
        for (int64_t e = 0; e < cru_csr_nnz(&b->data->relations[r].graph); e++)
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)e));
    }
    return all;
}

START_TEST(shares_follow_the_reference_and_go_back_with_the_weights)
{
    cJSON *root = fixture_open("gad/care-gnn.json");
    const cJSON *item = fixture_case(root, "rl_on_graph"), *trace = fixture_expected(item, "p_after_step");
    bench b = with_relations(item);
    open_with_weights(&b, item, (const char *[]){NULL});
    cru_learner *l = b.learner;
    cru_snapshot *start = cru_snapshot_create(l->net);
    cru_tape_begin(l->tape, CRU_EVAL);
    const float first = l->method->logits(l, l->model, l->tape)->data[0];
    const int last = cJSON_GetArraySize(trace) - 1;
    for (int k = 0; k < last; k++) l->method->after_epoch(l, l->model);
    const double p = cJSON_GetObjectItem(cJSON_GetArrayItem(trace, last), "r1")->valuedouble;
    cJSON *all = all_edges(&b);
    cru_tape_begin(l->tape, CRU_EVAL);
    const cru_tensor *z = l->method->logits(l, l->model, l->tape);
    for (int64_t v = 0; v < b.task.items; v++)
        bench_check_number(&b, (double)z->data[2 * v], naive_logit(&b, all, p, (const int64_t[]){v, 0}));
    cru_snapshot_restore(start);
    cru_tape_begin(l->tape, CRU_EVAL);
    ck_assert_float_eq(l->method->logits(l, l->model, l->tape)->data[0], first);
    cJSON_Delete(all);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_steady_distance_raises_the_share_to_its_limit)
{
    cJSON *root = fixture_open("gad/care-gnn.json");
    const cJSON *trace = fixture_expected(fixture_case(root, "rl_on_graph"), "p_after_step");
    bandit b = {.share = 0.5};
    for (int k = 0; k < cJSON_GetArraySize(trace); k++) {
        ck_assert_double_eq_tol(b.share, cJSON_GetObjectItem(cJSON_GetArrayItem(trace, k), "r1")->valuedouble, 1e-9);
        bandit_step(&b, 1.25, 0.02);
        ck_assert(!b.converged);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(rewards_that_cancel_end_the_search)
{
    static double distance[BENCH_MOST];
    cJSON *root = fixture_open("gad/care-gnn.json");
    const cJSON *item = fixture_case(root, "rl_rule"), *trace = fixture_expected(item, "trace");
    const int64_t count = fixture_numbers(fixture_input(item, "avg_distance_per_epoch"), distance);
    bandit b = {.share = 0.5};
    for (int64_t k = 0; k < count; k++) {
        const cJSON *row = cJSON_GetArrayItem(trace, (int)k);
        bandit_step(&b, distance[k], 0.02);
        ck_assert_double_eq_tol(b.share, cJSON_GetArrayItem(row, 0)->valuedouble, 1e-9);
        ck_assert(b.converged == cJSON_IsTrue(cJSON_GetArrayItem(row, 2)));
    }
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("care-gnn");
    TCase *c = tcase_create("care-gnn");
    tcase_add_test(c, the_first_epoch_computes_as_the_reference);
    tcase_add_loop_test(c, first_and_nearest_keep_the_edges_of_the_reference, 0, 2);
    tcase_add_test(c, shares_follow_the_reference_and_go_back_with_the_weights);
    tcase_add_test(c, a_steady_distance_raises_the_share_to_its_limit);
    tcase_add_test(c, rewards_that_cancel_end_the_search);
    suite_add_tcase(s, c);
    return s;
}
