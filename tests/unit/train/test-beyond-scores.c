// SPDX-License-Identifier: Apache-2.0
/* What the vtable of methods gives besides scores: label weights, reports, representations, saved models. */
#include <sys/mman.h>
#include <unistd.h>

#include "train/linear-method.h"

static const settings quick = {.train = {.epochs = 3, .lr = 0.1}};

/* ---- reports ------------------------------------------------------------------------------------------------- */

typedef struct heard {
    char names[200];
    double values[8];
    int64_t count;
} heard;

static void hear(void *user, const char *name, const double *values, int64_t count)
{
    heard *h = user;
    strcat(strcat(h->names, name), " ");
    h->count = count;
    for (int64_t i = 0; i < count && i < 8; i++) h->values[i] = values[i];
}

static heard report_of(const cru_method *method, const cru_task *task, float *scores)
{
    heard h = {0};
    cru_learner *l;
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 5});
    const test_method how = {method, CRU_ROWS, sizeof(settings)};
    ck_assert_int_eq(create_method(&how, &l, &quick, task, ctx), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.fit(l, NULL), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(l, scores), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.report(l, &(cru_report){{.put = hear, .user = &h}}), CRU_OK);
    cru_method_vtable.destroy(l);
    cru_ctx_destroy(ctx);
    return h;
}

static void tell(cru_learner *l, void *self, cru_report *report)
{
    (void)l, (void)self;
    cru_report_number(report, "edges", 4);
}

static void trust(cru_learner *l, void *self, double *weights)
{
    (void)self;
    for (int64_t i = 0; i < l->task->split.train.count; i++) weights[i] = (double)i;
}

#define METHOD(...)                                                                                                    \
    {                                                                                                                  \
        .model_size = sizeof(model), .train = CRU_AT(settings, train), .build = build, .logits = logits, __VA_ARGS__   \
    }

/* log(e^z_y / sum e^z) of the scores that were predicted. */
START_TEST(without_weights_of_its_own_a_method_has_minus_the_loss)
{
    static const cru_method simple = METHOD(.report = tell);
    const cru_task task = linear_task();
    float scores[ITEMS * CLASSES];
    const heard h = report_of(&simple, &task, scores);
    ck_assert_str_eq(h.names, "edges label-weight ");
    ck_assert_int_eq(h.count, 4);
    for (int i = 0; i < 4; i++) {
        const float *z = scores + 2 * train_ids[i];
        const double right = exp((double)z[labels[train_ids[i]]]), all = exp((double)z[0]) + exp((double)z[1]);
        ck_assert_double_eq_tol(h.values[i], log(right / all), 1e-6);
    }
}
END_TEST

START_TEST(weights_of_its_own_come_first)
{
    static const cru_method own = METHOD(.label_weights = trust);
    const cru_task task = linear_task();
    float scores[ITEMS * CLASSES];
    const heard h = report_of(&own, &task, scores);
    ck_assert_str_eq(h.names, "label-weight ");
    for (int i = 0; i < 4; i++) ck_assert_double_eq(h.values[i], i);
}
END_TEST

START_TEST(candidate_sets_have_no_label_to_trust)
{
    static const cru_method simple = METHOD(.report = tell);
    cru_task task = linear_task();
    float scores[ITEMS * CLASSES];
    static const int32_t none[ITEMS] = {-1, -1, -1, -1, -1, -1};
    task.candidates = candidates;
    task.labels = none;
    ck_assert_str_eq(report_of(&simple, &task, scores).names, "edges ");
}
END_TEST

/* ---- representations ----------------------------------------------------------------------------------------- */

static cru_tensor *noted(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *x = cru_input_dense(t, &l->x), *two[2] = {x, cru_scale(t, x, 2)};
    cru_represent_parts(t, two, 2);
    return cru_fc_apply(t, &m->fc, x);
}

static cru_tensor *noted_wrongly(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *x = cru_input_dense(t, &l->x);
    cru_represent(t, cru_slice_rows(t, x, 0, 2));
    return cru_fc_apply(t, &m->fc, x);
}

static void embed_with(cru_tensor *(*how)(cru_learner *, void *, cru_tape *), float *rows, int64_t *cols)
{
    cru_method method = METHOD(.report = tell);
    method.logits = how;
    const cru_task task = linear_task();
    cru_learner *l;
    const float *found;
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 5});
    const test_method made = {&method, CRU_ROWS, sizeof(settings)};
    ck_assert_int_eq(create_method(&made, &l, &quick, &task, ctx), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.embed(l, &found, cols), CRU_OK);
    memcpy(rows, found, (size_t)(ITEMS * *cols) * sizeof *rows);
    cru_method_vtable.destroy(l);
    cru_ctx_destroy(ctx);
}

START_TEST(what_logits_note_is_the_representation)
{
    float rows[ITEMS * 8];
    int64_t cols;
    embed_with(noted, rows, &cols);
    ck_assert_int_eq(cols, 4);
    for (int i = 0; i < ITEMS; i++)
        for (int k = 0; k < 4; k++)
            ck_assert_float_eq(rows[4 * i + k], features[2 * i + k % 2] * (k < 2 ? 1.0f : 2.0f));
}
END_TEST

START_TEST(a_note_of_other_rows_is_none)
{
    float rows[ITEMS * 8];
    int64_t cols;
    embed_with(noted_wrongly, rows, &cols);
    ck_assert_int_eq(cols, CLASSES); /* the scores */
}
END_TEST

/* ---- files --------------------------------------------------------------------------------------------------- */

static void nothing(cru_learner *l, void *self)
{
    (void)l, (void)self;
}

START_TEST(a_method_that_may_have_more_state_is_not_saved)
{
    static const cru_method secretive = METHOD(.prepare = nothing),
                            open = METHOD(.prepare = nothing, .state = cru_no_state);
    const cru_method *const methods[] = {&secretive, &open};
    const cru_status wanted[] = {CRU_UNSUPPORTED, CRU_OK};
    const cru_task task = linear_task();
    for (int i = 0; i < 2; i++) {
        cru_learner *l;
        int fd = memfd_create("model", 0);
        cru_ctx *ctx = test_ctx(NULL);
        const test_method how = {methods[i], CRU_ROWS, sizeof(settings)};
        ck_assert_int_eq(create_method(&how, &l, &quick, &task, ctx), CRU_OK);
        ck_assert_int_eq(cru_method_vtable.save(l, fd), wanted[i]);
        ck_assert(i || strstr(cru_ctx_error(ctx)->text, "cannot be saved: "));
        cru_method_vtable.destroy(l);
        cru_ctx_destroy(ctx);
        close(fd);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("beyond-scores");
    TCase *c = tcase_create("beyond-scores");
    tcase_add_test(c, without_weights_of_its_own_a_method_has_minus_the_loss);
    tcase_add_test(c, weights_of_its_own_come_first);
    tcase_add_test(c, candidate_sets_have_no_label_to_trust);
    tcase_add_test(c, what_logits_note_is_the_representation);
    tcase_add_test(c, a_note_of_other_rows_is_none);
    tcase_add_test(c, a_method_that_may_have_more_state_is_not_saved);
    suite_add_tcase(s, c);
    return s;
}
