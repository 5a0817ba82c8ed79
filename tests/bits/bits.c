// SPDX-License-Identifier: Apache-2.0
/* crucible-bits FILE.so...: trains every method for a moment on each tiny problem that it claims, and prints a checksum
 * of the scores' bits, and how many are NaN where any are. Wrappers train mlp, where it is among the files.
 * tests/integration/same-bits.sh compares what two compilers print. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <crucible/crucible.h>

#include "check/tiny.h"
#include "loader/loader.h"

/* Enough steps for every phase of a method to begin; few enough to be over soon. */
static const char *const brief[][2] = {{"epochs", "6"},     {"steps", "12"},       {"warm_up", "2"},
                                       {"prot_start", "4"}, {"moco_queue", "256"}, {"batch_size", "8"},
                                       {"pretrain", "3"},   {"same_views", "true"}};

/* FNV-1a. All NaN count as one: the sign and the payload of x + y of two NaN depend on which operand comes first. */
static uint64_t checksum(const float *values, int64_t count)
{
    uint64_t hash = 1469598103934665603u;
    for (int64_t i = 0; i < count; i++) {
        const float value = isnan(values[i]) ? NAN : values[i];
        unsigned char bytes[sizeof value];
        memcpy(bytes, &value, sizeof value);
        for (size_t k = 0; k < sizeof value; k++) hash = (hash ^ bytes[k]) * 1099511628211u;
    }
    return hash;
}

static int64_t count_nan(const float *values, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) found += isnan(values[i]) != 0;
    return found;
}

static void print_scores(const char *method, const char *problem, const float *scores, int64_t count)
{
    printf("%-18s %-22s %016" PRIx64, method, problem, checksum(scores, count));
    const int64_t nan = count_nan(scores, count);
    if (nan) printf("  %lld of %lld are NaN", (long long)nan, (long long)count);
    printf("\n");
}

static cru_settings *brief_settings(const cru_plugin *plugin)
{
    static const cru_param none[] = {CRU_END};
    cru_settings *s = cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size);
    for (size_t i = 0; i < sizeof brief / sizeof *brief; i++) {
        cru_error ignored = {0};
        cru_settings_set(s, brief[i][0], brief[i][1], &ignored); /* keys that a method does not have */
    }
    return s;
}

static void run(const cru_plugin *plugin, const cru_inner *inner, const tiny_problem *problem)
{
    const cru_algorithm *method = plugin->vtable;
    cru_data *data = tiny_create(problem);
    cru_settings *settings = brief_settings(plugin);
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = 7, .inner = inner});
    cru_task task;
    void *self = NULL;
    cru_error err = {0};
    cru_status status = cru_data_task(data, 0, &task, &err);
    if (!status) status = method->create(&self, plugin, cru_settings_struct(settings), &task, ctx);
    if (!status) status = method->fit(self, NULL);
    float *scores = cru_ctx_alloc(ctx, task.items * task.classes, sizeof *scores);
    if (!status) status = method->predict(self, scores);
    if (status == CRU_OK || status == CRU_DIVERGED)
        print_scores(plugin->name, problem->name, scores, task.items * task.classes);
    else
        printf("%-18s %-22s %s\n", plugin->name, problem->name, cru_status_name(status));
    if (self && method->destroy) method->destroy(self);
    cru_ctx_destroy(ctx);
    cru_settings_destroy(settings);
    cru_data_destroy(data);
}

/* The plugin of a file; NULL: it has been said why there is none. */
static const cru_plugin *open_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[80];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    if (strchr(name, '.')) *strchr(name, '.') = 0;
    const cru_plugin *plugin = NULL;
    cru_error err = {0};
    if (plugin_open(path, CRU_KIND_ALGORITHM, name, &plugin, &err)) fprintf(stderr, "%s: %s\n", path, err.text);
    return plugin;
}

int main(int argc, char **argv)
{
    const cru_plugin *inside = NULL;
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], "/mlp.so")) inside = open_file(argv[i]);
    cru_settings *settings = inside ? brief_settings(inside) : NULL;
    const cru_inner inner = {.plugin = inside, .settings = settings ? cru_settings_struct(settings) : NULL};
    for (int i = 1; i < argc; i++) {
        const cru_plugin *plugin = open_file(argv[i]);
        if (!plugin) return 1;
        const bool wraps = ((const cru_algorithm *)plugin->vtable)->flags & CRU_ALGORITHM_WRAPS;
        const uint32_t problems = plugin->problems & (wraps && inside ? inside->problems : ~0u);
        for (const tiny_problem *p = tiny_problems; p->name; p++)
            if (problems & (uint32_t)p->problem) run(plugin, wraps && inside ? &inner : NULL, p);
    }
    cru_settings_destroy(settings);
    return 0;
}
