// SPDX-License-Identifier: Apache-2.0
#include "cli/profile.h"

#include <stdlib.h>
#include <string.h>

static profile_row *find_row(profile *p, const cru_trace_event *event)
{
    for (int i = 0; i < p->count; i++)
        if (p->rows[i].backward == event->backward && strcmp(p->rows[i].op, event->op) == 0) return &p->rows[i];
    if (p->count == PROFILE_MAX) {
        p->rows[PROFILE_MAX - 1].op = "others";
        return &p->rows[PROFILE_MAX - 1];
    }
    profile_row *row = &p->rows[p->count++];
    *row = (profile_row){.op = event->op, .backward = event->backward};
    return row;
}

void profile_add(void *user, const cru_trace_event *event)
{
    profile_row *row = find_row(user, event);
    row->calls++;
    row->bytes += event->bytes;
    row->seconds += event->seconds;
}

void profile_print_event(void *user, const cru_trace_event *event)
{
    char shape[100] = "";
    size_t used = 0;
    for (int32_t i = 0; i < event->rank; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, i ? "x%lld" : "%lld", (long long)event->dim[i]);
    fprintf(user, "%-8s %-20s %-20s %10.1f us %12lld bytes\n", event->backward ? "backward" : "forward", event->op,
            shape, 1e6 * event->seconds, (long long)event->bytes);
}

static int by_time(const void *a, const void *b)
{
    const profile_row *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

void profile_print(profile *p, FILE *out)
{
    double total = 0;
    for (int i = 0; i < p->count; i++) total += p->rows[i].seconds;
    qsort(p->rows, (size_t)p->count, sizeof *p->rows, by_time);
    fprintf(out, "%-20s %-8s %10s %12s %7s %12s %12s\n", "operator", "pass", "calls", "ms", "share", "us a call",
            "MB a call");
    for (int i = 0; i < p->count; i++) {
        const profile_row *r = &p->rows[i];
        fprintf(out, "%-20s %-8s %10lld %12.3f %6.1f%% %12.1f %12.3f\n", r->op, r->backward ? "backward" : "forward",
                (long long)r->calls, 1e3 * r->seconds, 100 * r->seconds / total, 1e6 * r->seconds / (double)r->calls,
                1e-6 * (double)r->bytes / (double)r->calls);
    }
    fprintf(out, "%-20s %-8s %10s %12.3f\n", "all", "", "", 1e3 * total);
}
