// SPDX-License-Identifier: Apache-2.0
/* A small experiment in a store: methods x datasets x noise rates x seeds, filled by a rule that a test gives. */
#ifndef TESTS_REPORT_DEMO_H
#define TESTS_REPORT_DEMO_H

#include "report/report.h"
#include "store/fixture.h"

typedef struct demo_trial {
    int method, dataset, rate, seed;
} demo_trial;

typedef struct demo {
    const char **methods, **datasets, **rates; /* NULL-terminated */
    int seeds;
    const char *config;
    /* The accuracy; NAN leaves the trial pending; sets *outcome for another ending than ok. */
    double (*accuracy)(demo_trial t, store_outcome *outcome);
} demo;

static inline void demo_add(store *s, int64_t id, const demo *d, demo_trial t)
{
    char key[64], seed[16];
    snprintf(key, sizeof key, "%d-%d-%d-%d", t.method, t.dataset, t.rate, t.seed);
    snprintf(seed, sizeof seed, "%d", t.seed);
    const store_setting settings[] = {{"algorithm", d->methods[t.method]},
                                      {"algorithm.width", t.method ? "32" : "64"},
                                      {"corruptor", "uniform"},
                                      {"corruptor.rate", d->rates[t.rate]},
                                      {"dataset", d->datasets[t.dataset]},
                                      {"dataset.format", t.dataset ? "npz" : "csv"},
                                      {"seed", seed}};
    ok(store_add_trial(s, id, &(store_trial){.key = key, .canonical = "", .settings = settings, .setting_count = 7},
                       &err));
    store_outcome outcome_of = STORE_OK;
    double accuracy = d->accuracy(t, &outcome_of);
    if (isnan(accuracy) && outcome_of == STORE_OK) return;
    ck_assert(claim(s, key));
    const store_number numbers[] = {{"accuracy", accuracy}, {"loss", 1 - accuracy}};
    ok(store_finish(s, key,
                    &(store_result){.outcome = outcome_of,
                                    .seconds_total = 1 + t.method,
                                    .seconds_to_best = 0.5,
                                    .peak_bytes = 1 << 20,
                                    .numbers = numbers,
                                    .number_count = outcome_of == STORE_OK ? 2 : 0},
                    &err));
}

/* Opens a store in the fixture's folder and fills it; the caller closes it. */
static inline store *demo_make(const demo *d)
{
    store *s = open_store(&(store_options){.batch_trials = 1000});
    const store_metric metrics[] = {{"accuracy", CRU_METRIC_PERCENT}, {"loss", CRU_METRIC_LOWER_IS_BETTER}};
    int64_t id;
    ok(store_add_experiment(
        s, &(store_experiment){.name = "demo", .config = d->config, .metrics = metrics, .metric_count = 2}, &id, &err));
    for (int a = 0; d->datasets[a]; a++)
        for (int b = 0; d->rates[b]; b++)
            for (int c = 0; c < d->seeds; c++)
                for (int m = 0; d->methods[m]; m++) demo_add(s, id, d, (demo_trial){m, a, b, c});
    ok(store_flush(s, &err));
    return s;
}

static inline report *demo_report(store *s, report_request request)
{
    report *r;
    if (request.digits == 0) request.digits = -1;
    ok(report_make(s, &request, &r, &err));
    return r;
}

/* Runs a writer into memory; the caller frees the text. */
static inline char *demo_write(const report *r, report_format format)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ok(report_write(r, format, out, &err));
    fclose(out);
    return text;
}

#endif
