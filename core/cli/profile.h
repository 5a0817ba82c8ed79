// SPDX-License-Identifier: Apache-2.0
/* profile.h: what --trace and --profile make of the events of an SDK trace. */
#ifndef CORE_CLI_PROFILE_H
#define CORE_CLI_PROFILE_H

#include <stdio.h>

#include <crucible/trace.h>

enum { PROFILE_MAX = 256 };

typedef struct profile_row {
    const char *op;
    bool backward;
    int64_t calls, bytes;
    double seconds;
} profile_row;

/* Starts zeroed. More than PROFILE_MAX different operators share the last row. */
typedef struct profile {
    profile_row rows[PROFILE_MAX];
    int count;
} profile;

/* Sinks: `user` is a profile, or a FILE. */
void profile_add(void *user, const cru_trace_event *event);
void profile_print_event(void *user, const cru_trace_event *event);

/* A table, the most expensive operator first. Orders the rows. */
void profile_print(profile *p, FILE *out);

#endif
