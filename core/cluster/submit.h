// SPDX-License-Identifier: Apache-2.0
/* submit.h: from groups of trials to array jobs of Slurm.
 *
 * Groups are sorted by the memory that they are expected to need, dealt to tasks that take some minutes each, and
 * written down as plans; an array job holds the tasks of one request, a further job merges what they leave. */
#ifndef CORE_CLUSTER_SUBMIT_H
#define CORE_CLUSTER_SUBMIT_H

#include <stdio.h>

#include "cluster/batch.h"

/* What is asked of the cluster. */
typedef struct submit_options {
    const char *program;      /* absolute path of crucible */
    const char *place;        /* the working directory of the tasks */
    const char *db;           /* absolute path of the store */
    const char *name;         /* of the jobs */
    const char *const *words; /* of `crucible run`: files, --set and others */
    int64_t word_count;
    const char *partition, *time; /* NULL: Slurm's default, from the estimate */
    int64_t max_parallel;         /* tasks of an array at a time; 0: as many as fit */
    int64_t cpus;                 /* a task */
    double minutes;               /* that a task should take */
    int64_t tasks;                /* how many; 0: by the minutes */
    bool gpu;
    const char *const *extra; /* further options of sbatch */
    int64_t extra_count;
    FILE *dry; /* print the scripts there and submit nothing; NULL: submit */
} submit_options;

/* An experiment whose trials are to be run. */
typedef struct submit_part {
    shard_subject subject;
    shard_groups groups; /* kind: MiB that a trial needs */
} submit_part;

/* Trials in so many parts. */
typedef struct submit_work {
    submit_part *parts;
    int64_t count;
} submit_work;
void submit_work_add(submit_work *w, const submit_part *part); /* takes over what it points to */
void submit_work_clear(submit_work *w);

typedef struct submit_figures {
    int64_t trials, tasks, arrays;
    double seconds, longest; /* of all tasks, of the longest */
} submit_figures;

/* Memory to ask for, in MiB, for a trial whose like took `peak` bytes (0: not known) under a limit of `limit` MiB (0 or
 * less: none): half as much again, as a power of two from 1 GiB on; 4 GiB where nothing is known. */
int64_t submit_mib(int64_t peak, int64_t limit);

/* The largest array that the site allows, from what `scontrol show config` prints; 1001 when it does not say. */
int64_t submit_array_most(const char *config);

/* Writes a new round into the folder of `b` and submits it. CRU_IO: a file or a program of Slurm; arrays that were
 * submitted before stay so and are noted. */
cru_status submit_round(const batch *b, submit_work *work, const submit_options *options, submit_figures *figures,
                        cru_error *err);

#endif
