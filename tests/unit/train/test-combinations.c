// SPDX-License-Identifier: Apache-2.0
/* Hooks that do not go together are refused with a sentence, before anything is built. */
#include <stdio.h>

#include "train/linear-method.h"

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    (void)g;
    return logits(l, self, t);
}

static cru_tensor *classify(cru_learner *l, void *self, cru_tape *t, const cru_input *x)
{
    (void)x;
    return logits(l, self, t);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    (void)self;
    return cru_learner_loss(l, t, z);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    return cru_learner_batch_loss(l, t, classify(l, self, t, &batch->x), batch->items);
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l, (void)self, (void)t, (void)batch;
}

static double epoch(cru_learner *l, void *self)
{
    (void)self;
    return cru_learner_epoch(l);
}

static void after_epoch(cru_learner *l, void *self)
{
    (void)l, (void)self;
}

typedef struct places {
    cru_train train;
    cru_adjacency adjacency;
    cru_graph_settings graphs;
    cru_backbone_choice backbone;
    cru_gcn_settings gcn;
    cru_node_batches nodes;
} places;

#define TRAIN     .train = CRU_AT(places, train)
#define ADJACENCY .adjacency = CRU_AT(places, adjacency)
#define GRAPHS    .graphs = CRU_AT(places, graphs)
#define BACKBONE  .backbone = CRU_AT(places, backbone)
#define GCN       .gcn = CRU_AT(places, gcn)
#define NODES     .nodes = CRU_AT(places, nodes)

static const struct {
    cru_method method;
    const char *words;
} wrong[] = {
    {{.logits = logits}, "cru_train"},
    {{TRAIN}, "nothing would predict"},
    {{TRAIN, GRAPHS, .logits = logits, .forward = forward}, "both logits and forward"},
    {{TRAIN, .logits = logits, .classify = classify}, "logits and classify"},
    {{TRAIN, .logits = logits, BACKBONE}, "logits and classify"},
    {{TRAIN, GRAPHS, .forward = forward, .classify = classify}, "forward and classify"},
    {{TRAIN, .forward = forward}, "forward needs .graphs or .nodes"},
    {{TRAIN, ADJACENCY, GRAPHS, .logits = logits}, ".adjacency and .graphs"},
    {{TRAIN, GCN, GRAPHS, .forward = forward}, "gcn and forward"},
    {{TRAIN, GCN, BACKBONE}, "gcn and classify"},
    {{TRAIN, GCN, ADJACENCY}, ".gcn and .adjacency"},
    {{TRAIN, GCN, GRAPHS}, ".gcn and .graphs"},
    {{TRAIN, NODES, .logits = logits}, ".nodes needs forward"},
    {{TRAIN, NODES, .forward = forward, .loss = loss}, ".nodes and loss"},
    {{TRAIN, NODES, .forward = forward, .epoch = epoch}, ".nodes and epoch"},
    {{TRAIN, .forward = forward, .nodes = sizeof(places)}, "outside its settings"},
    {{TRAIN, .gcn = sizeof(places)}, "outside its settings"},
    {{TRAIN, .logits = logits, .batch_loss = batch_loss}, "batch_loss needs"},
    {{TRAIN, .logits = logits, .after_step = after_step}, "after_step needs"},
    {{TRAIN, .logits = logits, .views = CRU_VIEW_STRONG}, "views need"},
    {{TRAIN, .classify = classify, .loss = loss}, "batch_loss instead of loss"},
    {{TRAIN, .classify = classify, .epoch = epoch}, "no epoch of its own"},
    {{TRAIN, BACKBONE, .after_epoch = after_epoch}, "after_step instead"},
    {{.train = sizeof(places), .logits = logits}, "outside its settings"},
    {{TRAIN, .graphs = sizeof(places), .logits = logits}, "outside its settings"},
};

START_TEST(a_wrong_combination_is_refused_with_a_sentence)
{
    cru_ctx *ctx = test_ctx(NULL);
    const cru_task task = linear_task();
    const places s = {0};
    cru_learner *self = NULL;
    const test_method how = {&wrong[_i].method, CRU_ROWS, sizeof s};
    ck_assert_int_eq(create_method(&how, &self, &s, &task, ctx), CRU_FAILED);
    ck_assert_ptr_null(self);
    ck_assert_msg(strstr(cru_ctx_error(ctx)->text, wrong[_i].words) != NULL, "%s", cru_ctx_error(ctx)->text);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_plugin_without_a_method_is_refused)
{
    cru_ctx *ctx = test_ctx(NULL);
    const cru_task task = linear_task();
    const places s = {0};
    cru_learner *self = NULL;
    ck_assert_int_eq(create_method(&(test_method){NULL, CRU_ROWS, sizeof s}, &self, &s, &task, ctx), CRU_FAILED);
    ck_assert_msg(strstr(cru_ctx_error(ctx)->text, "no method") != NULL, "%s", cru_ctx_error(ctx)->text);
    cru_ctx_destroy(ctx);
}
END_TEST

/* An offset of 0 is a place like any other: settings may begin with what a method names. */
START_TEST(the_first_member_of_the_settings_can_be_named)
{
    static const struct first {
        cru_adjacency adjacency;
        cru_train train;
    } s = {.adjacency = {CRU_LOOPS_SET, CRU_NORM_NONE}};
    static const int64_t offsets[ITEMS + 1] = {0};
    const cru_method method = {.model_size = sizeof(model),
                               .train = CRU_AT(struct first, train),
                               .adjacency = CRU_AT(struct first, adjacency),
                               .logits = logits};
    cru_ctx *ctx = test_ctx(NULL);
    cru_task task = linear_task();
    task.graph = (cru_csr){.rows = ITEMS, .cols = ITEMS, .offsets = offsets};
    cru_learner *self = NULL;
    ck_assert_int_eq(create_method(&(test_method){&method, CRU_ROWS, sizeof s}, &self, &s, &task, ctx), CRU_OK);
    ck_assert_int_eq(cru_csr_nnz(&self->adj->csr), ITEMS);
    cru_ctx_destroy(ctx);
}
END_TEST

/* What the settings of gcn ask for is what a method that makes it itself gets. */
static cru_tensor *own_logits(cru_learner *l, void *self, cru_tape *t)
{
    (void)self;
    const cru_gcn_stack own = cru_learner_gcn(l, cru_net_create(l->ctx, "net"), &((const places *)l->settings)->gcn);
    return cru_gcn_stack_input(t, &own, l->adj, &l->x);
}

static void scores_of(const cru_method *method, const places *s, float out[ITEMS * CLASSES])
{
    static const int64_t offsets[ITEMS + 1] = {0};
    cru_ctx *ctx = test_ctx(NULL);
    cru_task task = linear_task();
    task.graph = (cru_csr){.rows = ITEMS, .cols = ITEMS, .offsets = offsets};
    cru_learner *self = NULL;
    ck_assert_int_eq(create_method(&(test_method){method, CRU_ROWS, sizeof *s}, &self, s, &task, ctx), CRU_OK);
    cru_tape_begin(self->tape, CRU_EVAL);
    cru_tensor_download(self->tape, cru_learner_logits(self, self->tape), out);
    cru_ctx_destroy(ctx);
}

START_TEST(a_method_with_gcn_needs_no_logits_of_its_own)
{
    const places s = {.gcn = {.layers = 2, .hidden = 8, .adjacency = {CRU_LOOPS_ADD, CRU_NORM_SYM}}};
    const cru_method given = {.model_size = 1, TRAIN, GCN};
    const cru_method own = {.model_size = 1, TRAIN, .adjacency = CRU_AT(places, gcn.adjacency), .logits = own_logits};
    float first[ITEMS * CLASSES], second[ITEMS * CLASSES];
    scores_of(&given, &s, first);
    scores_of(&own, &s, second);
    ck_assert_mem_eq(first, second, sizeof first);
    ck_assert(first[0] != first[1]);
}
END_TEST

static void tell(cru_learner *l, void *self, cru_report *report)
{
    (void)self;
    cru_report_number(report, "classes", (double)l->task->classes);
    cru_report_matrix(report, "square", (const double[]){1, 2, 3, 4}, 2, 2);
}

static void hear(void *user, const char *name, const double *values, int64_t count)
{
    char *text = user;
    sprintf(text + strlen(text), "%s %g x%d;", name, values[0], (int)count);
}

static void hear_matrix(void *user, const char *name, const double *values, int64_t rows, int64_t cols)
{
    char *text = user;
    sprintf(text + strlen(text), "%s %g %dx%d;", name, values[3], (int)rows, (int)cols);
}

START_TEST(a_method_reports_what_it_learned)
{
    cru_method telling = plain;
    telling.report = tell;
    trial t = {0};
    trial_open(&t, &telling, 1);
    char text[200] = "";
    /* and how much it trusts its labels: with scores of 0 each has log 1/2 */
    cru_report plainly = {.sink = {.put = hear, .user = text}};
    ck_assert_int_eq(cru_method_vtable.report(t.learner, &plainly), CRU_OK);
    ck_assert_str_eq(text, "classes 2 x1;square 1 x4;label-weight -0.693147 x4;");
    text[0] = 0;
    cru_report shaped = {.sink = {.put = hear, .user = text, .put_matrix = hear_matrix}};
    ck_assert_int_eq(cru_method_vtable.report(t.learner, &shaped), CRU_OK);
    ck_assert_str_eq(text, "classes 2 x1;square 4 2x2;label-weight -0.693147 x4;");
    ck_assert_int_eq(cru_method_vtable.report(t.learner, NULL), CRU_OK);
    trial_close(&t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("combinations of hooks");
    TCase *c = tcase_create("methods");
    tcase_add_loop_test(c, a_wrong_combination_is_refused_with_a_sentence, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(c, a_plugin_without_a_method_is_refused);
    tcase_add_test(c, the_first_member_of_the_settings_can_be_named);
    tcase_add_test(c, a_method_with_gcn_needs_no_logits_of_its_own);
    tcase_add_test(c, a_method_reports_what_it_learned);
    suite_add_tcase(s, c);
    return s;
}
