// SPDX-License-Identifier: Apache-2.0
/* trace.h: how operators tell the context's trace that they begin and end. */
#ifndef SDK_CONTEXT_TRACE_H
#define SDK_CONTEXT_TRACE_H

#include <crucible/trace.h>

typedef struct tracer {
    cru_trace_sink *sink; /* NULL: off */
    void *user;
    cru_trace_event event; /* what runs now; op is NULL when nothing does */
    double since;
} tracer;

/* The context's tracer; never NULL. */
tracer *ctx_tracer(cru_ctx *ctx);

/* Ends what runs and begins `event`, whose seconds are filled in when it ends. Only when there is a sink. */
void trace_enter(tracer *t, const cru_trace_event *event);

/* Ends what runs, if anything does, and begins what is no operator: graphs and numbers that a method makes itself. */
void trace_between(tracer *t);

/* Ends what runs, if anything does. */
void trace_leave(tracer *t);

#endif
