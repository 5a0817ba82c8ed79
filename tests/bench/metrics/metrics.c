// SPDX-License-Identifier: Apache-2.0
/* Times metrics at the size of the largest graph of the anomaly studies, for tools/bench --metrics.
 *
 *     crucible-bench-metrics PLUGIN-FOLDER [SHARE]
 *
 * Rankings of 6 M scores; homophily of 5.8 M nodes and 73 M edges, stored in both directions, between random nodes so
 * that no cache helps. SHARE of 0..1 makes everything smaller. A line a metric: name, value, elapsed and processor
 * seconds, and by how many bytes the peak of memory rose. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <crucible/random.h>

#include "loader/loader.h"

enum { SCORES = 6000000, NODES = 5800000, EDGES = 73000000, CLASSES = 10 };

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void *room(cru_data *data, int64_t count, size_t size)
{
    void *memory = cru_data_alloc(data, count, size);
    if (memory) return memory;
    fprintf(stderr, "crucible-bench-metrics: no memory\n");
    exit(1);
}

static cru_data *data_create(int64_t items, int32_t classes)
{
    cru_data *data = cru_data_create();
    cru_rng rng = cru_rng_stream(1, "truth", 0);
    data->problem = CRU_ANOMALY;
    data->items = data->nodes = items;
    data->classes = classes;
    data->truth = room(data, items, sizeof *data->truth);
    for (int64_t i = 0; i < items; i++) data->truth[i] = (int32_t)cru_rng_below(&rng, classes);
    return data;
}

static int by_id(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Every node has the same number of neighbours, anywhere. */
static void add_graph(cru_data *data)
{
    enum { DEGREE = 2 * EDGES / NODES };
    cru_rng rng = cru_rng_stream(2, "graph", 0);
    int64_t *offsets = room(data, data->nodes + 1, sizeof *offsets);
    int32_t *ids = room(data, data->nodes * DEGREE, sizeof *ids);
    for (int64_t v = 0; v < data->nodes; v++) {
        int32_t *row = ids + v * DEGREE;
        offsets[v + 1] = (v + 1) * DEGREE;
        for (int64_t k = 0; k < DEGREE; k++) row[k] = (int32_t)cru_rng_below(&rng, data->nodes);
        qsort(row, DEGREE, sizeof *row, by_id);
    }
    data->graph = (cru_csr){.rows = data->nodes, .cols = data->nodes, .offsets = offsets, .ids = ids};
}

static void time_metric(const char *folder, const char *name, cru_judging judging)
{
    static const cru_param none[] = {CRU_END};
    char path[1000];
    const cru_plugin *plugin;
    cru_error err = {0};
    double value = 0;
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    if (plugin_open(path, CRU_KIND_METRIC, name, &plugin, &err) != CRU_OK) {
        fprintf(stderr, "crucible-bench-metrics: %s\n", err.text);
        exit(1);
    }
    cru_settings *settings = cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size);
    const cru_metric *metric = plugin->vtable;
    const double before = peak_bytes(), start = seconds_on(CLOCK_MONOTONIC),
                 used = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    judging.settings = cru_settings_struct(settings);
    judging.err = &err;
    const cru_status status = metric->score(&judging, &value);
    const double elapsed = seconds_on(CLOCK_MONOTONIC) - start, processor = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - used;
    cru_settings_destroy(settings);
    printf("%s %.6f %.3f %.3f %.0f\n", name, status == CRU_OK ? value : -1, elapsed, processor, peak_bytes() - before);
    fflush(stdout);
}

static void time_rankings(const char *folder, int64_t items)
{
    cru_data *data = data_create(items, 2);
    cru_rng rng = cru_rng_stream(3, "scores", 0);
    float *scores = room(data, 2 * items, sizeof *scores);
    int32_t *all = room(data, items, sizeof *all);
    cru_rng_fill_normal(&rng, scores, 2 * items, 0, 1);
    for (int32_t i = 0; i < items; i++) all[i] = i;
    const cru_judging judging = {.size = sizeof judging, .data = data, .scores = scores, .items = {all, items}};
    time_metric(folder, "auroc", judging);
    time_metric(folder, "auprc", judging);
    cru_data_destroy(data);
}

static void time_homophily(const char *folder, int64_t nodes)
{
    static const char *const names[] = {"edge-homophily", "node-homophily", "adjusted-homophily",
                                        "label-informativeness", "aggregation-homophily"};
    cru_data *data = data_create(nodes, CLASSES);
    add_graph(data);
    const cru_judging judging = {.size = sizeof judging, .data = data};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) time_metric(folder, names[i], judging);
    cru_data_destroy(data);
}

int main(int argc, char **argv)
{
    const double share = argc > 2 ? atof(argv[2]) : 1;
    if (argc < 2 || !(share > 0 && share <= 1)) {
        fprintf(stderr, "usage: crucible-bench-metrics PLUGIN-FOLDER [SHARE]\n");
        return 2;
    }
    time_rankings(argv[1], (int64_t)(share * SCORES));
    time_homophily(argv[1], (int64_t)(share * NODES));
    return 0;
}
