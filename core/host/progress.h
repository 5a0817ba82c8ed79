// SPDX-License-Identifier: Apache-2.0
/* progress.h: what a user sees while trials run.
 *
 * On a terminal one line that is drawn over again: bar, count, rate, time left, failures, what is running; a trial that
 * fails gets a line of its own. Elsewhere one line per finished trial. Or nothing; or a JSON object a line. */
#ifndef CORE_RUNNER_PROGRESS_H
#define CORE_RUNNER_PROGRESS_H

#include <stdio.h>

#include "base/line.h"
#include "host/runner.h"

typedef enum progress_style { PROGRESS_QUIET, PROGRESS_LINES, PROGRESS_BAR, PROGRESS_JSON } progress_style;

typedef struct progress {
    progress_style style;
    FILE *out;
    int64_t total; /* trials to run */
    int64_t done, failed;
    double begun;
    status_line line;
    char running[200];
} progress;

/* A bar when `out` is a terminal that can draw one, else lines; `style` overrides unless it is PROGRESS_BAR. */
void progress_begin(progress *p, progress_style style, int64_t total, FILE *out);

/* For a runner_source. */
void progress_done(progress *p, const runner_result *result);
void progress_tick(progress *p, const trial *const *running, int32_t count);

/* Removes the bar. */
void progress_end(progress *p);

#endif
