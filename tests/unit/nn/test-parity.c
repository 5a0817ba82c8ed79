// SPDX-License-Identifier: Apache-2.0
/* The same weights and the same input as in PyTorch give the same output and the same gradients. The numbers come from
 * fixtures/torch/make-parity.py. */
#include <crucible/draft/nn.h>
#include <crucible/draft/ops-image.h>
#include <crucible/draft/optim.h>
#include <crucible/draft/tensor.h>

#include "tensor-fixture.h"

typedef struct parity {
    cJSON *root;
    const cJSON *item;
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
    cru_tensor *x;
    cru_sparse *matrix; /* NULL when the case has none */
} parity;

static cru_sparse *fixture_matrix(cru_ctx *ctx, const cJSON *matrix)
{
    int64_t nodes, entries;
    const double *offsets = fixture_values(ctx, cJSON_GetObjectItem(matrix, "offsets"), &nodes);
    const double *ids = fixture_values(ctx, cJSON_GetObjectItem(matrix, "ids"), &entries);
    int64_t *row_offsets = cru_ctx_alloc(ctx, nodes, sizeof *row_offsets);
    int32_t *columns = cru_ctx_alloc(ctx, entries, sizeof *columns);
    for (int64_t i = 0; i < nodes; i++) row_offsets[i] = (int64_t)offsets[i];
    for (int64_t i = 0; i < entries; i++) columns[i] = (int32_t)ids[i];
    const cru_tensor *values = fixture_tensor(ctx, cJSON_GetObjectItem(matrix, "values"));
    return cru_sparse_create(ctx, &(cru_csr){.rows = nodes - 1,
                                             .cols = nodes - 1,
                                             .offsets = row_offsets,
                                             .ids = columns,
                                             .values = test_values(values)});
}

static parity parity_open(const char *name)
{
    parity p = {.root = fixture_open("torch/parity.json"), .ctx = test_ctx(NULL)};
    p.item = fixture_case(p.root, name);
    p.tape = cru_tape_create(p.ctx);
    p.net = cru_net_create(p.ctx, "net");
    return p;
}

static void parity_close(parity *p)
{
    cJSON_Delete(p->root);
    cru_ctx_destroy(p->ctx);
}

/* ---- layers ---------------------------------------------------------------------------------------------- */

static cru_tensor *gcn(parity *p)
{
    cru_gcn a = cru_gcn_create(p->net, "a", 5, 3), b = cru_gcn_create(p->net, "b", 3, 4);
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    cru_tensor *h = cru_relu(p->tape, cru_gcn_apply(p->tape, &a, p->matrix, p->x));
    return cru_gcn_apply(p->tape, &b, p->matrix, h);
}

static cru_tensor *gat(parity *p)
{
    cru_gat a = cru_gat_create(p->net, "a", &(cru_gat_shape){.in = 4, .out = 2, .heads = 3});
    cru_gat b = cru_gat_create(p->net, "b", &(cru_gat_shape){.in = 6, .out = 3, .heads = 2, .average = true});
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    cru_tensor *h = cru_elu(p->tape, cru_gat_apply(p->tape, &a, p->matrix, p->x), 1);
    return cru_gat_apply(p->tape, &b, p->matrix, h);
}

static cru_tensor *gin(parity *p)
{
    cru_mlp_shape shape = {.in = 3, .hidden = 4, .out = 2, .layers = 2, .batch_norm = true};
    cru_gin layer = cru_gin_create(p->net, "gin", &shape, true);
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    return cru_gin_apply(p->tape, &layer, p->matrix, p->x);
}

static cru_tensor *sage(parity *p, cru_reduce op)
{
    cru_sage layer = cru_sage_create(p->net, "sage", 3, 4, op);
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    return cru_sage_apply(p->tape, &layer, p->matrix, p->x);
}
static cru_tensor *sage_mean(parity *p)
{
    return sage(p, CRU_REDUCE_MEAN);
}
static cru_tensor *sage_max(parity *p)
{
    return sage(p, CRU_REDUCE_MAX);
}

static cru_tensor *cheb(parity *p)
{
    cru_cheb layer = cru_cheb_create(p->net, "cheb", 3, 2, 4);
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    return cru_cheb_apply(p->tape, &layer, p->matrix, p->x);
}

static cru_tensor *resnet(parity *p)
{
    cru_resnet *net = cru_resnet_create(p->net, "r", &(cru_resnet_shape){.channels = 1, .blocks = 1, .width = 2});
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    return cru_resnet_apply(p->tape, net, p->x);
}

/* A cell is four tensors; they go into the net so that gradients are found by name. */
static cru_cell cell(parity *p, int64_t gates)
{
    const int64_t in[2] = {3, 2 * gates}, hidden[2] = {2, 2 * gates};
    cru_init zeros = {.kind = CRU_INIT_ZEROS};
    cru_cell cell = {.input = cru_net_weight(p->net, "input", cru_nd(2, in), zeros),
                     .hidden = cru_net_weight(p->net, "hidden", cru_nd(2, hidden), zeros),
                     .input_bias = cru_net_weight(p->net, "input_bias", cru_1d(in[1]), zeros),
                     .hidden_bias = cru_net_weight(p->net, "hidden_bias", cru_1d(in[1]), zeros)};
    fixture_fill_net(p->net, "", fixture_input(p->item, "params"));
    return cell;
}

static cru_tensor *lstm(parity *p)
{
    cru_cell w = cell(p, 4);
    cru_lstm_state state = {.h = fixture_tensor(p->ctx, fixture_input(p->item, "h")),
                            .c = fixture_tensor(p->ctx, fixture_input(p->item, "c"))};
    state = cru_lstm_cell(p->tape, &w, p->x, state);
    return cru_concat_cols(p->tape, (cru_tensor *[]){state.h, state.c}, 2);
}

static cru_tensor *gru(parity *p)
{
    cru_cell w = cell(p, 3);
    return cru_gru_cell(p->tape, &w, p->x, fixture_tensor(p->ctx, fixture_input(p->item, "h")));
}

static const struct {
    const char *name;
    cru_tensor *(*apply)(parity *p);
} layer_cases[] = {
    {"gcn", gcn},       {"gat", gat},   {"gin", gin}, {"sage-mean", sage_mean}, {"sage-max", sage_max}, {"cheb", cheb},
    {"resnet", resnet}, {"lstm", lstm}, {"gru", gru}};

START_TEST(a_layer_gives_the_output_and_the_gradients_of_pytorch)
{
    parity p = parity_open(layer_cases[_i].name);
    const cJSON *matrix = cJSON_GetObjectItem(cJSON_GetObjectItem(p.item, "inputs"), "matrix");
    if (matrix) p.matrix = fixture_matrix(p.ctx, matrix);
    p.x = fixture_tensor(p.ctx, fixture_input(p.item, "x"));
    cru_tape_begin(p.tape, CRU_TRAIN);
    cru_tensor_watch(p.x);
    cru_tensor *y = layer_cases[_i].apply(&p);
    fixture_check(p.ctx, "out", test_values(y), fixture_expected(p.item, "out"), 1e-5);
    cru_tensor *cotangent = fixture_tensor(p.ctx, fixture_input(p.item, "cotangent"));
    cru_backward(p.tape, cru_sum(p.tape, cru_mul(p.tape, y, cotangent), CRU_ALL));
    fixture_check(p.ctx, "grad x", test_values(cru_grad_of(p.tape, p.x)), fixture_expected(p.item, "grad_x"), 1e-4);
    fixture_check_net(p.net, "", fixture_expected(p.item, "grad_params"), true, 1e-4);
    parity_close(&p);
}
END_TEST

/* ---- optimisers ------------------------------------------------------------------------------------------ */

static double setting(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(fixture_input(item, "settings"), key);
    return value ? value->valuedouble : 0;
}

static cru_optim_spec spec_of(const cJSON *item, cru_optim_kind kind)
{
    return (cru_optim_spec){.kind = kind,
                            .lr = setting(item, "lr"),
                            .decay = setting(item, "weight_decay"),
                            .amsgrad = setting(item, "amsgrad") != 0,
                            .momentum = setting(item, "momentum"),
                            .dampening = setting(item, "dampening"),
                            .nesterov = setting(item, "nesterov") != 0};
}

static const struct {
    const char *name;
    cru_optim_kind kind;
} optim_cases[] = {{"sgd", CRU_SGD},           {"sgd-momentum", CRU_SGD}, {"sgd-dampened", CRU_SGD},
                   {"sgd-nesterov", CRU_SGD},  {"adam", CRU_ADAM},        {"adam-decay", CRU_ADAM},
                   {"adam-amsgrad", CRU_ADAM}, {"adamw", CRU_ADAMW},      {"adamw-amsgrad", CRU_ADAMW}};

/* The loss <w, g> has the gradient g. */
static void give_gradient(parity *p, cru_tensor *w, const cJSON *grad)
{
    cru_tensor *g = fixture_tensor(p->ctx, grad);
    cru_backward(p->tape, cru_sum(p->tape, cru_mul(p->tape, w, g), CRU_ALL));
}

START_TEST(an_optimiser_takes_the_steps_of_pytorch)
{
    parity p = parity_open(optim_cases[_i].name);
    cru_optim_spec spec = spec_of(p.item, optim_cases[_i].kind);
    cru_optim *optim = cru_optim_create(p.ctx, &spec);
    cru_tensor *w[2];
    for (int k = 0; k < 2; k++) {
        const cJSON *start = cJSON_GetArrayItem(fixture_input(p.item, "start"), k);
        const cru_tensor *like = fixture_tensor(p.ctx, start);
        w[k] = cru_weight_create(p.ctx, cru_shape_of(like));
        fixture_fill(p.ctx, w[k], start);
        cru_optim_add_weight(optim, w[k], NULL);
    }
    for (int step = 0; step < 5; step++) {
        cru_tape_begin(p.tape, CRU_TRAIN);
        for (int k = 0; k < 2; k++)
            give_gradient(&p, w[k], cJSON_GetArrayItem(cJSON_GetArrayItem(fixture_input(p.item, "grads"), step), k));
        cru_optim_step(optim);
        for (int k = 0; k < 2; k++)
            fixture_check(p.ctx, "weight", test_values(w[k]),
                          cJSON_GetArrayItem(cJSON_GetArrayItem(fixture_expected(p.item, "after"), step), k), 2e-6);
    }
    parity_close(&p);
}
END_TEST

/* Every step is given the rows that it may touch; the others keep their values and their moments. */
START_TEST(rows_of_a_table_take_the_steps_of_pytorch)
{
    parity p = parity_open("sparse-adam");
    cru_optim_spec spec = spec_of(p.item, CRU_ADAM);
    spec.eps = setting(p.item, "eps");
    cru_optim *optim = cru_optim_create(p.ctx, &spec);
    cru_tensor *table = cru_weight_create(p.ctx, cru_2d(4, 3));
    fixture_fill(p.ctx, table, fixture_input(p.item, "start"));
    cru_optim_add_weight(optim, table, NULL);
    for (int step = 0; step < 5; step++) {
        int64_t count;
        const double *numbers = fixture_values(p.ctx, cJSON_GetArrayItem(fixture_input(p.item, "rows"), step), &count);
        int32_t rows[4];
        for (int64_t i = 0; i < count; i++) rows[i] = (int32_t)numbers[i];
        cru_tape_begin(p.tape, CRU_TRAIN);
        give_gradient(&p, table, cJSON_GetArrayItem(fixture_input(p.item, "grads"), step));
        cru_optim_step_rows(optim, table, (cru_ids){rows, count});
        ck_assert_ptr_null(cru_weight_grad(table));
        fixture_check(p.ctx, "table", test_values(table), cJSON_GetArrayItem(fixture_expected(p.item, "after"), step),
                      2e-6);
    }
    parity_close(&p);
}
END_TEST

/* ---- schedules ------------------------------------------------------------------------------------------- */

static const char *const plateau_cases[] = {"plateau-min", "plateau-max"};

START_TEST(a_plateau_lowers_the_rate_when_pytorch_does)
{
    parity p = parity_open(plateau_cases[_i]);
    int64_t count;
    const double *values = fixture_values(p.ctx, fixture_input(p.item, "values"), &count);
    const double *rates = fixture_values(p.ctx, fixture_expected(p.item, "lr"), NULL);
    cru_plateau plateau = {.factor = setting(p.item, "factor"),
                           .threshold = setting(p.item, "threshold"),
                           .min_lr = setting(p.item, "min_lr"),
                           .patience = (int64_t)setting(p.item, "patience"),
                           .maximise = strcmp(fixture_input(p.item, "mode")->valuestring, "max") == 0};
    double lr = 0.8;
    for (int64_t i = 0; i < count; i++) {
        lr = cru_plateau_step(&plateau, lr, values[i]);
        ck_assert_double_eq_tol(lr, rates[i], 1e-6 * rates[i]);
    }
    parity_close(&p);
}
END_TEST

static double step_rate(int64_t step)
{
    return cru_lr_step(0.8, step, 3, 0.5);
}
static double multi_step_rate(int64_t step)
{
    return cru_lr_multi_step(0.8, step, (const int64_t[]){2, 5, 9}, 3, 0.1);
}
static double cosine_rate(int64_t step)
{
    return cru_lr_cosine(0.8, step, 12, 0.1);
}

static const struct {
    const char *name;
    double (*rate)(int64_t step);
} schedule_cases[] = {{"lr-step", step_rate}, {"lr-multi-step", multi_step_rate}, {"lr-cosine", cosine_rate}};

START_TEST(a_schedule_follows_pytorch)
{
    parity p = parity_open(schedule_cases[_i].name);
    int64_t count;
    const double *rates = fixture_values(p.ctx, fixture_expected(p.item, "lr"), &count);
    ck_assert_int_eq(count, 12);
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(schedule_cases[_i].rate(i), rates[i], 1e-6 * rates[i]);
    parity_close(&p);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("parity with pytorch");
    TCase *c = tcase_create("parity");
    tcase_add_loop_test(c, a_layer_gives_the_output_and_the_gradients_of_pytorch, 0,
                        (int)(sizeof layer_cases / sizeof *layer_cases));
    tcase_add_loop_test(c, an_optimiser_takes_the_steps_of_pytorch, 0, (int)(sizeof optim_cases / sizeof *optim_cases));
    tcase_add_test(c, rows_of_a_table_take_the_steps_of_pytorch);
    tcase_add_loop_test(c, a_plateau_lowers_the_rate_when_pytorch_does, 0, 2);
    tcase_add_loop_test(c, a_schedule_follows_pytorch, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
