// SPDX-License-Identifier: Apache-2.0
/* A method without fault, with a parameter of every type. */
#include "algorithm-stub.h"

typedef struct settings {
    int64_t hidden;
    double rate;
    bool norm;
    int64_t mode;
    const char *label;
    cru_list widths;
    struct {
        int64_t epochs;
    } train;
} settings;

static const char *const modes[] = {"sym", "rw", NULL};
static const cru_param train_schema[] = {
    {.key = "epochs", .type = CRU_PARAM_INT, .number = 10, .min = 0, .max = 1000, .help = "how long to train"},
    CRU_END,
};
static const cru_param schema[] = {
    CRU_INT(settings, hidden, 64, 1, 4096, "width of the hidden layer", .search = CRU_POWER_OF_2(4, 8)),
    CRU_FLOAT(settings, rate, 0.5, 0, 1, "share that is dropped", .search = CRU_ONE_OF(0.1, 0.5)),
    CRU_BOOL(settings, norm, true, "normalise"),
    CRU_CHOICE(settings, mode, 1, modes, "how to normalise", .search = CRU_ANY_CHOICE),
    CRU_STRING(settings, label, "none", "a word"),
    CRU_LIST(settings, widths, "64, 32", 1, 4096, "widths of the layers"),
    CRU_GROUP(settings, train, train_schema),
    CRU_END,
};

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = stub_fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "good-algorithm",
    .version = "1.2",
    .summary = "class frequencies with a little noise",
    .authors = "The authors",
    .citation = "Nobody. Class Frequencies. 2024.",
    .license = "MIT",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
