// SPDX-License-Identifier: Apache-2.0
/* A registry and dataset cards for tests of the configuration, without any plugin file. */
#ifndef TEST_CONFIG_FAKE_PLUGINS_H
#define TEST_CONFIG_FAKE_PLUGINS_H

#include <stdlib.h>
#include <string.h>

#include "config/config.h"

typedef struct gcn_settings {
    int64_t hidden;
    double lr;
    bool norm;
    int64_t kind;
    cru_list layers;
    const char *note;
} gcn_settings;

static const char *const gcn_kinds[] = {"sym", "rw", NULL};

static const cru_param gcn_params[] = {
    CRU_INT(gcn_settings, hidden, 64, 1, 1024, "width", .search = CRU_ONE_OF(16, 32, 64)),
    CRU_FLOAT(gcn_settings, lr, 0.01, 0, 1, "learning rate", .search = CRU_LOG_UNIFORM(1e-4, 1e-1)),
    CRU_BOOL(gcn_settings, norm, false, "normalise"),
    CRU_CHOICE(gcn_settings, kind, 0, gcn_kinds, "normalisation"),
    CRU_LIST(gcn_settings, layers, "64, 32", 1, 4096, "widths"),
    CRU_STRING(gcn_settings, note, "", "free text"),
    CRU_END,
};

typedef struct rate_settings {
    double rate;
} rate_settings;

static const cru_param rate_params[] = {
    CRU_FLOAT(rate_settings, rate, 0.3, 0, 1, "share of items damaged"),
    CRU_END,
};

typedef struct csv_settings {
    bool directed;
} csv_settings;

static const cru_param csv_params[] = {
    CRU_BOOL(csv_settings, directed, false, "keep the direction of edges"),
    CRU_END,
};

typedef struct sbm_settings {
    int64_t nodes;
} sbm_settings;

static const cru_param sbm_params[] = {
    CRU_INT(sbm_settings, nodes, 1000, 1, 1000000, "how many"),
    CRU_END,
};

typedef struct split_fake {
    double train, val;
    int64_t index, train_size, val_size, test_size, base;
} split_fake;

static const cru_param share_params[] = {
    CRU_FLOAT(split_fake, train, 0.6, 0, 1, "share"),
    CRU_FLOAT(split_fake, val, 0.2, 0, 1, "share"),
    CRU_INT(split_fake, base, -1, -1, 1e9, "seed"),
    CRU_END,
};
static const cru_param official_params[] = {CRU_INT(split_fake, index, -1, -1, 1e6, "which"), CRU_END};
static const cru_param auto_params[] = {
    CRU_INT(split_fake, index, -1, -1, 1e6, "which"),
    CRU_FLOAT(split_fake, train, 0.6, 0, 1, "share"),
    CRU_FLOAT(split_fake, val, 0.2, 0, 1, "share"),
    CRU_END,
};
static const cru_param count_params[] = {
    CRU_INT(split_fake, train_size, 20, 0, 1e9, "count"),
    CRU_INT(split_fake, val_size, 500, 0, 1e9, "count"),
    CRU_INT(split_fake, test_size, 1000, 0, 1e9, "count"),
    CRU_END,
};
#define FAKE_SPLIT(name_, params_, flags_)                                                                             \
    {                                                                                                                  \
        .kind = CRU_KIND_SPLIT, .name = (name_), .settings_size = sizeof(split_fake), .params = (params_),             \
        .flags = (flags_)                                                                                              \
    }

/* The caller destroys it. */
static inline registry *fake_registry(void)
{
    const registry_entry entries[] = {
        {.kind = CRU_KIND_DATASET, .name = "csv", .settings_size = sizeof(csv_settings), .params = csv_params},
        {.kind = CRU_KIND_DATASET,
         .name = "sbm",
         .settings_size = sizeof(sbm_settings),
         .params = sbm_params,
         .problems = CRU_NODES},
        {.kind = CRU_KIND_CORRUPTOR, .name = "uniform", .settings_size = sizeof(rate_settings), .params = rate_params},
        {.kind = CRU_KIND_CORRUPTOR,
         .name = "drop-edges",
         .settings_size = sizeof(rate_settings),
         .params = rate_params},
        {.kind = CRU_KIND_ALGORITHM, .name = "gcn", .settings_size = sizeof(gcn_settings), .params = gcn_params},
        {.kind = CRU_KIND_ALGORITHM, .name = "mlp"},
        FAKE_SPLIT("auto", auto_params, 0),
        FAKE_SPLIT("official", official_params, 0),
        FAKE_SPLIT("per-class", count_params, 0),
        FAKE_SPLIT("percent", share_params, 0),
        FAKE_SPLIT("uniform", share_params, 0),
        FAKE_SPLIT("pll", share_params, CRU_SPLIT_VAL_OF_TRAIN),
        {.kind = CRU_KIND_METRIC, .name = "accuracy"},
        {.kind = CRU_KIND_METRIC, .name = "macro-f1"},
        {.kind = CRU_KIND_METRIC,
         .name = "rare",
         .settings_size = sizeof(rate_settings),
         .params = rate_params,
         .problems = CRU_NODES | CRU_ROWS,
         .flags = CRU_METRIC_OF_TWO_CLASSES},
        {.kind = CRU_KIND_METRIC, .name = "mixing", .problems = CRU_GRAPHS | CRU_ROWS},
        {.kind = CRU_KIND_METRIC, .name = "likeness", .problems = CRU_ROWS, .flags = CRU_METRIC_OF_FEATURES},
    };
    registry *r = registry_create();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        registry_entry entry = entries[i];
        entry.version = "1.0";
        entry.summary = "fake";
        entry.path = "/fake.so";
        if (registry_add(r, &entry) != CRU_OK) abort();
    }
    registry_sort(r);
    return r;
}

/* Knows the cards cora, citeseer and digits, all in csv format; cora's card sets directed, that of digits tells its
 * task and counts. */
static inline cru_status fake_find(void *user, const char *name, const data_places *places, data_found *found,
                                   cru_error *err)
{
    (void)user, (void)places;
    *found = (data_found){0};
    const char *text = NULL;
    if (strcmp(name, "cora") == 0)
        text = "[dataset]\nname = cora\nformat = csv\n[files]\nx = x.csv\n[settings]\ndirected = true\n";
    else if (strcmp(name, "citeseer") == 0)
        text = "[dataset]\nname = citeseer\nformat = csv\n[files]\nx = x.csv\n"
               "[protocols]\nnoisygl = scheme = percent, train = 0.05, val = 0.15\nigl = scheme = per-class\n"
               "bad = scheme = percent, test_size = 3\n";
    else if (strcmp(name, "digits") == 0)
        text = "[dataset]\nname = digits\nformat = csv\ntask = rows\n[files]\nx = x.csv\n"
               "[expect]\nclasses = 10\nfeatures = 0\n";
    if (!text) return cru_fail(err, CRU_UNSUPPORTED, "there is no dataset card '%s'", name);
    cru_status status = card_parse(text, strlen(text), "fake.ini", &found->card, err);
    if (status == CRU_OK) found->format = found->card->format;
    return status;
}

#endif
