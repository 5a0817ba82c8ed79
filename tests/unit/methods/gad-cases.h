// SPDX-License-Identifier: Apache-2.0
/* gad-cases.h: a fixture case of the anomaly study as one line of a table. */
#ifndef TESTS_GAD_CASES_H
#define TESTS_GAD_CASES_H

#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>

#include "methods/method-bench.h"

/* Where `theirs` occurs in the study's name of a weight, `ours` stands in Crucible's. */
typedef struct rename_rule {
    const char *theirs, *ours;
} rename_rule;

typedef struct model_case {
    const char *method, *name; /* of the plugin and its fixture file, of the case */
    const rename_rule *rules;  /* applied one after the other */
    const char *stored;        /* names that begin so have their matrices in x out; NULL: all are out x in */
    const char *settings[16];
    double tolerance; /* 0: that of all fixtures */
} model_case;

static inline bench with_anomaly_relations(bench b, const cJSON *graph)
{
    static const char *const names[] = {"r1", "r2", "r3"};
    cru_relation *relations = cru_data_alloc(b.data, 3, sizeof *relations);
    for (int r = 0; r < 3; r++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "n", cJSON_Duplicate(cJSON_GetObjectItem(graph, "n"), true));
        const cJSON *edges = cJSON_GetObjectItem(cJSON_GetObjectItem(graph, "relations"), names[r]);
        cJSON_AddItemToObject(one, "edges", cJSON_Duplicate(edges, true));
        bench_graph_as(&b, one, true);
        relations[r] = (cru_relation){names[r], b.data->graph};
        cJSON_Delete(one);
    }
    b.data->graph = cru_graph_merge(cru_data_pool(b.data), relations, 3, CRU_DUP_FIRST);
    b.data->relations = relations;
    b.data->relation_count = 3;
    return b;
}

static inline bench with_anomaly_task(const cJSON *item)
{
    const cJSON *graph = fixture_input(item, "graph");
    bench b = bench_create();
    if (cJSON_GetObjectItem(graph, "relations"))
        b = with_anomaly_relations(b, graph);
    else
        bench_graph_as(&b, graph, true);
    b.data->problem = CRU_ANOMALY;
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "y"), fixture_input(item, "train_mask"));
    return b;
}

static inline void renamed(const char *theirs, const rename_rule *rules, char ours[200])
{
    snprintf(ours, 200, "%s", theirs);
    for (; rules->theirs; rules++) {
        char rest[200];
        char *at = strstr(ours, rules->theirs);
        if (!at) continue;
        snprintf(rest, sizeof rest, "%s", at + strlen(rules->theirs));
        snprintf(at, (size_t)(ours + 200 - at), "%s%s", rules->ours, rest);
    }
}

static inline bench_layout layout_of(const model_case *c, const char *theirs)
{
    const bool stored = c->stored && strncmp(theirs, c->stored, strlen(c->stored)) == 0;
    return stored || !strstr(theirs, "weight") ? AS_STORED : TRANSPOSED;
}

/* Every weight of the case, which must have all the weights of the method. */
static inline void set_weights(bench *b, const model_case *c, const cJSON *params)
{
    const cJSON *values;
    char ours[200];
    cJSON_ArrayForEach(values, params)
    {
        renamed(values->string, c->rules, ours);
        bench_set(b, ours, values, layout_of(c, values->string));
    }
    int64_t weights = 0;
    for (int64_t i = 0; i < b->learner->net_count; i++) weights += cru_net_weight_count(b->learner->nets[i]);
    ck_assert_int_eq(cJSON_GetArraySize(params), weights);
}

/* Gradients of all weights; without them those of the logits, of which the output's bias has the column sums. */
static inline void check_gradients(const bench *b, const model_case *c, const cJSON *item)
{
    const cJSON *gradients = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "expected"), "grads"), *values, *row;
    char ours[200];
    cJSON_ArrayForEach(values, gradients)
    {
        renamed(values->string, c->rules, ours);
        bench_check_gradient(b, ours, values, layout_of(c, values->string));
    }
    if (gradients) return;
    double sum = 0;
    cJSON_ArrayForEach(row, fixture_expected(item, "dlogits")) sum += cJSON_GetArrayItem(row, 1)->valuedouble;
    bench_check_number(b, (double)cru_weight_grad(bench_weight(b, "out.bias"))[1], sum);
}

static inline void model_case_run(const model_case *c)
{
    char file[100];
    snprintf(file, sizeof file, "gad/%s.json", c->method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, c->name);
    bench b = with_anomaly_task(item);
    if (c->tolerance > 0) b.tolerance = c->tolerance;
    bench_open(&b, c->method, c->settings);
    set_weights(&b, c, fixture_input(item, "params"));
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    check_gradients(&b, c, item);
    bench_destroy(&b);
    cJSON_Delete(root);
}

#endif
