// SPDX-License-Identifier: Apache-2.0
/* judge.h: the process that knows the truth.
 *
 * It loads dataset, corruptor and metric plugins. For each problem (dataset, preprocessing, split, corruptor chain,
 * seed) it makes the damaged data once and keeps it, with truth, in its own memory; the least recently used ones go
 * when their task images add up to more than a budget, and are made again when needed, with the same bits. It serves
 * one request at a time. Its memory cannot be read by processes of the same user (it is not dumpable).
 *
 * It is in a sandbox, too: no network, no programs, no processes; it reads the plugins, the cards and the files of the
 * experiment's datasets, and writes to the cache of prepared data. */
#ifndef CORE_RUNNER_JUDGE_H
#define CORE_RUNNER_JUDGE_H

#include <sys/types.h>

#include "config/config.h"
#include "protocol/protocol.h"
#include "worker/sandbox.h"

/* Memory shared with the host: what the judge is doing, for the message when it dies of it. */
typedef struct judge_board {
    char step[160];    /* "metric accuracy" */
    char message[320]; /* of an assertion that failed; else empty */
} judge_board;

typedef struct judge_setup {
    const experiment *experiment;
    const registry *plugins;
    int64_t cache_bytes;
    int landlock_most; /* as in sandbox_files; for tests */
} judge_setup;

/* What scores of that many items have room for: embeddings and label weights where a metric looks at them; embeddings also
 * where they are kept. */
score_shape scores_wanted(const experiment *e, int64_t items, int32_t classes);

/* For the nursery of judges: makes what all of them need; and the environment that finding files needs. */
void *judge_prepare(void);
extern const char *const judge_variables[];

typedef struct judge_seat {
    const judge_setup *setup;
    const sandbox *box; /* from judge_prepare; NULL: none */
    judge_board *board;
    pid_t parent;
    int socket;
    int log; /* where its plugins print; -1: nowhere */
} judge_seat;

/* Serves requests from the socket until it closes; then leaves the process, which was just forked. */
_Noreturn void judge_main(const judge_seat *seat);

#endif
