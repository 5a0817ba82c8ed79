// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>

#include <crucible/arena.h>
#include <crucible/context.h>

#include "context/trace.h"
#include "context/watch.h"

typedef struct deferred {
    void (*release)(void *what);
    void *what;
    struct deferred *next;
} deferred;

struct cru_ctx {
    cru_ctx_options options;
    cru_arena *arena; /* holds this struct, too */
    cru_error error;
    cru_ctx *parent;   /* whose device and tracer it uses; NULL: its own */
    cru_device device; /* backend NULL until opened */
    deferred *deferred;
    tracer tracer;
    int64_t losses, numbers; /* steps of training, and those of them whose loss was a number */
};

cru_ctx *cru_ctx_create(const cru_ctx_options *options)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) cru_panic(CRU_NO_MEMORY, "out of memory: no context");
    cru_ctx *ctx = cru_arena_alloc_zeroed(arena, 1, sizeof *ctx);
    ctx->arena = arena;
    if (options) ctx->options = *options;
    if (ctx->options.threads < 1) ctx->options.threads = 1;
#ifdef CRU_DEBUG
    ctx->options.check_steps = true;
#endif
    omp_set_num_threads(ctx->options.threads);
    return ctx;
}

cru_ctx *cru_ctx_child(cru_ctx *parent, uint64_t seed)
{
    cru_ctx_options options = parent->options;
    options.seed = seed;
    options.inner = NULL;
    cru_ctx *ctx = cru_ctx_create(&options);
    ctx->parent = parent;
    return ctx;
}

const struct cru_inner *cru_ctx_inner(const cru_ctx *ctx)
{
    return ctx->options.inner;
}

void cru_ctx_destroy(cru_ctx *ctx)
{
    if (!ctx) return;
    for (deferred *d = ctx->deferred; d; d = d->next) d->release(d->what);
    if (ctx->device.backend) ctx->device.backend->close(&ctx->device);
    cru_arena_destroy(ctx->arena);
}

void cru_ctx_defer(cru_ctx *ctx, void (*release)(void *what), void *what)
{
    deferred *d = cru_ctx_alloc(ctx, 1, sizeof *d);
    *d = (deferred){.release = release, .what = what, .next = ctx->deferred};
    ctx->deferred = d;
}

void *cru_ctx_alloc(cru_ctx *ctx, int64_t count, size_t size)
{
    return cru_arena_alloc_zeroed(ctx->arena, count, size);
}

cru_status cru_ctx_status(const cru_ctx *ctx)
{
    return ctx->error.status;
}

cru_error *cru_ctx_error(cru_ctx *ctx)
{
    return &ctx->error;
}

cru_status cru_ctx_fail(cru_ctx *ctx, cru_status status, const char *format, ...)
{
    char text[sizeof ctx->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cru_fail(&ctx->error, status, "%s", text);
}

tracer *ctx_tracer(cru_ctx *ctx)
{
    return ctx->parent ? ctx_tracer(ctx->parent) : &ctx->tracer;
}

bool ctx_checks_steps(const cru_ctx *ctx)
{
    return ctx->options.check_steps;
}

void ctx_note_loss(cru_ctx *ctx, double loss)
{
    ctx->losses++;
    ctx->numbers += !isnan(loss);
}

void ctx_warn_of_losses(cru_ctx *ctx)
{
    if (ctx->losses && !ctx->numbers)
        cru_ctx_log(ctx, "warning: the training loss was not a number (NaN) in any of its %lld steps",
                    (long long)ctx->losses);
}

uint64_t cru_ctx_seed(const cru_ctx *ctx)
{
    return ctx->options.seed;
}

int32_t cru_ctx_threads(const cru_ctx *ctx)
{
    return ctx->options.threads;
}

cru_device *cru_ctx_device(cru_ctx *ctx)
{
    if (ctx->parent) return cru_ctx_device(ctx->parent);
    if (!ctx->device.backend) {
        const cru_backend *backend = ctx->options.backend ? ctx->options.backend : cru_backend_cpu();
        cru_error err = {0};
        if (backend->open(&ctx->device, ctx->options.device, ctx->options.threads, &err))
            cru_panic(err.status, "device %s: %s", backend->name, err.text);
        ctx->device.backend = backend;
    }
    return &ctx->device;
}

cru_rng cru_ctx_stream(const cru_ctx *ctx, const char *purpose)
{
    return cru_rng_stream(ctx->options.seed, purpose, 0);
}

void cru_ctx_log(cru_ctx *ctx, const char *format, ...)
{
    if (!ctx->options.log) return;
    char line[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->options.log(ctx->options.log_user, line);
}
