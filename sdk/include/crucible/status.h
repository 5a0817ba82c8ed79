// SPDX-License-Identifier: Apache-2.0
/* status.h: how functions fail.
 *
 * A function that can fail returns `cru_status` and takes a `cru_error *` as its last argument, or an object that holds
 * one (`cru_ctx`). The message is written once, by the code that knows the fault, and names the file, key, line or
 * shape concerned; callers only pass it on. The first message wins: a clean-up that fails later does not hide the
 * cause.
 *
 *     cru_status read_header(reader *r, cru_error *err)
 *     {
 *         if (r->size < 16)
 *             return cru_fail(err, CRU_BAD_INPUT, "%s: %zu bytes, too short for a header", r->path, r->size);
 *         return CRU_OK;
 *     }
 *
 * A mistake in the program itself (shapes that cannot be multiplied, a null where the header forbids one) is not a
 * status but a `cru_assert`: it ends the worker, and the trial is reported as crashed together with the message. */
#ifndef CRUCIBLE_STATUS_H
#define CRUCIBLE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CRU_API               __attribute__((visibility("default")))
#define CRU_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CRU_NORETURN          __attribute__((noreturn))
#else
#define CRU_API
#define CRU_PRINTF(fmt, args)
#define CRU_NORETURN
#endif

typedef enum cru_status {
    CRU_OK = 0,
    CRU_FAILED,      /* anything without a better name below */
    CRU_BAD_INPUT,   /* a file, a setting or a task that breaks its own rules */
    CRU_UNSUPPORTED, /* well formed, but not something this code can do; a method returns it for tasks it does not claim
                      */
    CRU_NO_MEMORY,
    CRU_IO,
    CRU_DIVERGED, /* training ended in NaN or infinity and the method cannot go on */
    CRU_STOPPED,  /* the host asked to stop */
} cru_status;

typedef struct cru_error {
    cru_status status;
    char text[500];
} cru_error;

/* Records `status` and the formatted message in `err` unless it already holds one; returns the status that `err` holds
 * afterwards. `err` may be NULL, then only the status is passed on. */
CRU_API cru_status cru_fail(cru_error *err, cru_status status, const char *format, ...) CRU_PRINTF(3, 4);

/* A lower-case word for a status: "ok", "bad input", ... Never NULL. */
CRU_API const char *cru_status_name(cru_status status);

/* What happens when an assertion fails or memory runs out inside the engine. The handler must not return: the host's
 * worker sends the message to its parent and leaves the process, a test jumps back to its frame. `status` is CRU_FAILED
 * for an assertion and CRU_NO_MEMORY for a failed allocation. With no handler the message goes to stderr and the
 * process aborts. One handler for the process; set it before other threads start. */
typedef void cru_panic_handler(void *user, cru_status status, const char *message);
CRU_API void cru_panic_set_handler(cru_panic_handler *handler, void *user);
CRU_API CRU_NORETURN void cru_panic(cru_status status, const char *format, ...) CRU_PRINTF(2, 3);

/* cru_assert(k == b->dim[0], "matmul: %ld columns against %ld rows", k, b->dim[0]); */
#define cru_assert(condition, ...)                                                                                     \
    do {                                                                                                               \
        if (!(condition)) cru_panic(CRU_FAILED, __VA_ARGS__);                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
