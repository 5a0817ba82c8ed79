// SPDX-License-Identifier: Apache-2.0
/* live.h: what a server tells of a store while runs go on in it.
 *
 *     /                 a page that asks for the progress every two seconds and shows the report below it
 *     /progress.json    experiments with their counts; of the latest one pace, time left, last failures
 *     /report           the page of `crucible report --format html` of the latest experiment, or of ?experiment=NAME */
#ifndef CORE_SERVE_LIVE_H
#define CORE_SERVE_LIVE_H

#include <stddef.h>

#include <crucible/status.h>

typedef struct live_answer {
    int code;         /* of HTTP */
    const char *type; /* of the content */
    char *text;       /* the caller frees it; NULL: no memory */
    size_t size;
} live_answer;

/* `path` is without the token, as "/report"; `experiment` may be NULL. */
live_answer live_get(const char *db, const char *path, const char *experiment);

#endif
