// SPDX-License-Identifier: Apache-2.0
/* agenda.h: what an experiment still has to do.
 *
 * Enters the experiment and all its trials into the store and finds those without a result. A trial that appears twice
 * in an experiment (two labels whose sweeps share a point) is done once. */
#ifndef CORE_RUNNER_AGENDA_H
#define CORE_RUNNER_AGENDA_H

#include "host/judged.h"
#include "host/runner.h"

typedef enum agenda_again { AGENDA_MISSING, AGENDA_FAILED, AGENDA_ALL } agenda_again;

typedef struct agenda {
    const experiment *experiment;
    int64_t id; /* of the experiment in the store */
    char (*keys)[SHA256_HEX];
    int64_t count;      /* trials of the experiment */
    int64_t part_count; /* those of them that take part; the others have an empty key */
    int64_t *todo;      /* indices of trials without a result, in order */
    int64_t todo_count; /* how many */
    int64_t repeats;    /* trials that an earlier one of the list is, under another name */
    int64_t next;       /* position in `todo` */
    int64_t *lacking;   /* indices of trials with a result that lack a metric and whose scores were kept */
    int64_t lacking_count;
    int64_t lost; /* those of `todo` that have a result, lack a metric, and whose scores were not kept */
    bool *out;    /* trials that take no part; NULL: none */
    bool *open;   /* trials without a result that nobody was given yet */
} agenda;

/* Which trials of the experiment take part; the others are as if they were not in it. */
typedef bool agenda_filter(void *user, const trial *t);

/* As agenda_open, for a part of the trials. */
typedef struct agenda_part {
    agenda_again again;
    agenda_filter *takes_part; /* NULL: all do */
    void *user;
    bool leave_ended; /* what has ended is not made pending for the sake of a metric */
} agenda_part;
cru_status agenda_open_part(runner *r, store *s, const agenda_part *part, agenda *a, cru_error *err);

/* `again` also forgets the results of failed trials, or of all. On failure there is nothing to close. */
cru_status agenda_open(runner *r, store *s, agenda_again again, agenda *a, cru_error *err);
void agenda_close(agenda *a);

/* Judges the trials of `lacking` from kept scores, before the run. *judged: how many were; the others are as they were, and
 * `why` says what is wrong with the first of them. Fails when the machine or the store does. */
cru_status agenda_rejudge(runner *r, store *s, const agenda *a, int64_t *judged, cru_error *why, cru_error *err);

/* For a runner_source; `user` is the agenda. */
runner_next agenda_next(void *user, trial *t, char key[SHA256_HEX]);
bool agenda_partner(void *user, const trial *t, trial *other, char key[SHA256_HEX]);

/* The two steps of agenda_open, for other sources. The first enters the experiment, whose trials are then none. */
cru_status experiment_enter(const experiment *e, store *s, int64_t *id, cru_error *err);

typedef struct trial_entry {
    int64_t experiment; /* from experiment_enter */
    const trial *trial;
    const char *key, *text; /* from trial_key */
    int64_t place, tried;   /* see store_trial */
} trial_entry;

/* Tells the store what the labels of a trial's metrics mean, unless it was told last for the same ones. */
cru_status meaning_enter(store *s, int64_t id, judged_cache *told, const trial *t, cru_error *err);
cru_status trial_enter(store *s, const trial_entry *entry, cru_error *err);

/* The outcomes that `again` forgets, as bits for store_reset. */
uint32_t agenda_forgets(agenda_again again);

/* How a trial is called in progress lines: "gcn on cora, uniform rate=0.3, seed 2, rule=last". Cut to fit; returns
 * `text`. */
char *trial_title(const trial *t, char *text, size_t size);

#endif
