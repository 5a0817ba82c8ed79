// SPDX-License-Identifier: Apache-2.0
/* trace.h: watch operators at work.
 *
 * A sink is told of every operator after it has run, forward and backward, and of every optimiser step. `crucible run
 * --trace` prints the events, `--profile` adds them up; a test or a program of your own may do either:
 *
 *     static void print(void *user, const cru_trace_event *e)
 *     {
 *         fprintf(user, "%s %.3f ms\n", e->op, 1e3 * e->seconds);
 *     }
 *
 * and, before the first operator, `cru_ctx_trace(ctx, print, stderr)`.
 *
 * Time is taken from one operator to the next, so that all of it is accounted for: an operator's share includes making
 * room for its result. What a method does itself (graphs that it draws, numbers that it reads) is the event "(between)" from
 * where it takes memory of the step, which has no shape. */
#ifndef CRUCIBLE_TRACE_H
#define CRUCIBLE_TRACE_H

#include <stdbool.h>

#include <crucible/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_trace_event {
    const char *op; /* "matmul", "relu", "adam"; lives as long as the program */
    bool backward;  /* its gradient */
    int32_t rank;   /* of the result (backward: of the tensor whose gradient came in); an optimiser has none */
    int64_t dim[4];
    int64_t bytes; /* of all inputs and the result, each counted once; of an optimiser: of its weights */
    double seconds;
} cru_trace_event;

typedef void cru_trace_sink(void *user, const cru_trace_event *event);

/* From here on `sink` is told; NULL ends it. Costs a clock reading per operator while it is on, nothing otherwise. */
CRU_API void cru_ctx_trace(cru_ctx *ctx, cru_trace_sink *sink, void *user);

#ifdef __cplusplus
}
#endif
#endif
