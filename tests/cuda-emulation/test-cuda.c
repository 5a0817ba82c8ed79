// SPDX-License-Identifier: Apache-2.0
/* What is particular to the CUDA backend: opening a card that is not there or does not fit, memory that runs out, work
 * that fails, no waiting inside a step, what is kept of a sparse matrix, and a model that trains as on the CPU. On the
 * emulated card, whose memory the host cannot touch. */
#include <check.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/nn.h>
#include <crucible/optim.h>
#include <crucible/random.h>

#include "emulation.h"

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

/* After a panic: the context can still be taken down. */
static void clean_up(cru_ctx *ctx)
{
    cru_panic_set_handler(NULL, NULL);
    cru_ctx_destroy(ctx);
    ck_assert_uint_eq(emulation_memory_in_use(), 0);
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
        cru_tensor_create(ctx, cru_1d(1 << 20));
        ck_abort_msg("four megabytes were given out of one");
    }
    ck_assert_int_eq(p.status, CRU_NO_MEMORY);
    clean_up(ctx);
}
END_TEST

START_TEST(a_limit_is_where_memory_runs_out)
{
    panic p = {0};
    cru_ctx *ctx = card_context();
    emulated_backend()->limit(cru_ctx_device(ctx), 3 << 20);
    cru_tensor_create(ctx, cru_1d(1 << 19));
    cru_panic_set_handler(on_panic, &p);
    if (setjmp(p.back) == 0) {
        cru_tensor_create(ctx, cru_1d(1 << 19));
        ck_abort_msg("four megabytes were given out of three");
    }
    ck_assert_int_eq(p.status, CRU_NO_MEMORY);
    clean_up(ctx);
}
END_TEST

START_TEST(a_failed_launch_carries_the_words_of_cuda)
{
    panic p = {0};
    cru_ctx *ctx = card_context();
    cru_tensor *x = cru_tensor_create(ctx, cru_1d(8));
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
    clean_up(ctx);
}
END_TEST

START_TEST(a_failed_product_names_the_function)
{
    panic p = {0};
    cru_ctx *ctx = card_context();
    cru_tensor *x = cru_tensor_create(ctx, cru_2d(3, 3));
    cru_tape *tape = cru_tape_create(ctx);
    cru_tape_begin(tape, CRU_EVAL);
    cru_panic_set_handler(on_panic, &p);
    emulation_fail_next_launch();
    if (setjmp(p.back) == 0) {
        cru_matmul(tape, x, x);
        ck_abort_msg("the failure went unnoticed");
    }
    ck_assert_int_eq(p.status, CRU_FAILED);
    ck_assert_msg(strstr(p.text, "cublasSgemmStridedBatched: ") != NULL, "%s", p.text);
    clean_up(ctx);
}
END_TEST

/* ---- transfers ------------------------------------------------------------------------------------------- */

/* Below, at and above the size of a piece, and of all pieces together; the source changes after it was handed over. */
START_TEST(bytes_come_back_as_they_went)
{
    static const size_t sizes[] = {1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 8 << 20, (8 << 20) + 5, (17 << 20) + 3};
    const size_t bytes = sizes[_i];
    cru_device device;
    cru_error err = {0};
    ck_assert_int_eq(emulated_backend()->open(&device, 0, 1, &err), CRU_OK);
    unsigned char *from = malloc(bytes), *to = calloc(bytes, 1), *there = emulated_backend()->alloc(&device, bytes);
    for (size_t i = 0; i < bytes; i++) from[i] = (unsigned char)(i * 2654435761u >> 24);
    emulated_backend()->upload(&device, there, from, bytes);
    memset(from, 0, bytes);
    emulated_backend()->download(&device, to, there, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (to[i] != (unsigned char)(i * 2654435761u >> 24)) ck_abort_msg("byte %zu of %zu", i, bytes);
    emulated_backend()->release(&device, there);
    emulated_backend()->close(&device);
    free(from), free(to);
}
END_TEST

START_TEST(a_context_ends_beside_another)
{
    const float values[] = {1, 2, 3, 4};
    cru_ctx *one = card_context(), *two = card_context();
    cru_tensor *x = cru_tensor_from(one, cru_2d(2, 2), values);
    cru_tensor_from(two, cru_2d(2, 2), values);
    cru_ctx_destroy(two);
    cru_tape *tape = cru_tape_create(one);
    cru_tape_begin(tape, CRU_EVAL);
    const float sum = cru_tensor_item(tape, cru_sum(tape, cru_matmul(tape, x, x), CRU_ALL));
    ck_assert_float_eq(sum, 7 + 10 + 15 + 22);
    cru_ctx_destroy(one);
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
    cru_tensor_item(g->tape, gcn_loss(g, CRU_EVAL)); /* a value is read */
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
    ck_assert_int_eq(emulation_descriptors(), 0);
}
END_TEST

/* ---- what is kept of a sparse matrix --------------------------------------------------------------------- */

/* The graph is symmetric, so that forward and backward multiply with one matrix. The features are spread once, and
 * what is CLASSES wide in every step, forth and back. */
START_TEST(a_matrix_is_prepared_once_for_all_steps)
{
    gcn *g = gcn_create(emulated_backend());
    for (int step = 0; step < STEPS; step++) gcn_step(g);
    ck_assert_int_eq(emulation_preprocessed(), 2);
    ck_assert_int_eq(emulation_products(), 1 + 2 * STEPS);
    gcn_destroy(g);
}
END_TEST

typedef struct weighing {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_sparse *a;
    cru_tensor *w, *x;
    cru_optim *optim;
} weighing;

static const int64_t path_offsets[] = {0, 1, 3, 4};
static const int32_t path_ids[] = {1, 0, 2, 0};
static const cru_csr path = {.rows = 3, .cols = 3, .offsets = path_offsets, .ids = path_ids};

static weighing weighing_open(const cru_backend *backend)
{
    weighing h = {.ctx = cru_ctx_create(&(cru_ctx_options){.seed = 3, .backend = backend})};
    h.tape = cru_tape_create(h.ctx);
    h.a = cru_sparse_create(h.ctx, &path);
    cru_net *net = cru_net_create(h.ctx, "net");
    const cru_init normal = {.kind = CRU_INIT_NORMAL, .b = 1};
    h.w = cru_net_weight(net, "w", cru_2d(4, 1), normal);
    h.x = cru_net_weight(net, "x", cru_2d(3, 5), normal);
    h.optim = cru_optim_create(h.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 0.05});
    cru_optim_add(h.optim, net, NULL);
    return h;
}

static double weighing_step(weighing *h)
{
    cru_tape_begin(h->tape, CRU_TRAIN);
    cru_tensor *y = cru_spmm_weighted(h->tape, h->a, h->w, h->x);
    cru_tensor *loss = cru_mean(h->tape, cru_mul(h->tape, y, y), CRU_ALL);
    const double value = (double)cru_tensor_item(h->tape, loss);
    cru_backward(h->tape, loss);
    cru_optim_step(h->optim);
    return value;
}

/* Once each for the product, its transpose and the sampled product; the transpose is cuSPARSE's. */
START_TEST(learned_values_do_not_prepare_again)
{
    weighing card = weighing_open(emulated_backend()), cpu = weighing_open(NULL);
    for (int step = 0; step < STEPS; step++) ck_assert_double_eq_tol(weighing_step(&card), weighing_step(&cpu), 1e-5);
    ck_assert_int_eq(emulation_preprocessed(), 3);
    ck_assert_int_eq(emulation_conversions(), 1);
    cru_ctx_destroy(card.ctx);
    cru_ctx_destroy(cpu.ctx);
}
END_TEST

/* A matrix of its own in every step, in the memory of the one before: it is another, and must not be taken for it. */
START_TEST(another_matrix_in_the_same_memory_is_noticed)
{
    static const float values[] = {1, 10, 100};
    cru_ctx *ctx = card_context();
    cru_tape *tape = cru_tape_create(ctx);
    const int64_t offsets[] = {0, 1, 2, 3};
    for (int step = 0; step < 6; step++) {
        cru_tape_begin(tape, CRU_EVAL);
        const int32_t ids[] = {step % 3, (step + 1) % 3, (step + 2) % 3};
        const cru_csr shift = {.rows = 3, .cols = 3, .offsets = offsets, .ids = ids, .values = values};
        cru_tensor *x = cru_tensor_upload(tape, cru_2d(3, 1), (const float[]){1, 2, 3});
        float y[3];
        cru_tensor_download(tape, cru_spmm(tape, cru_sparse_step(tape, &shift), x), y);
        for (int v = 0; v < 3; v++) ck_assert_float_eq(y[v], values[v] * (float)(ids[v] + 1));
    }
    ck_assert_int_eq(emulation_preprocessed(), 6);
    ck_assert_int_le(emulation_descriptors(), 6);
    cru_ctx_destroy(ctx);
}
END_TEST

/* More matrices, and more widths of one, than there are places. */
START_TEST(what_is_kept_is_bounded)
{
    enum { MANY = 50, ROUNDS = 2 };
    static float values[MANY], ones[MANY];
    static const int64_t offsets[] = {0, 1};
    static const int32_t ids[] = {0};
    cru_ctx *ctx = card_context();
    cru_tape *tape = cru_tape_create(ctx);
    cru_sparse *a[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i] = (float)(i + 1), ones[i] = 1;
        a[i] = cru_sparse_create(ctx, &(cru_csr){1, 1, offsets, ids, values + i});
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < MANY; i++) {
            cru_tape_begin(tape, CRU_EVAL);
            cru_tensor *one = cru_tensor_upload(tape, cru_2d(1, 1), ones);
            ck_assert_float_eq(cru_tensor_item(tape, cru_spmm(tape, a[i], one)), values[i]);
        }
    ck_assert_int_le(emulation_descriptors(), 32);
    for (int i = 0; i < MANY; i++) {
        cru_tape_begin(tape, CRU_EVAL);
        cru_tensor *x = cru_tensor_upload(tape, cru_2d(1, i + 1), ones);
        const float sum = cru_tensor_item(tape, cru_sum(tape, cru_spmm(tape, a[0], x), CRU_ALL));
        ck_assert_float_eq(sum, (float)(i + 1));
    }
    ck_assert_int_le(emulation_descriptors(), 32 + 8);
    cru_ctx_destroy(ctx);
    ck_assert_int_eq(emulation_descriptors(), 0);
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
    tcase_add_test(c, a_limit_is_where_memory_runs_out);
    tcase_add_test(c, a_failed_launch_carries_the_words_of_cuda);
    tcase_add_test(c, a_failed_product_names_the_function);
    tcase_add_loop_test(c, bytes_come_back_as_they_went, 0, 7);
    tcase_add_test(c, a_context_ends_beside_another);
    tcase_add_test(c, a_model_trains_as_on_the_cpu);
    tcase_add_test(c, a_step_does_not_wait_for_the_card);
    tcase_add_test(c, all_memory_of_the_card_is_given_back);
    tcase_add_test(c, a_matrix_is_prepared_once_for_all_steps);
    tcase_add_test(c, learned_values_do_not_prepare_again);
    tcase_add_test(c, another_matrix_in_the_same_memory_is_noticed);
    tcase_add_test(c, what_is_kept_is_bounded);
    suite_add_tcase(s, c);
    return s;
}
