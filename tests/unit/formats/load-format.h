// SPDX-License-Identifier: Apache-2.0
/* load-format.h: runs a dataset plugin of the build tree on settings and files, for tests. */
#ifndef TESTS_LOAD_FORMAT_H
#define TESTS_LOAD_FORMAT_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "loader/loader.h"

typedef struct format_run {
    const char *name;
    const char *settings[16]; /* key, text, key, text, ... NULL */
    cru_file files[8];        /* until one without a path */
    uint64_t seed;
} format_run;

/* Fills *data, which the caller destroys; NULL after a failure. Settings that the plugin refuses fail the test. */
static inline cru_status format_load(const format_run *run, cru_data **data, cru_error *err)
{
    char path[500];
    const cru_plugin *plugin = NULL;
    cru_error why = {0};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/datasets/%s.so", run->name);
    cru_status status = plugin_open(path, CRU_KIND_DATASET, run->name, &plugin, &why);
    ck_assert_msg(status == CRU_OK, "%s: %s", path, why.text);
    cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
    for (int i = 0; run->settings[i]; i += 2) {
        status = cru_settings_set(settings, run->settings[i], run->settings[i + 1], &why);
        ck_assert_msg(status == CRU_OK, "%s", why.text);
    }
    cru_source source = {.name = run->name, .files = run->files, .seed = run->seed};
    while (source.count < 8 && run->files[source.count].path) source.count++;
    *data = cru_data_create();
    const cru_loading loading = {.size = sizeof loading,
                                 .settings = cru_settings_struct(settings),
                                 .source = &source,
                                 .data = *data,
                                 .err = err};
    status = ((const cru_dataset *)plugin->vtable)->load(&loading);
    cru_settings_destroy(settings);
    if (status == CRU_OK) {
        cru_status sound = cru_data_check(*data, &why);
        ck_assert_msg(sound == CRU_OK, "%s: %s", run->name, why.text);
        return CRU_OK;
    }
    cru_data_destroy(*data);
    *data = NULL;
    return status;
}

static inline cru_data *format_must_load(const format_run *run)
{
    cru_data *data;
    cru_error err = {0};
    cru_status status = format_load(run, &data, &err);
    ck_assert_msg(status == CRU_OK, "%s: %s", run->name, err.text);
    return data;
}

#endif
