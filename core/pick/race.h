// SPDX-License-Identifier: Apache-2.0
/* race.h: who stays in a race of methods and what its end says. All by scores on validation data; nothing here has seen
 * a test label.
 *
 * Successive halving: every method runs a little, the best third goes on to run more, and so on (Jamieson and
 * Talwalkar. Non-stochastic Best Arm Identification and Hyperparameter Optimization. AISTATS 2016). A rung is a number
 * of epochs and seeds, never of seconds, so that the same race ends the same way on every machine. */
#ifndef CORE_PICK_RACE_H
#define CORE_PICK_RACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct race_rung {
    int64_t seeds;  /* 0 .. seeds - 1 */
    int64_t epochs; /* at most; 0: as many as the method wants */
} race_rung;

enum { RACE_RUNGS = 3, RACE_THIRD = 3, RACE_FINALISTS = 4 };
extern const race_rung race_rungs[RACE_RUNGS];

/* One method: its scores, larger is better, NAN where a trial has none. */
typedef struct race_entry {
    const char *name;
    const double *scores; /* `runs` of them, by seed; runs of one seed are a pair */
    double mean;          /* made by race_order; NAN when a score is missing: such a method cannot go on */
    double p;             /* of the last rung: that it is as good as the best, corrected; NAN of the best itself */
    bool as_good;         /* the best, or not shown to be worse than it */
} race_entry;

/* Sorts by mean, the best first; equal ones keep their order, those without a mean come last. */
void race_order(race_entry *entries, int64_t count, int64_t runs);

/* How many of `count` ordered entries go on: a third, rounded up, but at least RACE_FINALISTS, and all whose mean is
 * that of the last of these: a name is no reason to fall out. Never one without a mean. */
int64_t race_survivors(const race_entry *entries, int64_t count);

/* How many times as many seeds a rung has on so many labelled items: few of them decide little. 4 below 200, 2 below
 * 1000. */
int64_t race_repeats(int64_t labelled);

/* How many of the ordered entries have a mean. */
int64_t race_finished(const race_entry *entries, int64_t count);

/* After race_order: every entry against the first, by the t test for splits that overlap with `ratio` validation items
 * per training item (stats_corrected_t), with Holm's correction. Worse is shown at p < 0.05. */
void race_judge(race_entry *entries, int64_t count, int64_t runs, double ratio);

#endif
