// SPDX-License-Identifier: Apache-2.0
#include "judge/judge-maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/random.h>

#include "protocol/method-report.h"

void maker_step(maker *m, const char *kind, const char *name)
{
    snprintf(m->board->step, sizeof m->board->step, "%s %s", kind, name);
}

/* ---- making a problem ------------------------------------------------------------------------------------ */

static void put_labelled(void *user, const char *name, const double *values, int64_t count)
{
    const labelled_records *l = user;
    char full[200];
    snprintf(full, sizeof full, "%s.%s", l->label, name);
    records_put(l->into, full, values, count);
}

static void put_labelled_matrix(void *user, const char *name, const double *values, int64_t rows, int64_t cols)
{
    const labelled_records *l = user;
    char full[200];
    snprintf(full, sizeof full, "%s.%s", l->label, name);
    records_put_matrix(l->into, full, values, rows, cols);
}

cru_report labelled_report(labelled_records *sink)
{
    return (cru_report){.sink = {.put = put_labelled, .put_matrix = put_labelled_matrix, .user = sink}};
}

data_request maker_request(const maker *m, const trial *t)
{
    return (data_request){.name = t->dataset->name,
                          .plugins = m->setup->plugins,
                          .settings = t->dataset->given,
                          .setting_count = t->dataset->given_count,
                          .seed = t->seed,
                          .places = &m->places};
}

static cru_status check(const cru_data *data, const char *kind, const char *name, cru_error *err)
{
    cru_error why = {0};
    if (cru_data_check(data, &why) == CRU_OK) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s %s left broken data: %s", kind, name, why.text);
}

static bool has_labels(const cru_data *data)
{
    for (int64_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED) return true;
    return false;
}

static cru_status divide(maker *m, const trial *t, cru_data *data, cru_error *err)
{
    const variant *v = t->split;
    if (!has_labels(data))
        return cru_fail(err, CRU_UNSUPPORTED, "this dataset has no labels: there is nothing to learn and to test");
    const cru_plugin *plugin;
    maker_step(m, "split", v->name);
    cru_status status = judge_plugin(&m->plugins, v->plugin, &plugin, err);
    if (status) return status;
    cru_rng rng = cru_rng_stream(t->seed, "split", 0);
    cru_settings *settings = variant_settings(v);
    cru_error why = {0};
    const cru_dividing dividing = {
        .size = sizeof dividing, .settings = cru_settings_struct(settings), .data = data, .rng = &rng, .err = &why};
    status = ((const cru_splitter *)plugin->vtable)->divide(&dividing);
    cru_settings_destroy(settings);
    if (status) return cru_fail(err, status, "split %s: %s", v->name, why.text);
    return check(data, "split", v->name, err);
}

static cru_status open_clean(maker *m, const trial *t, cru_data **data, cru_error *err)
{
    data_request request = maker_request(m, t);
    maker_step(m, "dataset", t->dataset->name);
    cru_status status = data_open(&request, data, err);
    m->no_data = status == CRU_IO;
    if (status) return status;
    (*data)->seed = t->seed;
    cru_settings *preprocess = variant_settings(t->preprocess);
    status = data_preprocess(cru_settings_struct(preprocess), *data, err);
    cru_settings_destroy(preprocess);
    return status ? status : divide(m, t, *data, err);
}

/* The items to test on, to tell whether damage has replaced the split. `ids` is NULL where there is no memory: nothing
 * is told then. */
typedef struct tested {
    int32_t *ids;
    int64_t count;
} tested;

static tested note_tested(const cru_data *data)
{
    const cru_ids test = data->split.test;
    tested before = {malloc((size_t)test.count * sizeof *before.ids + 1), test.count};
    if (before.ids && test.count) memcpy(before.ids, test.ids, (size_t)test.count * sizeof *before.ids);
    return before;
}

/* A corruptor that deals out the parts anew is reported, or its column of a table would stand beside others that keep
 * the experiment's own split without a word. */
static void tell_new_split(const cru_data *data, tested *before, cru_report *report)
{
    const cru_ids test = data->split.test;
    const bool same = before->ids && before->count == test.count &&
                      (!test.count || memcmp(before->ids, test.ids, (size_t)test.count * sizeof *test.ids) == 0);
    if (before->ids && !same) cru_report_number(report, "new_split", 1);
    free(before->ids);
}

static cru_status corrupt(maker *m, const trial *t, int32_t position, cru_data *data, records *reports, cru_error *err)
{
    const variant *v = t->chain[position];
    const cru_plugin *plugin;
    maker_step(m, "corruptor", v->name);
    cru_status status = judge_plugin(&m->plugins, v->plugin, &plugin, err);
    if (status) return status;
    if (!(plugin->problems & (uint32_t)data->problem)) {
        char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
        return cru_fail(err, CRU_UNSUPPORTED, "corruptor %s damages %s, and %s is %s", v->name,
                        problems_text(plugin->problems, can), t->dataset->name,
                        problems_text((uint32_t)data->problem, is));
    }
    labelled_records sink = {reports, v->label};
    cru_report report = labelled_report(&sink);
    cru_rng rng = cru_rng_stream(t->seed, "corruption", (uint64_t)position);
    cru_settings *settings = variant_settings(v);
    cru_error why = {0};
    tested before = note_tested(data);
    const cru_damage damage = {.size = sizeof damage,
                               .settings = cru_settings_struct(settings),
                               .data = data,
                               .rng = &rng,
                               .report = &report,
                               .err = &why};
    status = ((const cru_corruptor *)plugin->vtable)->apply(&damage);
    cru_settings_destroy(settings);
    tell_new_split(data, &before, &report);
    if (status) return cru_fail(err, status, "corruptor %s: %s", v->name, why.text);
    return check(data, "corruptor", v->name, err);
}

cru_status maker_make(maker *m, const trial *t, cru_data **data, records *reports, cru_error *err)
{
    *data = NULL;
    cru_status status = open_clean(m, t, data, err);
    for (int32_t i = 0; !status && i < t->chain_count; i++) status = corrupt(m, t, i, *data, reports, err);
    if (status && *data) {
        cru_data_destroy(*data);
        *data = NULL;
    }
    return status;
}
