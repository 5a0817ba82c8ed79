// SPDX-License-Identifier: Apache-2.0
/* shard.h: the trials of an experiment divided among machines that share nothing.
 *
 * Every trial belongs to exactly one shard. Trials that one training serves, and those of one search, stay together.
 * The division depends on the experiment, the number of shards and the costs alone, so that every machine finds the
 * same one. The costliest group goes first, each to the shard with the least so far: no shard takes longer than the
 * mean and the costliest group together.
 *
 * A plan is a division that is written down: made once, when trials are submitted, and read by every task. */
#ifndef CORE_RUNNER_SHARD_H
#define CORE_RUNNER_SHARD_H

#include "base/sha256.h"
#include "host/costs.h"

typedef struct shard {
    int64_t index, count; /* 1 .. count; 0 of 0: no division */
} shard;

/* "3/7". False: not such a text. */
bool shard_read(const char *text, shard *s);

/* Trials that must stay together. */
typedef struct shard_group {
    int64_t first;  /* the trial that stands for it: the first of them */
    double seconds; /* of all of them */
    int64_t trials; /* how many */
    int64_t part;   /* the shard, from 1; 0: none yet */
    int64_t kind;   /* for callers: what it needs */
} shard_group;

/* The groups of those trials that take part (NULL: of all), in the order of their first trials; *of_trial is the group
 * of every trial of the experiment, -1 for those that take no part. The caller frees both. `known` may be NULL. */
typedef struct shard_groups {
    shard_group *items;
    int64_t count;
    int64_t *of_trial;
} shard_groups;
shard_groups shard_group_trials(const experiment *e, const costs *known, const bool *takes_part);
void shard_groups_clear(shard_groups *g);

/* Deals groups to `count` shards, numbered from `first`. */
void shard_deal(shard_group *groups, int64_t group_count, int64_t first, int64_t count);

/* ---- plans ----------------------------------------------------------------------------------------------- */

/* What tells an experiment from one with other trials. */
typedef struct shard_subject {
    char *name; /* of the experiment */
    char fingerprint[SHA256_HEX];
    int64_t trials;
} shard_subject;

/* The caller frees the name. */
shard_subject shard_subject_of(const experiment *e);

/* Writes the shard of every trial of the experiment (0: none) to <folder>/<name of the experiment>.plan, whole or not
 * at all. */
cru_status shard_plan_write(const char *folder, const shard_subject *subject, const int64_t *parts, int64_t count,
                            cru_error *err);

/* Reads it. parts: one for every trial, to be filled. *there is false, and nothing is filled, when the folder has no
 * plan of the experiment. CRU_BAD_INPUT: not a plan, or one of other trials: what the experiment says has changed. */
cru_status shard_plan_read(const char *folder, const experiment *e, int64_t *parts, int64_t *count, bool *there,
                           cru_error *err);

#endif
