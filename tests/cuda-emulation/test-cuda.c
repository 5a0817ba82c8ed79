/* What is particular to the CUDA backend: opening a card that is not there or does not fit, memory that runs out, work
 * that fails, no waiting inside a step, and a model that trains as on the CPU. On the emulated card in strict mode: the
 * host must not touch device memory. */
#include <check.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/nn.h>
#include <crucible/optim.h>

#undef cru_ctx_create /* these tests choose the backend themselves */

/* ---- opening --------------------------------------------------------------------------------------------- */

static void expect_refused(int32_t card, const char *part)
{
    cru_device device;
    cru_error err = {0};
    ck_assert_int_eq(emulated_backend()->open(&device, card, 1, &err), CRU_UNSUPPORTED);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
    ck_assert_msg(!strchr(err.text, '\n'), "%s", err.text);
    ck_assert_uint_eq(emulation_memory_in_use(), 0);
}

START_TEST(a_machine_without_a_gpu_is_told_so)
{
    emulation_set_cards(0);
    expect_refused(0, "no GPU answers: no CUDA-capable device is detected");
}
END_TEST

START_TEST(a_machine_without_a_driver_is_told_so)
{
    emulation_set_driver(false);
    expect_refused(0, "no GPU answers: there is no NVIDIA driver");
}
END_TEST

START_TEST(a_card_that_is_not_there_is_named)
{
    emulation_set_cards(2);
    expect_refused(2, "no card 2; this machine has 2");
    expect_refused(-1, "no card -1");
}
END_TEST

START_TEST(an_old_driver_is_named)
{
    emulation_set_old_driver(true);
    expect_refused(0, "driver is too old");
}
END_TEST

START_TEST(a_card_of_another_generation_is_named)
{
    emulation_set_old_card(true);
    expect_refused(0, "not built for this generation");
}
END_TEST

/* ---- failing --------------------------------------------------------------------------------------------- */

typedef struct panic {
    jmp_buf back;
    cru_status status;
    char text[500];
} panic;

static void on_panic(void *user, cru_status status, const char *message)
{
    panic *p = user;
    p->status = status;
    snprintf(p->text, sizeof p->text, "%s", message);
    longjmp(p->back, 1);
}

static cru_ctx *card_context(void)
{
    return cru_ctx_create(&(cru_ctx_options){.seed = 3, .threads = 1, .backend = emulated_backend()});
}

START_TEST(memory_that_runs_out_is_no_memory)
{
    panic p = {0};
    cru_ctx *ctx = card_context();
    cru_ctx_device(ctx);
    emulation_set_memory(1 << 20);
    cru_panic_set_handler(on_panic, &p);
    if (setjmp(p.back) == 0) {
        cru_tensor_create(ctx, 1, (const int64_t[]){1 << 20});
        ck_abort_msg("four megabytes were given out of one");
    }
    ck_assert_int_eq(p.status, CRU_NO_MEMORY);
}
END_TEST

START_TEST(a_failed_launch_carries_the_words_of_cuda)
{
    panic p = {0};
    cru_ctx *ctx = card_context();
    cru_tensor *x = cru_tensor_create(ctx, 1, (const int64_t[]){8});
    cru_tape *tape = cru_tape_create(ctx);
    cru_tape_begin(tape, CRU_EVAL);
    cru_panic_set_handler(on_panic, &p);
    emulation_fail_next_launch();
    if (setjmp(p.back) == 0) {
        cru_exp(tape, x);
        ck_abort_msg("the failure went unnoticed");
    }
    ck_assert_int_eq(p.status, CRU_FAILED);
    ck_assert_msg(strstr(p.text, "unspecified launch failure") != NULL, "%s", p.text);
}
END_TEST

/* ---- training -------------------------------------------------------------------------------------------- */

enum { NODES = 40, FEATURES = 9, HIDDEN = 8, CLASSES = 3, STEPS = 20 };

typedef struct gcn {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_input x;
    cru_sparse *adj;
    cru_gcn first, second;
    cru_net *net;
    cru_optim *optim;
    cru_index labels;
    int32_t label[NODES], ids[2 * NODES];
    int64_t offsets[NODES + 1];
    float values[2 * NODES], features[NODES * FEATURES];
} gcn;

/* A ring whose features hint at the classes. */
static gcn *gcn_create(const cru_backend *backend)
{
    gcn *g = calloc(1, sizeof *g);
    g->ctx = cru_ctx_create(&(cru_ctx_options){.seed = 5, .threads = 1, .backend = backend});
    cru_rng rng = cru_rng_stream(1, "features", 0);
    for (int32_t v = 0; v < NODES; v++) {
        const int32_t before = (v + NODES - 1) % NODES, after = (v + 1) % NODES;
        g->offsets[v + 1] = 2 * (v + 1);
        g->ids[2 * v] = before < after ? before : after;
        g->ids[2 * v + 1] = before < after ? after : before;
        g->values[2 * v] = g->values[2 * v + 1] = 0.5f;
        g->label[v] = v * CLASSES / NODES;
        for (int j = 0; j < FEATURES; j++)
            g->features[v * FEATURES + j] = cru_rng_uniformf(&rng) + (j == g->label[v] ? 1.0f : 0.0f);
    }
    const cru_csr adj = {NODES, NODES, g->offsets, g->ids, g->values};
    const cru_features x = {.rows = NODES, .cols = FEATURES, .dense = g->features};
    g->tape = cru_tape_create(g->ctx);
    g->adj = cru_sparse_create(g->ctx, &adj);
    g->x = cru_input_create(g->ctx, &x);
    g->labels = cru_index_create(g->ctx, g->label, NODES);
    g->net = cru_net_create(g->ctx, "gcn");
    g->first = cru_gcn_create(g->net, "first", FEATURES, HIDDEN);
    g->second = cru_gcn_create(g->net, "second", HIDDEN, CLASSES);
    g->optim = cru_optim_create(g->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01, .decay = 5e-4});
    cru_optim_add(g->optim, g->net, NULL);
    return g;
}

static cru_tensor *gcn_loss(gcn *g, cru_mode mode)
{
    cru_tape_begin(g->tape, mode);
    cru_tensor *h = cru_dropout(g->tape, cru_relu(g->tape, cru_gcn_input(g->tape, &g->first, g->adj, &g->x)), 0.5f);
    cru_tensor *logits = cru_gcn_apply(g->tape, &g->second, g->adj, h);
    return cru_cross_entropy(g->tape, logits, &(cru_targets){.labels = g->labels});
}

static void gcn_step(gcn *g)
{
    cru_backward(g->tape, gcn_loss(g, CRU_TRAIN));
    cru_optim_step(g->optim);
}

static void gcn_destroy(gcn *g)
{
    cru_ctx_destroy(g->ctx);
    free(g);
}

START_TEST(a_model_trains_as_on_the_cpu)
{
    emulation_set_strict(true);
    gcn *card = gcn_create(emulated_backend()), *cpu = gcn_create(NULL);
    for (int step = 0; step < STEPS; step++) {
        gcn_step(card);
        gcn_step(cpu);
        const double there = (double)cru_tensor_item(card->tape, gcn_loss(card, CRU_EVAL));
        const double here = (double)cru_tensor_item(cpu->tape, gcn_loss(cpu, CRU_EVAL));
        ck_assert_msg(fabs(there - here) < 1e-4, "step %d: %.7f on the card, %.7f on the CPU", step, there, here);
    }
    gcn_destroy(card);
    gcn_destroy(cpu);
}
END_TEST

START_TEST(a_step_does_not_wait_for_the_card)
{
    gcn *g = gcn_create(emulated_backend());
    gcn_step(g); /* what is made on first use */
    const long before = emulation_waits();
    for (int step = 0; step < 3; step++) gcn_step(g);
    ck_assert_int_eq(emulation_waits(), before);
    cru_tensor_item(g->tape, gcn_loss(g, CRU_EVAL));
    ck_assert_int_eq(emulation_waits(), before + 1);
    gcn_destroy(g);
}
END_TEST

START_TEST(all_memory_of_the_card_is_given_back)
{
    gcn *g = gcn_create(emulated_backend());
    for (int step = 0; step < 3; step++) gcn_step(g);
    ck_assert_uint_gt(emulation_memory_in_use(), 0);
    gcn_destroy(g);
    ck_assert_uint_eq(emulation_memory_in_use(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("cuda backend, emulated");
    TCase *c = tcase_create("cuda");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_machine_without_a_gpu_is_told_so);
    tcase_add_test(c, a_machine_without_a_driver_is_told_so);
    tcase_add_test(c, a_card_that_is_not_there_is_named);
    tcase_add_test(c, an_old_driver_is_named);
    tcase_add_test(c, a_card_of_another_generation_is_named);
    tcase_add_test(c, memory_that_runs_out_is_no_memory);
    tcase_add_test(c, a_failed_launch_carries_the_words_of_cuda);
    tcase_add_test(c, a_model_trains_as_on_the_cpu);
    tcase_add_test(c, a_step_does_not_wait_for_the_card);
    tcase_add_test(c, all_memory_of_the_card_is_given_back);
    suite_add_tcase(s, c);
    return s;
}
