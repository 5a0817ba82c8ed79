// SPDX-License-Identifier: Apache-2.0
/* judging.h: runs a metric of the build tree on labels and scores, for tests. */
#ifndef TESTS_JUDGING_H
#define TESTS_JUDGING_H

#include <check.h>
#include <math.h>
#include <stdio.h>

#include <crucible/csr.h>

#include "loader/loader.h"

typedef struct judging {
    cru_data *data;
    const float *scores; /* items x classes */
    cru_ids items;
    const float *embedding; /* items x embedding_cols, or NULL */
    int64_t embedding_cols;
    cru_report *report; /* NULL: nobody listens */
    const double *label_weights;
} judging;

/* Items with these true labels, all of them judged. The scores stay the caller's. */
static inline judging judging_create(const int32_t *truth, int64_t n, int32_t classes, const float *scores)
{
    cru_data *data = cru_data_create();
    data->problem = CRU_NODES;
    data->items = data->nodes = n;
    data->classes = classes;
    data->truth = cru_data_alloc(data, n ? n : 1, sizeof *data->truth);
    int32_t *ids = cru_data_alloc(data, n ? n : 1, sizeof *ids);
    for (int32_t i = 0; i < n; i++) {
        data->truth[i] = truth[i];
        ids[i] = i;
    }
    return (judging){.data = data, .scores = scores, .items = {ids, n}};
}

/* `settings_of` has keys and values in turn and ends in NULL; NULL itself stands for the defaults. */
static inline cru_status judging_try(const judging *j, const char *name, const char *const *settings_of, double *value,
                                     cru_error *err)
{
    char path[500];
    const cru_plugin *plugin = NULL;
    static const cru_param none[] = {CRU_END};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/metrics/%s.so", name);
    ck_assert_msg(plugin_open(path, CRU_KIND_METRIC, name, &plugin, err) == CRU_OK, "%s: %s", path, err->text);
    cru_settings *settings = cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size);
    for (const char *const *k = settings_of; k && *k; k += 2)
        ck_assert_msg(cru_settings_set(settings, k[0], k[1], err) == CRU_OK, "%s", err->text);
    const cru_judging asked = {.size = sizeof asked,
                               .settings = cru_settings_struct(settings),
                               .data = j->data,
                               .scores = j->scores,
                               .items = j->items,
                               .embedding = j->embedding,
                               .embedding_cols = j->embedding_cols,
                               .report = j->report,
                               .err = err,
                               .label_weights = j->label_weights};
    cru_status status = ((const cru_metric *)plugin->vtable)->score(&asked, value);
    cru_settings_destroy(settings);
    return status;
}

/* The value with default settings, or with one that differs. */
static inline double judging_with(const judging *j, const char *name, const char *key, const char *text)
{
    double value = 0;
    cru_error err = {0};
    const char *settings_of[] = {key, text, NULL};
    cru_status status = judging_try(j, name, settings_of, &value, &err);
    ck_assert_msg(status == CRU_OK, "%s: %s", name, err.text);
    return value;
}

static inline double judging_score(const judging *j, const char *name)
{
    return judging_with(j, name, NULL, NULL);
}

/* Edges u -> v as pairs u, v; undirected ones are listed once. */
static inline void judging_join(judging *j, const double *pairs, int64_t count, bool directed)
{
    int32_t row[800], col[800];
    int64_t entries = 0;
    ck_assert_int_le(count, 400);
    for (int64_t e = 0; e < count; e++) { /* u -> v is the entry (v, u) */
        const int32_t u = (int32_t)pairs[2 * e], v = (int32_t)pairs[2 * e + 1];
        row[entries] = v, col[entries++] = u;
        if (!directed) row[entries] = u, col[entries++] = v;
    }
    const cru_coo coo = {.rows = j->data->nodes, .cols = j->data->nodes, .count = entries, .row = row, .col = col};
    j->data->graph = cru_csr_from_coo(cru_data_pool(j->data), &coo, CRU_DUP_FIRST);
}

static inline void judging_destroy(judging *j)
{
    cru_data_destroy(j->data);
}

#endif
