// SPDX-License-Identifier: Apache-2.0
/* batch.h: trials that were handed to a cluster, and what is known of them.
 *
 * A folder beside the store, results.shards for results.db, holds a round for every submission:
 *
 *     1/<experiment>.plan      which trial is in which shard (host/shard.h)
 *     1/tasks                  a line a shard: its number, estimated seconds, trials, MiB
 *     1/array-1.sh, merge.sh   what was submitted
 *     1/jobs                   a line an array: the number that Slurm gave it, its first shard, how many
 *     1/shards/5.db            the results of shard 5: there when it is whole
 *     1/logs/                  what the tasks printed
 *
 * A task writes to its node's own disk and copies the store here when it is done; nobody writes to a file that another
 * reads. */
#ifndef CORE_CLUSTER_BATCH_H
#define CORE_CLUSTER_BATCH_H

#include "host/shard.h"

/* The folder of a store; the caller frees it. */
char *batch_folder(const char *db);

typedef enum batch_state {
    BATCH_DONE,    /* its results are there */
    BATCH_RUNNING, /* on a node */
    BATCH_WAITING, /* in the queue */
    BATCH_LOST,    /* neither: it failed, or was cancelled */
} batch_state;

typedef struct batch_task {
    double seconds; /* estimated */
    int64_t trials, mib;
    batch_state state;
    int64_t array; /* that holds it, from 0; -1: none */
} batch_task;

typedef struct batch_array {
    int64_t job, first, count; /* number at Slurm, first shard, shards */
} batch_array;

typedef struct batch_round {
    char *folder;
    int64_t number;
    batch_task *tasks; /* of shard i + 1 */
    int64_t task_count;
    batch_array *arrays;
    int64_t array_count;
} batch_round;

typedef struct batch {
    char *folder;
    batch_round *rounds;
    int64_t count;
} batch;

/* Reads all rounds and asks Slurm about those that are not done. A folder that is not there has none. On failure there
 * is nothing to close. */
cru_status batch_open(const char *folder, batch *b, cru_error *err);
void batch_close(batch *b);

/* Notes what Slurm's queue says, lines of "JOB TASK STATE", of the tasks that are not done. For batch_open and
 * tests. */
void batch_note_queue(batch *b, const char *queue);

/* Trials of the experiment that some round has done or under way. `taken`: one for each of them, set where so. */
cru_status batch_taken(const batch *b, const experiment *e, bool *taken, cru_error *err);

#endif
