// SPDX-License-Identifier: Apache-2.0
/* context.h: what the host lends to a running method.
 *
 * One context per trial and process. It carries the error, the random streams, the number of threads, the tensor
 * backend and memory that lives as long as the method's instance. Not shared between threads: parallel loops inside SDK
 * operations take care of themselves. */
#ifndef CRUCIBLE_CONTEXT_H
#define CRUCIBLE_CONTEXT_H

#include <crucible/backend.h>
#include <crucible/random.h>
#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_ctx cru_ctx;

typedef struct cru_ctx_options {
    uint64_t seed;
    int32_t threads;            /* 0 or 1: one */
    const cru_backend *backend; /* NULL: the CPU */
    int32_t device;             /* which of the backend's devices */
    void (*log)(void *user, const char *line);
    void *log_user;

    /* Poison what a step made when it ends, and name the operator that is handed a tensor of it all the same. Slower,
     * and takes the memory of several steps: for tests and `crucible check`; always on in a debug build of the SDK. */
    bool check_steps;

    const struct cru_inner *inner; /* for a wrapper (wrapper.h): the method inside; borrowed. NULL: none */
} cru_ctx_options;

/* For hosts and tests; a plugin is handed its context. `options` may be NULL and is copied; never NULL, as below. Sets
 * the number of threads that the SDK's parallel loops use when called from this thread. Destroying it frees all memory
 * given out by cru_ctx_alloc. */
CRU_API cru_ctx *cru_ctx_create(const cru_ctx_options *options);
CRU_API void cru_ctx_destroy(cru_ctx *ctx);

/* A context with another seed and an error and memory of its own, on the same device and with the same log, trace and
 * threads; destroyed before its parent. Methods inside a wrapper run in one. */
CRU_API cru_ctx *cru_ctx_child(cru_ctx *parent, uint64_t seed);

/* The method that a wrapper was given, or NULL. */
CRU_API const struct cru_inner *cru_ctx_inner(const cru_ctx *ctx);

/* Zeroed, 64-byte aligned, freed with the context. Never NULL: running out of memory ends the trial as `oom`. */
CRU_API void *cru_ctx_alloc(cru_ctx *ctx, int64_t count, size_t size);

/* The context's error: CRU_OK until something failed. Builders of graphs and layers record their failure here and go
 * on harmlessly, so that a plugin may build everything and check once. */
CRU_API cru_status cru_ctx_status(const cru_ctx *ctx);
CRU_API cru_error *cru_ctx_error(cru_ctx *ctx);
CRU_API cru_status cru_ctx_fail(cru_ctx *ctx, cru_status status, const char *format, ...) CRU_PRINTF(3, 4);

CRU_API uint64_t cru_ctx_seed(const cru_ctx *ctx);
CRU_API int32_t cru_ctx_threads(const cru_ctx *ctx);

/* The device that tensors live on, opened on first use and closed with the context. */
CRU_API cru_device *cru_ctx_device(cru_ctx *ctx);

/* Runs `release(what)` when the context is destroyed, the last registered first: for what cannot live in its memory. */
CRU_API void cru_ctx_defer(cru_ctx *ctx, void (*release)(void *what), void *what);

/* The trial's stream for a purpose, always starting at its beginning. "init" and "dropout" are used by layers. */
CRU_API cru_rng cru_ctx_stream(const cru_ctx *ctx, const char *purpose);

/* A line for the trial's log, which is kept with its result (`crucible show`; of a long log the beginning and the end).
 * No trailing newline; cut after 999 bytes. One that begins with "warning: " is also told at the end of a run. */
CRU_API void cru_ctx_log(cru_ctx *ctx, const char *format, ...) CRU_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
