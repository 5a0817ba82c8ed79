// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <crucible/status.h>

cru_status cru_fail(cru_error *err, cru_status status, const char *format, ...)
{
    if (!err) return status;
    if (err->status) return err->status;
    err->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

const char *cru_status_name(cru_status status)
{
    switch (status) {
    case CRU_OK:
        return "ok";
    case CRU_FAILED:
        return "failed";
    case CRU_BAD_INPUT:
        return "bad input";
    case CRU_UNSUPPORTED:
        return "unsupported";
    case CRU_NO_MEMORY:
        return "out of memory";
    case CRU_IO:
        return "input/output error";
    case CRU_DIVERGED:
        return "diverged";
    case CRU_STOPPED:
        return "stopped";
    }
    return "unknown status";
}

/* The one piece of process-wide state: a process has one way to end. */
static struct {
    cru_panic_handler *handler;
    void *user;
} panic_target;

void cru_panic_set_handler(cru_panic_handler *handler, void *user)
{
    panic_target.handler = handler;
    panic_target.user = user;
}

void cru_panic(cru_status status, const char *format, ...)
{
    char message[500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (panic_target.handler) panic_target.handler(panic_target.user, status, message);
    fprintf(stderr, "crucible: %s\n", message);
    abort();
}
