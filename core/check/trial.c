// SPDX-License-Identifier: Apache-2.0
#include "check/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/inner.h"
#include "check/protect.h"

/* ---- the place for scores ---------------------------------------------------------------------------------------- */

/* Scores between two strips of a known pattern; the scores themselves start as that pattern, which is no finite number,
 * so that one left unwritten shows. */
enum { STRIP = 64 };
static const uint32_t pattern = 0xffc0de15u; /* a NaN */

static float *place_create(int64_t count)
{
    float *place = malloc((size_t)(count + 2 * STRIP) * sizeof *place);
    if (!place) cru_panic(CRU_NO_MEMORY, "no memory for scores");
    for (int64_t i = 0; i < count + 2 * STRIP; i++) memcpy(place + i, &pattern, sizeof pattern);
    return place;
}

static bool strip_intact(const float *strip)
{
    for (int64_t i = 0; i < STRIP; i++)
        if (memcmp(strip + i, &pattern, sizeof pattern) != 0) return false;
    return true;
}

/* Judges what predict wrote and returns the scores, or NULL. */
static float *take_scores(const float *place, int64_t rows, int64_t cols, verdict *v)
{
    const int64_t count = rows * cols;
    const float *inside = place + STRIP;
    if (!strip_intact(place) || !strip_intact(inside + count)) {
        verdict_set(v, CHECK_FAILED, "writes outside the %ld x %ld scores", (long)rows, (long)cols);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        if (isfinite(inside[i])) continue;
        bool unwritten = memcmp(inside + i, &pattern, sizeof pattern) == 0;
        verdict_set(v, CHECK_FAILED, "score %ld, %ld is %s", (long)(i / cols), (long)(i % cols),
                    unwritten ? "not written" : "not finite");
        return NULL;
    }
    float *scores = malloc((size_t)count * sizeof *scores);
    if (!scores) cru_panic(CRU_NO_MEMORY, "no memory for scores");
    return memcpy(scores, inside, (size_t)count * sizeof *scores);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static uint32_t obliging(void *user, int64_t epoch, double train_loss, const float *scores)
{
    const int64_t *limit = user;
    (void)train_loss;
    (void)scores;
    return CRU_KEEP | (epoch + 1 >= *limit ? CRU_STOP : 0);
}

typedef struct instance {
    const cru_algorithm *algorithm;
    cru_ctx *ctx;
    void *self;
    trial_outcome *outcome;
} instance;

static bool record(instance *run, const char *call, cru_status status)
{
    if (!status) return true;
    run->outcome->status = status;
    run->outcome->call = call;
    run->outcome->err = *cru_ctx_error(run->ctx);
    return false;
}

static void predict_twice(instance *run, verdict *v)
{
    trial_outcome *outcome = run->outcome;
    float *second = NULL;
    const int64_t count = outcome->rows * outcome->cols;
    for (int turn = 0; turn < 2; turn++) {
        float *place = place_create(count);
        if (record(run, "predict", run->algorithm->predict(run->self, place + STRIP)))
            *(turn ? &second : &outcome->scores) = take_scores(place, outcome->rows, outcome->cols, v);
        free(place);
        if (turn == 0 && !outcome->scores) return;
    }
    bool same = second && memcmp(second, outcome->scores, (size_t)count * sizeof *second) == 0;
    if (second && !same) verdict_set(v, CHECK_FAILED, "a second predict gives other scores");
    free(second);
    if (same) return;
    free(outcome->scores);
    outcome->scores = NULL;
}

static void run_instance(const cru_plugin *plugin, const trial_plan *plan, const protected_inputs *inputs,
                         instance *run, verdict *v)
{
    int64_t limit = plan->epochs;
    cru_monitor monitor = {.epoch = obliging, .user = &limit, .limit = limit};
    run->algorithm = plugin->vtable;
    cru_status created = run->algorithm->create(&run->self, plugin, inputs->settings, inputs->task, run->ctx);
    if (!record(run, "create", created)) {
        if (run->self) verdict_set(v, CHECK_FAILED, "create fails but stores an instance");
        return;
    }
    if (record(run, "fit", run->algorithm->fit(run->self, &monitor))) predict_twice(run, v);
    if (run->algorithm->destroy) run->algorithm->destroy(run->self);
}

cru_settings *plan_settings(const cru_plugin *plugin, const trial_plan *plan)
{
    cru_error err = {0};
    static const cru_param none[] = {CRU_END};
    cru_settings *settings = cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size);
    if (!settings) cru_panic(CRU_NO_MEMORY, "no memory for settings");
    for (int64_t i = 0; plan && i < plan->setting_count; i++)
        if (cru_settings_set(settings, plan->settings[i].key, plan->settings[i].value, &err) != CRU_OK)
            cru_panic(CRU_FAILED, "%s", err.text);
    if (plan && plan->key && cru_settings_set(settings, plan->key, plan->value, &err) != CRU_OK)
        cru_panic(CRU_FAILED, "%s", err.text);
    return settings;
}

trial_outcome trial_run(const cru_plugin *plugin, const trial_plan *plan, verdict *v)
{
    trial_outcome outcome = {0};
    cru_task task = {0};
    cru_error err = {0};
    cru_data *data = tiny_create(plan->problem);
    if (cru_data_task(data, plan->seed, &task, &err) != CRU_OK) cru_panic(CRU_FAILED, "%s", err.text);
    cru_settings *settings = plan_settings(plugin, plan);
    protected_inputs inputs = protect_inputs(&task, cru_settings_struct(settings), plugin->settings_size);
    const cru_ctx_options options = {
        .seed = plan->seed, .threads = plan->threads, .check_steps = true, .inner = check_inner(plugin)};
    instance run = {.ctx = cru_ctx_create(&options), .outcome = &outcome};
    outcome.rows = task.items;
    outcome.cols = task.classes;
    run_instance(plugin, plan, &inputs, &run, v);
    cru_ctx_destroy(run.ctx);
    protect_free(&inputs);
    cru_settings_destroy(settings);
    cru_data_destroy(data);
    return outcome;
}
