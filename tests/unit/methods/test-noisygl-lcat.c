// SPDX-License-Identifier: Apache-2.0
/* lcat's layer: against the numbers of the study's code. */
#include <crucible/draft/nn.h>

#include "attention.h"
#include "methods/method-bench.h"

static void put(cru_net *net, const char *name, const cJSON *values, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    cru_tensor *w = cru_net_find(net, name);
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    if (cJSON_IsNumber(values))
        numbers[0] = values->valuedouble;
    else
        ck_assert_int_eq(fixture_numbers(values, numbers), rows * cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            w->data[i * cols + j] = (float)numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j];
}

START_TEST(gates_between_convolution_and_attention)
{
    static const struct {
        const char *name, *key;
        bench_layout layout;
    } weights[] = {{"lin_l.weight", "lin_l.weight", TRANSPOSED},
                   {"lin_l.bias", "lin_l.bias", AS_STORED},
                   {"lin_r.weight", "lin_r.weight", TRANSPOSED},
                   {"lin_r.bias", "lin_r.bias", AS_STORED},
                   {"lin_v.weight", "lin_v.weight", TRANSPOSED},
                   {"lin_v.bias", "lin_v.bias", AS_STORED},
                   {"lmbda", "lmbda_", AS_STORED},
                   {"lmbda2", "lmbda2_", AS_STORED},
                   {"att", "att", AS_STORED},
                   {"bias", "bias", AS_STORED}};
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/lcat.json");
    const cJSON *item = fixture_case(root, "layer"), *params = fixture_input(item, "params");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_tape *t = cru_tape_create(b.ctx);
    const gated_attention layer = gated_attention_create(
        net, &b.data->graph, &(gated_shape){.in = 4, .width = 3, .heads = 2, .slope = 0.2, .mean = _i == 0});
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        put(net, weights[i].name, cJSON_GetObjectItem(params, weights[i].key), weights[i].layout);
    const int64_t count = fixture_numbers(fixture_input(item, "x"), numbers);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = cru_tensor_upload(t, cru_2d(count / 4, 4), values);
    bench_check(&b, gated_attention_apply(t, &layer, x),
                fixture_expected(item, _i == 0 ? "out_reference" : "out_sum_aggregation"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("learned attention");
    TCase *c = tcase_create("layer");
    tcase_add_loop_test(c, gates_between_convolution_and_attention, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
