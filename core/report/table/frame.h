// SPDX-License-Identifier: Apache-2.0
/* frame.h: the trials of one experiment in memory, as columns. */
#ifndef CORE_REPORT_FRAME_H
#define CORE_REPORT_FRAME_H

#include <crucible/arena.h>

#include "store/store.h"

/* A setting. A trial's value is levels[ids[trial]], or nothing when the id is -1. Levels are numbered in the order in
 * which trials show them first, which is the order of the config. */
typedef struct frame_column {
    const char *name;
    int32_t *ids;
    const char **levels;
    int32_t level_count;
} frame_column;

/* A metric or another number that trials reported; NAN where there is none. */
typedef struct frame_measure {
    const char *name;
    uint32_t flags; /* cru_metric_flags */
    bool listed;    /* among the experiment's metrics */
    double *values;
} frame_measure;

enum { FRAME_COLUMNS = 1024, FRAME_MEASURES = 1024 }; /* at most */

#define FRAME_EXPERIMENT "experiment" /* the column of a frame with several */

typedef struct frame {
    cru_arena *arena; /* holds all of it */
    const char *experiment, *config;
    const char *environment; /* of the trial that was finished last (environment.h), "": none was */
    int64_t finished_ms;     /* when that was, since 1970; 0: never, or not known */
    int64_t count;           /* trials */
    int64_t *places;         /* of every trial in the experiment's list, rising */
    const char **keys;
    store_outcome *outcomes;
    int64_t *tried;        /* see store_trial */
    bool *former;          /* whether it is of an earlier list (store_former) */
    frame_column *columns; /* the first is "alias" */
    int64_t column_count;
    frame_measure *measures; /* the experiment's metrics in their order, then the rest; "seconds", "seconds-to-best",
                                "seconds-construct", "seconds-train" and "peak-mib" are always there */
    int64_t measure_count;
} frame;

/* An experiment of a store. */
typedef struct frame_source {
    store *store;
    int64_t experiment; /* or store_former of it */
} frame_source;

/* Reads the trials of all sources. Of trials that agree in every setting the first source's counts, with the metrics that
 * only another experiment asked for. Name and configuration are those of the first source. With several experiments there
 * is a column "experiment", on which tables pivot only when asked to. The caller destroys it. CRU_BAD_INPUT: there is no
 * such experiment. */
cru_status frame_load(const frame_source *sources, int64_t count, frame **out, cru_error *err);
void frame_destroy(frame *f);

/* The numbers of a list that trials reported become the measures NAME.1, NAME.2 ... of the frame that was loaded from
 * these sources, as many as the longest list has. CRU_BAD_INPUT: of the trials that ended well none reported it, or it
 * is too long. */
cru_status frame_add_list(frame *f, const frame_source *sources, int64_t count, const char *name, cru_error *err);

/* NULL when there is none. */
const frame_column *frame_find_column(const frame *f, const char *name);
const frame_measure *frame_find_measure(const frame *f, const char *name);

/* Keeps the trials that satisfy all conditions of a text such as "dataset=cora, seed=0..4, rate!=0": a comma without a
 * new key adds an alternative ("dataset=cora,citeseer"). CRU_BAD_INPUT: unknown key, or not a condition. */
cru_status frame_filter(frame *f, const char *where, cru_error *err);

/* Keeps the trials that are marked. */
void frame_keep(frame *f, const bool *keep);

/* Keeps the choices of searches and what is not part of one: without the other settings that were tried. */
void frame_keep_choices(frame *f);

/* Of earlier lists keeps the choices of searches for what the present lists do not have: another part of one artefact
 * was searched before. A dataset, its damage and a method that are in the present list of an experiment count from
 * there alone; where earlier lists chose differently, the later choice counts. */
void frame_keep_former_choices(frame *f);

/* Keeps all, as if there had been no search. */
void frame_forget_choices(frame *f);

/* Trials that agree on some columns. */
typedef struct grouping {
    int32_t *ids; /* of every trial; groups are numbered in the order of their levels */
    int32_t count;
    int64_t *first; /* a trial of every group */
} grouping;

/* All trials in one group. */
grouping grouping_start(const frame *f);

/* Splits every group by the values of a column. */
void grouping_split(grouping *g, const frame *f, const frame_column *column);

/* Whether all trials of every group agree on the column already. */
bool grouping_determines(const grouping *g, const frame *f, const frame_column *column);

#endif
