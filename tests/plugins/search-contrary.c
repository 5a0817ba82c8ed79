// SPDX-License-Identifier: Apache-2.0
/* On the dataset runner-secret it answers rightly for a share x of the validation items and for a share 1 - x of the
 * test items: who chooses x by validation score gets the worst test score, who looks at the test score gets the
 * best. */
#include "algorithm-stub.h"
#include "runner-secret.h"

typedef struct settings {
    double x;
    bool fail;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, x, 0.5, 0, 1, "share of right answers on validation items", .search = CRU_UNIFORM(0, 1)),
    CRU_BOOL(settings, fail, false, "fail instead"),
    CRU_END,
};

static void answer(const stub *s, const cru_ids *ids, double share)
{
    const cru_task *task = s->task;
    for (int64_t i = 0; i < ids->count; i++) {
        int32_t item = ids->ids[i], right = secret_label(item);
        int32_t choice = (double)i < share * (double)ids->count ? right : (right + 1) % task->classes;
        for (int32_t k = 0; k < task->classes; k++)
            s->scores[(int64_t)item * task->classes + k] = k == choice ? 1.0f : 0.0f;
    }
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    const stub *s = self;
    const settings *set = s->settings;
    if (set->fail) return cru_ctx_fail(s->ctx, CRU_FAILED, "as it was told");
    answer(s, &s->task->split.val, set->x);
    answer(s, &s->task->split.test, 1 - set->x);
    cru_monitor_epoch(monitor, 0, NAN, s->scores);
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "search-contrary",
    .version = "1.0",
    .summary = "good on validation items exactly when it is bad on test items",
    .problems = CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
