// SPDX-License-Identifier: Apache-2.0
/* class-counts.h: predictions counted by class, the basis of accuracy and the F-measures. */
#ifndef METRICS_CLASS_COUNTS_H
#define METRICS_CLASS_COUNTS_H

#include <crucible/plugin.h>

typedef struct class_count {
    int64_t hit;       /* true c and predicted c */
    int64_t actual;    /* true c */
    int64_t predicted; /* predicted c */
} class_count;

typedef struct class_counts {
    int64_t items, hits; /* judged items, those predicted right */
    int32_t classes;
    class_count *of; /* classes entries */
} class_counts;

/* Counts the judged items whose truth is known. Free with class_counts_free, also after a failure. */
cru_status class_counts_take(class_counts *counts, const cru_judging *j);
void class_counts_free(class_counts *counts);

/* 2 hit / (actual + predicted): the harmonic mean of precision and recall; 0 when there is no hit. */
double class_f1(const class_count *count);

/* class_f1, and NAN for a class that is neither true nor predicted anywhere. */
double class_f1_if_any(const class_count *count);

/* hit / actual; NAN for a class without items. */
double class_recall(const class_count *count);

/* Per class; NAN where it is not defined. */
typedef double class_measure(const class_count *count);

/* The mean over the classes for which it is defined; NAN when there is none. */
double class_counts_mean(const class_counts *counts, class_measure *measure);

/* Reports a measure of every class. */
void class_counts_report(const class_counts *counts, class_measure *measure, const char *name, cru_report *report);

/* What every metric built on counts does: count, compute, free. */
typedef double class_summary(const class_counts *counts, cru_report *report);
cru_status class_counts_score(const cru_judging *j, class_summary *summary, double *value);

#endif
