// SPDX-License-Identifier: Apache-2.0
/* h2-fdetector against the numbers of the study's code, with the samples of one step given. */
#include "fdetector.h"
#include "methods/gad-cases.h"

static const rename_rule names[] = {{"mine_layers.0.liner", "out"},
                                    {"mine_layers.0.relation_aware.d_liner", "node"},
                                    {"mine_layers.0.relation_aware.f_liner", "sign"},
                                    {"mine_layers.0.minelayers.r1", "type0"},
                                    {"mine_layers.0.minelayers.r2", "type1"},
                                    {"mine_layers.0.minelayers.r3", "type2"},
                                    {"mine_layers.0.minelayers.homo", "type3"},
                                    {"w_liner", "in"},
                                    {"atten.", "attention."},
                                    {0}};
static const model_case h2 = {"h2-fdetector", "h2fd", names, NULL, {"dropout", "0"}, 0};

/* Numbers of the fixture, as places in `through` when that is given. */
static cru_ids sample(const cJSON *list, const int32_t *through, int32_t *ids)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(list, numbers);
    for (int64_t i = 0; i < count; i++) ids[i] = through ? through[(int)numbers[i]] : (int32_t)numbers[i];
    return (cru_ids){ids, count};
}

START_TEST(a_step_is_that_of_the_reference)
{
    int32_t normals[32], drawn[64], prototypes[32];
    cJSON *root = fixture_open("gad/h2-fdetector.json");
    const cJSON *item = fixture_case(root, h2.name), *samples = fixture_input(item, "samples");
    bench b = with_anomaly_task(item);
    bench_open(&b, h2.method, h2.settings);
    set_weights(&b, &h2, fixture_input(item, "params"));
    cru_learner *l = b.learner;
    const fdetector *m = l->model;
    const int32_t *train = b.data->split.train.ids;
    fdetector_draw draw = {.normals = sample(cJSON_GetObjectItem(samples, "node_neg"), train, normals),
                           .edges = sample(cJSON_GetObjectItem(samples, "edge_pos"), NULL, drawn),
                           .prototypes = sample(cJSON_GetObjectItem(samples, "proto_neg"), train, prototypes)};
    for (int64_t i = 0; i < draw.edges.count; i++) ck_assert(m->known.same[drawn[i]] > 0);
    for (int32_t e = 0; e < m->known.count; e++)
        if (m->known.same[e] < 0) drawn[draw.edges.count++] = e;
    cru_tape_begin(l->tape, CRU_TRAIN);
    b.logits = fdetector_logits(l, m, l->tape);
    b.loss = fdetector_loss(l, m, l->tape, b.logits, &draw);
    cru_backward(l->tape, b.loss);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    check_gradients(&b, &h2, item);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("h2-fdetector");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, a_step_is_that_of_the_reference);
    suite_add_tcase(s, c);
    return s;
}
