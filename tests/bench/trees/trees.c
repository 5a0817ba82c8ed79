// SPDX-License-Identifier: Apache-2.0
/* crucible-bench-trees DATASET...: what xgb-graph's neighbourhoods cost beside XGBoost itself.
 *
 * `create` aggregates the features over two hops and gathers the training rows, `fit` boosts and predicts: the medians
 * of their processor times over a few runs on the fully supervised task of the anomaly study, one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <crucible/crucible.h>

#include "data/preprocess.h"
#include "loader/loader.h"

enum { RUNS = 3, SECONDS_TO_MS = 1000 };

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return SECONDS_TO_MS * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct bench {
    registry *plugins;
    const cru_plugin *plugin;
    cru_error err;
} bench;

/* As scikit-learn would, 0.4 and 0.2: the defaults. */
static cru_status divide(bench *b, cru_data *data)
{
    const registry_entry *entry = registry_find(b->plugins, CRU_KIND_SPLIT, "stratified");
    const cru_plugin *plugin;
    if (!entry) return cru_fail(&b->err, CRU_FAILED, "there is no split stratified");
    cru_status status = plugin_open(entry->path, CRU_KIND_SPLIT, entry->name, &plugin, &b->err);
    if (status) return status;
    cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
    cru_rng rng = cru_rng_stream(0, "split", 0);
    const cru_dividing job = {
        .size = sizeof job, .settings = cru_settings_struct(settings), .data = data, .rng = &rng, .err = &b->err};
    status = ((const cru_splitter *)plugin->vtable)->divide(&job);
    cru_settings_destroy(settings);
    return status;
}

static cru_status make_task(bench *b, const char *name, cru_data **data, cru_task *task)
{
    const data_request request = {.name = name, .plugins = b->plugins};
    const preprocess_settings loops = {.self_loops = LOOPS_ADD};
    cru_status status = data_open(&request, data, &b->err);
    if (!status) status = data_preprocess(&loops, *data, &b->err);
    if (!status) status = divide(b, *data);
    return status ? status : cru_data_task(*data, 0, task, &b->err);
}

static cru_status time_method(bench *b, const cru_task *task, double ms[2])
{
    const cru_plugin *plugin = b->plugin;
    const cru_algorithm *method = plugin->vtable;
    double build[RUNS], train[RUNS];
    for (int run = 0; run < RUNS; run++) {
        cru_ctx *ctx = cru_ctx_create(NULL);
        cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
        void *self = NULL;
        const double start = processor_ms();
        cru_status status = method->create(&self, plugin, cru_settings_struct(settings), task, ctx);
        const double built = processor_ms();
        if (!status) status = method->fit(self, NULL);
        train[run] = processor_ms() - built;
        build[run] = built - start;
        if (status) cru_fail(&b->err, status, "%s", cru_ctx_error(ctx)->text);
        if (self) method->destroy(self);
        cru_settings_destroy(settings);
        cru_ctx_destroy(ctx);
        if (status) return status;
    }
    qsort(build, RUNS, sizeof *build, by_size);
    qsort(train, RUNS, sizeof *train, by_size);
    ms[0] = build[RUNS / 2];
    ms[1] = train[RUNS / 2];
    return CRU_OK;
}

static cru_status measure(bench *b, const char *name)
{
    cru_data *data = NULL;
    cru_task task;
    double ms[2];
    cru_status status = make_task(b, name, &data, &task);
    if (!status) status = time_method(b, &task, ms);
    if (!status)
        printf("%-16s %8lld %9lld %5lld %10.1f %10.1f %8.1f %%\n", name, (long long)task.nodes,
               (long long)cru_csr_nnz(&task.graph), (long long)task.x.cols, ms[0], ms[1], 100 * ms[0] / ms[1]);
    cru_data_destroy(data);
    return status;
}

static cru_status open_method(bench *b)
{
    cru_status status = loader_scan(NULL, &b->plugins, NULL, &b->err);
    if (status) return status;
    const registry_entry *entry = registry_find(b->plugins, CRU_KIND_ALGORITHM, "xgb-graph");
    if (!entry) return cru_fail(&b->err, CRU_FAILED, "there is no plugin xgb-graph");
    return plugin_open(entry->path, CRU_KIND_ALGORITHM, "xgb-graph", &b->plugin, &b->err);
}

int main(int count, char **names)
{
    bench b = {0};
    cru_status status = open_method(&b);
    printf("%-16s %8s %9s %5s %10s %10s %10s\n", "dataset", "nodes", "arcs", "cols", "hops ms", "xgboost ms", "added");
    for (int i = 1; i < count && !status; i++) status = measure(&b, names[i]);
    if (status) fprintf(stderr, "%s: %s\n", names[0], b.err.text);
    registry_destroy(b.plugins);
    return status != CRU_OK;
}
