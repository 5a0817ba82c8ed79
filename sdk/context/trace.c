// SPDX-License-Identifier: Apache-2.0
#include "context/trace.h"

#include <stddef.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void trace_leave(tracer *t)
{
    if (!t->event.op) return;
    cru_trace_event event = t->event;
    event.seconds = now() - t->since;
    t->event.op = NULL;
    t->sink(t->user, &event);
}

void trace_enter(tracer *t, const cru_trace_event *event)
{
    trace_leave(t);
    t->event = *event;
    t->since = now(); /* after the sink, whose own time nobody asked for */
}

void trace_between(tracer *t)
{
    static const char between[] = "(between)";
    if (t->event.op && t->event.op != between) trace_enter(t, &(cru_trace_event){.op = between});
}

void cru_ctx_trace(cru_ctx *ctx, cru_trace_sink *sink, void *user)
{
    tracer *t = ctx_tracer(ctx);
    if (t->sink) trace_leave(t);
    *t = (tracer){.sink = sink, .user = user};
}
