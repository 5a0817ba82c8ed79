// SPDX-License-Identifier: Apache-2.0
/* On the dataset runner-secret it answers by lot, whatever x is: on test items by draws from its seed, on validation items by
 * their numbers. So trials whose test scores agree drew the same, and trials whose validation scores agree met the
 * same split. */
#include "algorithm-stub.h"
#include "runner-secret.h"

typedef struct settings {
    double x;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, x, 0.5, 0, 1, "nothing depends on it", .search = CRU_UNIFORM(0, 1)),
    CRU_END,
};

static void answer(const stub *s, int32_t item, bool right)
{
    const int32_t classes = s->task->classes, choice = (secret_label(item) + !right) % classes;
    for (int32_t k = 0; k < classes; k++) s->scores[(int64_t)item * classes + k] = k == choice ? 1.0f : 0.0f;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    const stub *s = self;
    const cru_split *split = &s->task->split;
    cru_rng rng = cru_ctx_stream(s->ctx, "answers");
    if (s->task->seed != cru_ctx_seed(s->ctx)) return cru_ctx_fail(s->ctx, CRU_FAILED, "two seeds");
    for (int64_t i = 0; i < split->val.count; i++) answer(s, split->val.ids[i], split->val.ids[i] % 3 == 0);
    for (int64_t i = 0; i < split->test.count; i++) answer(s, split->test.ids[i], cru_rng_uniform(&rng) < 0.5);
    cru_monitor_epoch(monitor, 0, NAN, s->scores);
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "search-drawing",
    .version = "1.0",
    .summary = "answers by lot",
    .problems = CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
