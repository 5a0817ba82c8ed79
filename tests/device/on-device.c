// SPDX-License-Identifier: Apache-2.0
#include "on-device.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/tensor.h>
#include <crucible/plugin.h>

/* ---- choosing -------------------------------------------------------------------------------------------- */

static const cru_backend *backend_load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module != NULL, "CRUCIBLE_TEST_DEVICE: %s", dlerror());
    const cru_plugin *plugin = dlsym(module, "crucible_plugin");
    ck_assert_msg(plugin && plugin->kind == CRU_KIND_BACKEND, "CRUCIBLE_TEST_DEVICE: %s is not a backend", path);
    return plugin->vtable;
}

static size_t name_length(const char *device)
{
    const char *colon = strrchr(device, ':');
    return colon ? (size_t)(colon - device) : strlen(device);
}

const cru_backend *test_device(void)
{
    static const cru_backend *chosen;
    const char *device = getenv("CRUCIBLE_TEST_DEVICE"), *record = getenv("CRUCIBLE_TEST_RECORD");
    if (!device || !*device || chosen) return chosen;
    const int length = (int)name_length(device);
    char path[4096];
    if (memchr(device, '/', (size_t)length))
        snprintf(path, sizeof path, "%.*s", length, device);
    else
        snprintf(path, sizeof path, "%s/backend-%.*s.so", TEST_BACKENDS, length, device);
    chosen = backend_load(path);
    if (record && *record) chosen = recorded_backend(chosen, record);
    chosen = checked_backend(chosen);
    return chosen;
}

int32_t test_device_card(void)
{
    const char *device = getenv("CRUCIBLE_TEST_DEVICE");
    const char *card = device ? device + name_length(device) : "";
    return *card ? (int32_t)strtol(card + 1, NULL, 10) : 0;
}

/* ---- contexts -------------------------------------------------------------------------------------------- */

/* Contexts that live, the newest first. */
typedef struct live_ctx {
    cru_ctx *ctx;
    struct live_ctx *next;
} live_ctx;
static live_ctx *live;

static void forget(void *what)
{
    for (live_ctx **at = &live; *at; at = &(*at)->next)
        if (*at == what) {
            *at = (*at)->next;
            return;
        }
}

cru_ctx *test_ctx(const cru_ctx_options *options)
{
    cru_ctx_options own = {0};
    if (options) own = *options;
    if (!own.backend) {
        own.backend = test_device();
        own.device = test_device_card();
    }
    cru_ctx *ctx = cru_ctx_create(&own);
    live_ctx *entry = cru_ctx_alloc(ctx, 1, sizeof *entry);
    *entry = (live_ctx){.ctx = ctx, .next = live};
    live = entry;
    cru_ctx_defer(ctx, forget, entry);
    return ctx;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static cru_device *newest(void)
{
    ck_assert_msg(live != NULL, "there is no context of test_ctx");
    return cru_ctx_device(live->ctx);
}

/* Which context computed it is not known: the first reading from each waits for its work, the last one counts. */
static void fetch(void *to, const void *from, size_t bytes)
{
    for (const live_ctx *l = live; l; l = l->next) {
        cru_device *device = cru_ctx_device(l->ctx);
        device->backend->download(device, to, from, bytes);
    }
    newest()->backend->download(newest(), to, from, bytes);
}

/* Other contexts see it at once. */
static void store(void *to, const void *from, size_t bytes)
{
    float last;
    newest()->backend->upload(newest(), to, from, bytes);
    if (bytes >= sizeof last) newest()->backend->download(newest(), &last, to, sizeof last);
}

static const void *fetched(const void *from, int64_t count, size_t size)
{
    newest();
    void *copy = cru_ctx_alloc(live->ctx, count + 1, size);
    fetch(copy, from, (size_t)count * size);
    return copy;
}

float test_value(const cru_tensor *x, int64_t i)
{
    float value;
    if (i >= cru_tensor_count(x)) ck_abort_msg("element %lld of %lld", (long long)i, (long long)cru_tensor_count(x));
    fetch(&value, x->data + i, sizeof value);
    return value;
}

const float *test_values(const cru_tensor *x)
{
    return fetched(x->data, cru_tensor_count(x), sizeof(float));
}

const float *test_grad(const cru_tensor *weight)
{
    const float *grad = cru_weight_grad(weight);
    return grad ? fetched(grad, cru_tensor_count(weight), sizeof *grad) : NULL;
}

const int32_t *test_index(cru_index index)
{
    return fetched(index.ids, index.count, sizeof *index.ids);
}

void test_put(cru_tensor *x, int64_t i, float value)
{
    if (i >= cru_tensor_count(x)) ck_abort_msg("element %lld of %lld", (long long)i, (long long)cru_tensor_count(x));
    store(x->data + i, &value, sizeof value);
}

void test_add(cru_tensor *x, int64_t i, float value)
{
    test_put(x, i, test_value(x, i) + value);
}

void test_write(cru_tensor *x, const float *values)
{
    store(x->data, values, (size_t)cru_tensor_count(x) * sizeof *values);
}
