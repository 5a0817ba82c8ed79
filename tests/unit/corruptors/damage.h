// SPDX-License-Identifier: Apache-2.0
/* damage.h: runs a corruptor of the build tree on made-up data, and keeps what it reports. */
#ifndef TESTS_DAMAGE_H
#define TESTS_DAMAGE_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include <crucible/csr.h>

#include "loader/loader.h"

/* Items 0 .. n-1 with labels in turn: the first half trains, the next quarter validates, the rest tests. */
static inline cru_data *damage_data(int64_t n, int32_t classes)
{
    cru_data *data = cru_data_create();
    data->problem = CRU_ROWS;
    data->items = data->nodes = n;
    data->classes = classes;
    data->truth = cru_data_alloc(data, n, sizeof *data->truth);
    data->labels = cru_data_alloc(data, n, sizeof *data->labels);
    int32_t *ids = cru_data_alloc(data, n, sizeof *ids);
    float *x = cru_data_alloc(data, n, sizeof *x);
    for (int32_t i = 0; i < n; i++) {
        data->truth[i] = data->labels[i] = i % classes;
        ids[i] = i;
        x[i] = (float)i;
    }
    data->x = (cru_features){.rows = n, .cols = 1, .dense = x};
    data->split.train = (cru_ids){ids, n / 2};
    data->split.val = (cru_ids){ids + n / 2, n / 4};
    data->split.test = (cru_ids){ids + n / 2 + n / 4, n - n / 2 - n / 4};
    return data;
}

enum { DAMAGE_MOST = 24, DAMAGE_VALUES = 512 };

typedef struct damage_report {
    int count;
    char name[DAMAGE_MOST][32];
    double value[DAMAGE_MOST][DAMAGE_VALUES];
} damage_report;

static inline void damage_put(void *user, const char *name, const double *values, int64_t count)
{
    damage_report *report = user;
    ck_assert_int_lt(report->count, DAMAGE_MOST);
    ck_assert_int_le(count, DAMAGE_VALUES);
    snprintf(report->name[report->count], sizeof report->name[0], "%s", name);
    memcpy(report->value[report->count++], values, (size_t)count * sizeof *values);
}

/* The reported numbers; never NULL. */
static inline const double *damage_reported(const damage_report *report, const char *name)
{
    for (int i = 0; i < report->count; i++)
        if (strcmp(report->name[i], name) == 0) return report->value[i];
    ck_abort_msg("%s is not reported", name);
    return NULL;
}

typedef struct damage {
    const char *name;
    const char *settings[12]; /* key, text, key, text, ... NULL */
    uint64_t seed;
} damage;

static inline cru_status damage_try(const damage *d, cru_data *data, damage_report *report, cru_error *err)
{
    char path[500];
    const cru_plugin *plugin = NULL;
    cru_error why = {0};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/corruptors/%s.so", d->name);
    ck_assert_msg(plugin_open(path, CRU_KIND_CORRUPTOR, d->name, &plugin, &why) == CRU_OK, "%s: %s", path, why.text);
    cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
    for (int i = 0; d->settings[i]; i += 2)
        ck_assert_msg(cru_settings_set(settings, d->settings[i], d->settings[i + 1], &why) == CRU_OK, "%s", why.text);
    cru_rng rng = cru_rng_stream(d->seed, "corruption", 0);
    cru_report sink = {.sink = {.put = damage_put, .user = report}};
    data->seed = d->seed;
    const cru_damage job = {.size = sizeof job,
                            .settings = cru_settings_struct(settings),
                            .data = data,
                            .rng = &rng,
                            .report = &sink,
                            .err = err};
    cru_status status = ((const cru_corruptor *)plugin->vtable)->apply(&job);
    cru_settings_destroy(settings);
    if (status == CRU_OK) ck_assert_msg(cru_data_check(data, &why) == CRU_OK, "%s: %s", d->name, why.text);
    return status;
}

static inline void damage_apply(const damage *d, cru_data *data, damage_report *report)
{
    cru_error err = {0};
    *report = (damage_report){0};
    ck_assert_msg(damage_try(d, data, report, &err) == CRU_OK, "%s: %s", d->name, err.text);
}

#endif
