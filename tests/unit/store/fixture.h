// SPDX-License-Identifier: Apache-2.0
/* A store in a temporary folder, and short ways to fill it. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <crucible/plugin.h>

#include "store/store.h"

#define ok(call) ck_assert_msg((call) == CRU_OK, "%s: %s", #call, err.text)

static char folder[64], path[96];
static cru_error err;

static void make_folder(void)
{
    err = (cru_error){0};
    snprintf(folder, sizeof folder, "/tmp/crucible-store-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/results.db", folder);
}

static void remove_folder(void)
{
    char file[128];
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (int i = 0; i < 4; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    rmdir(folder);
}

static inline store *open_store(const store_options *options)
{
    store *s;
    ok(store_open(path, options, &s, &err));
    return s;
}

static inline int64_t add_experiment(store *s, const char *name)
{
    static const store_metric metrics[] = {{"accuracy", CRU_METRIC_PERCENT}, {"loss", CRU_METRIC_LOWER_IS_BETTER}};
    int64_t id;
    store_experiment experiment = {
        .name = name, .config = "[experiment]", .environment = "cpu = test\n", .metrics = metrics, .metric_count = 2};
    ok(store_add_experiment(s, &experiment, &id, &err));
    return id;
}

static inline void add_trial(store *s, int64_t experiment, const char *key)
{
    const store_setting settings[] = {{"algorithm", "gcn"}, {"dataset", "cora"}, {"seed", key}};
    store_trial trial = {.key = key, .canonical = "all settings", .settings = settings, .setting_count = 3};
    ok(store_add_trial(s, experiment, &trial, &err));
}

static inline bool claim(store *s, const char *key)
{
    bool won;
    ok(store_claim(s, key, &won, &err));
    return won;
}

static inline void finish(store *s, const char *key, double accuracy)
{
    const store_number numbers[] = {{"accuracy", accuracy}};
    store_result result = {.outcome = STORE_OK,
                           .seconds_total = 2,
                           .seconds_to_best = 1,
                           .seconds_construct = 0.25,
                           .seconds_train = 1.5,
                           .peak_bytes = 1000,
                           .best_epoch = 7,
                           .numbers = numbers,
                           .number_count = 1};
    ok(store_finish(s, key, &result, &err));
}

static inline double number(store *s, const char *key, const char *name)
{
    double value;
    ok(store_get_number(s, key, name, &value, &err));
    return value;
}

static inline store_outcome outcome(store *s, const char *key)
{
    store_outcome value;
    ok(store_status(s, key, &value, NULL, &err));
    return value;
}

#endif
