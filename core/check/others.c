// SPDX-License-Identifier: Apache-2.0
/* Datasets, corruptors and metrics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/suites.h"
#include "check/tiny.h"

/* ---- telling whether two problems are the same ------------------------------------------------------------------- */

static int write_image(const cru_data *data, verdict *v)
{
    cru_error err = {0};
    int fd = memfd_create("image", MFD_CLOEXEC);
    if (fd >= 0 && cru_data_write(data, fd, &err) == CRU_OK) return fd;
    verdict_set(v, CHECK_NOTED, "cannot be compared: %s", *err.text ? err.text : "no memory file");
    if (fd >= 0) close(fd);
    return -1;
}

static bool same_images(int a, int b)
{
    char x[4096], y[4096];
    ssize_t got_x, got_y;
    off_t at = 0;
    do {
        got_x = pread(a, x, sizeof x, at);
        got_y = pread(b, y, sizeof y, at);
        at += got_x;
    } while (got_x > 0 && got_x == got_y && memcmp(x, y, (size_t)got_x) == 0);
    return got_x == 0 && got_y == 0;
}

void compare_data(const cru_data *first, const cru_data *second, verdict *v)
{
    int a = write_image(first, v), b = a >= 0 ? write_image(second, v) : -1;
    if (b >= 0 && !same_images(a, b)) verdict_set(v, CHECK_FAILED, "one seed gives two different results");
    if (a >= 0) close(a);
    if (b >= 0) close(b);
}

/* ---- datasets ---------------------------------------------------------------------------------------------------- */

/* Data that breaks the rules is a fault of the plugin whatever it was given, told by a panic. */
cru_status load_data(const cru_plugin *plugin, const trial_plan *plan, const cru_source *source, cru_data **data,
                     cru_error *err)
{
    const cru_dataset *dataset = plugin->vtable;
    cru_error wrong = {0};
    cru_settings *settings = plan_settings(plugin, plan);
    *data = cru_data_create();
    const cru_loading loading = {
        .size = sizeof loading, .settings = cru_settings_struct(settings), .source = source, .data = *data, .err = err};
    cru_status status = dataset->load(&loading);
    cru_settings_destroy(settings);
    if (!status && cru_data_check(*data, &wrong) != CRU_OK) cru_panic(CRU_BAD_INPUT, "%s", wrong.text);
    if (!status) return CRU_OK;
    cru_data_destroy(*data);
    *data = NULL;
    return status;
}

static cru_data *generate(const cru_plugin *plugin, const trial_plan *plan, verdict *v)
{
    const cru_source source = {.name = plugin->name, .seed = 1};
    cru_error err = {0};
    cru_data *data;
    cru_status status = load_data(plugin, plan, &source, &data, &err);
    if (status && *err.text)
        verdict_set(v, CHECK_NOTED, "%s%s", plan ? "" : "no generator: ", err.text);
    else if (status)
        verdict_set(v, CHECK_FAILED, "fails (%s) without a message", cru_status_name(status));
    return data;
}

static void case_generates(const void *user, const cru_plugin *plugin, verdict *v)
{
    (void)user;
    cru_data *first = generate(plugin, NULL, v), *second = first ? generate(plugin, NULL, v) : NULL;
    if (second) compare_data(first, second, v);
    cru_data_destroy(first);
    cru_data_destroy(second);
}

static void case_generates_at_limit(const void *user, const cru_plugin *plugin, verdict *v)
{
    cru_data_destroy(generate(plugin, user, v));
}

void suite_dataset(suite *s)
{
    const check_state alone =
        case_run(s, &(check_case){.name = "without files, one seed twice", .body = case_generates, .images = true});
    if (alone != CHECK_NOTED) suite_settings(s, case_generates_at_limit);
    if (s->options.file_count > 0) {
        suite_files(s);
    } else if (alone == CHECK_NOTED) {
        verdict untried = {0};
        verdict_set(&untried, CHECK_NOTED, "not tried: name some with --file ROLE=PATH");
        suite_add_row(s, "files", &untried);
    }
}

/* ---- corruptors -------------------------------------------------------------------------------------------------- */

static void discard(void *user, const char *name, const double *values, int64_t count)
{
    (void)user;
    (void)name;
    (void)values;
    (void)count;
}

/* The data when a call left it sound; else NULL, and the verdict says why. */
static cru_data *accept(cru_data *data, cru_status status, cru_error *err, verdict *v)
{
    if (!status && cru_data_check(data, err) == CRU_OK) return data;
    if (status && *err->text) {
        verdict_set(v, CHECK_NOTED, "refused: %s", err->text);
    } else {
        verdict_set(v, CHECK_FAILED, "%s", *err->text ? err->text : "fails without a message");
    }
    cru_data_destroy(data);
    return NULL;
}

static cru_data *corrupt(const cru_plugin *plugin, const tiny_problem *problem, const trial_plan *plan, verdict *v)
{
    const cru_corruptor *corruptor = plugin->vtable;
    cru_report report = {.sink = {.put = discard}};
    cru_rng rng = cru_rng_stream(1, "corruption", 0);
    cru_error err = {0};
    cru_settings *settings = plan_settings(plugin, plan);
    cru_data *data = tiny_create(problem);
    const cru_damage damage = {.size = sizeof damage,
                               .settings = cru_settings_struct(settings),
                               .data = data,
                               .rng = &rng,
                               .report = &report,
                               .err = &err};
    cru_status status = corruptor->apply(&damage);
    cru_settings_destroy(settings);
    return accept(data, status, &err, v);
}

static void case_corrupts(const void *user, const cru_plugin *plugin, verdict *v)
{
    cru_data *first = corrupt(plugin, user, NULL, v), *second = first ? corrupt(plugin, user, NULL, v) : NULL;
    if (second) compare_data(first, second, v);
    cru_data_destroy(first);
    cru_data_destroy(second);
}

static void case_corrupts_at_limit(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    cru_data_destroy(corrupt(plugin, plan->problem, plan, v));
}

static void run_claimed(suite *s, check_case c)
{
    for (const tiny_problem *p = tiny_problems; p->name; p++) {
        if (!(p->problem & s->plugin->problems)) continue;
        c.name = p->name;
        c.user = p;
        case_run(s, &c);
    }
}

void suite_corruptor(suite *s)
{
    run_claimed(s, (check_case){.body = case_corrupts, .images = true});
    if (s->plugin->problems) suite_settings(s, case_corrupts_at_limit);
}

/* ---- splits ------------------------------------------------------------------------------------------------------ */

/* Nobody is in two parts, nobody without a true label in any, and somebody trains. */
static void check_parts(const cru_data *data, verdict *v)
{
    const cru_ids parts[] = {data->split.train, data->split.val, data->split.test};
    uint8_t *seen = calloc((size_t)data->items + 1, 1);
    if (!seen) cru_panic(CRU_NO_MEMORY, "no memory for %lld items", (long long)data->items);
    for (int p = 0; p < 3; p++) {
        for (int64_t i = 0; i < parts[p].count; i++) {
            const int32_t item = parts[p].ids[i];
            if (data->truth[item] == CRU_UNLABELLED)
                verdict_set(v, CHECK_FAILED, "item %d has no true label and is in a part", item);
            if (seen[item]++) verdict_set(v, CHECK_FAILED, "item %d is in two parts", item);
        }
    }
    free(seen);
    if (parts[0].count == 0) verdict_set(v, CHECK_FAILED, "nothing trains");
}

static cru_data *divide(const cru_plugin *plugin, const tiny_problem *problem, const trial_plan *plan, verdict *v)
{
    const cru_splitter *splitter = plugin->vtable;
    cru_rng rng = cru_rng_stream(1, "split", 0);
    cru_error err = {0};
    cru_settings *settings = plan_settings(plugin, plan);
    cru_data *data = tiny_create(problem);
    data->seed = 1;
    data->split = (cru_split){0};
    const cru_dividing dividing = {
        .size = sizeof dividing, .settings = cru_settings_struct(settings), .data = data, .rng = &rng, .err = &err};
    cru_status status = splitter->divide(&dividing);
    cru_settings_destroy(settings);
    return accept(data, status, &err, v);
}

static void case_divides(const void *user, const cru_plugin *plugin, verdict *v)
{
    cru_data *first = divide(plugin, user, NULL, v), *second = first ? divide(plugin, user, NULL, v) : NULL;
    if (first) check_parts(first, v);
    if (second) compare_data(first, second, v);
    cru_data_destroy(first);
    cru_data_destroy(second);
}

static void case_divides_at_limit(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    cru_data *data = divide(plugin, plan->problem, plan, v);
    if (data) check_parts(data, v);
    cru_data_destroy(data);
}

void suite_split(suite *s)
{
    run_claimed(s, (check_case){.body = case_divides, .images = true});
    if (s->plugin->problems) suite_settings(s, case_divides_at_limit);
}

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

typedef struct judgement {
    const cru_plugin *plugin;
    const trial_plan *plan; /* a setting that is not at its default; NULL: none */
    cru_judging judging;
} judgement;

static void judge(const judgement *j, const char *what, verdict *v)
{
    const cru_metric *metric = j->plugin->vtable;
    cru_report report = {.sink = {.put = discard}};
    cru_error err = {0};
    double value = 0;
    cru_settings *settings = plan_settings(j->plugin, j->plan);
    cru_judging judging = j->judging;
    judging.settings = cru_settings_struct(settings);
    judging.report = &report;
    judging.err = &err;
    cru_status status = metric->score(&judging, &value);
    cru_settings_destroy(settings);
    if (status && *err.text) {
        verdict_set(v, CHECK_NOTED, "%s: %s", what, err.text);
    } else if (status) {
        verdict_set(v, CHECK_FAILED, "%s: fails without a message", what);
    } else if (isinf(value)) {
        verdict_set(v, CHECK_FAILED, "%s: the value is infinite", what);
    }
}

/* Whether the host would let the metric judge this data. */
static bool suits(uint32_t flags, const cru_data *data)
{
    return (data->candidates || !(flags & CRU_METRIC_OF_CANDIDATES)) &&
           (data->classes == 2 || !(flags & CRU_METRIC_OF_TWO_CLASSES));
}

/* On the test items with scores of every sign and some that are equal; then on no items at all. The scores also stand
 * for an embedding. */
static void judge_tiny(const cru_plugin *plugin, const tiny_problem *problem, const trial_plan *plan, verdict *v)
{
    cru_data *data = tiny_create(problem);
    const int64_t count = data->items * data->classes;
    const uint32_t flags = ((const cru_metric *)plugin->vtable)->flags;
    const bool of_dataset = (flags & CRU_METRIC_OF_DATASET) != 0, of_embedding = (flags & CRU_METRIC_OF_EMBEDDING) != 0;
    cru_rng rng = cru_rng_stream(1, "scores", 0);
    float *scores = malloc((size_t)count * sizeof *scores);
    if (!scores) cru_panic(CRU_NO_MEMORY, "no memory for scores");
    for (int64_t i = 0; i < count; i++) scores[i] = (float)cru_rng_below(&rng, 7) - 3;
    judgement j = {.plugin = plugin,
                   .plan = plan,
                   .judging = {.size = sizeof(cru_judging),
                               .data = data,
                               .scores = of_dataset ? NULL : scores,
                               .items = data->split.test,
                               .embedding = of_embedding ? scores : NULL,
                               .embedding_cols = of_embedding ? data->classes : 0,
                               .seconds_total = 1,
                               .seconds_to_best = 0.5,
                               .peak_bytes = 1 << 20}};
    if (suits(flags, data))
        judge(&j, "test items", v);
    else
        verdict_set(v, CHECK_NOTED, "not judged: the data lacks what the metric needs");
    j.judging.items.count = 0;
    if (suits(flags, data) && v->state != CHECK_FAILED) judge(&j, "no items", v);
    free(scores);
    cru_data_destroy(data);
}

static void case_scores(const void *user, const cru_plugin *plugin, verdict *v)
{
    judge_tiny(plugin, user, NULL, v);
}

static void case_scores_at_limit(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    judge_tiny(plugin, plan->problem, plan, v);
}

void suite_metric(suite *s)
{
    run_claimed(s, (check_case){.body = case_scores});
    if (s->plugin->problems) suite_settings(s, case_scores_at_limit);
}
