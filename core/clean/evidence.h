// SPDX-License-Identifier: Apache-2.0
/* evidence.h: which labels are probably wrong, by what methods say of items whose labels they have not learned from.
 *
 * Each method m gives probabilities p_m(c | i) of every class for every labelled item, out of fold. They are first made
 * honest, each method by one number: the temperature at which the given labels are most likely,
 *
 *     q_m(c | i) ~ p_m(c | i)^b_m,     b_m maximises the sum of log q_m(given of i | i)
 *
 * so that a method that is always sure does not outvote the others; then averaged over the methods. An item is the more
 * suspect the less probable its given label is: suspicion = 1 - q(given).
 *
 * How many labels are wrong is estimated by confident counts: t_c is the mean q(c) over the items that are labelled c;
 * an item's class is clear when some q(j) >= t_j, and then it is the most probable of those. The estimate is the share
 * of the labels of which another class is clear (what the paper's authors call the off-diagonal of the confident joint,
 * not scaled up to the items that are not clear: those are the hard ones, which seldom reach a threshold). Wrong labels
 * that follow the features rather than the class cannot be told from hard items by this or any such rule.
 *
 * Northcutt, Jiang, Chuang. Confident Learning: Estimating Uncertainty in Dataset Labels. JAIR 2021.
 * Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017. */
#ifndef CORE_CLEAN_EVIDENCE_H
#define CORE_CLEAN_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <crucible/status.h>

/* Below this share little is wrong: see evidence_verdict. */
#define EVIDENCE_LITTLE 0.05

typedef struct evidence_method {
    char *name;
    double *sum;     /* items x classes: probabilities, added up over repetitions, then q_m */
    int32_t *judged; /* items: how often; 0: never */
    double power;    /* b_m */
    double agrees;   /* share of the given labels that are its most probable class */
} evidence_method;

typedef struct evidence {
    int64_t items; /* of the dataset, labelled or not */
    int32_t classes;
    int32_t *given; /* items: CRU_UNLABELLED where nothing was said */
    evidence_method *methods;
    int32_t method_count;

    /* made by evidence_conclude */
    int64_t count;      /* items with a label that a method has judged */
    double *q;          /* items x classes: the average of the methods */
    int32_t *order;     /* count: items, the most suspect first; ties by number */
    double *suspicion;  /* items */
    int32_t *suggested; /* items: the most probable class */
    int32_t *against;   /* items: methods whose most probable class is another one than the given */
    double guess;       /* share of the label that most items carry */
    bool learned;       /* a method agrees with the labels more often than that (its 95 % interval is above it); else
                              nothing is estimated */
    double rate;        /* estimated share of wrong labels; NAN: no class is clear, or nothing was learned */
    double low, high;   /* its 95 % interval (Wilson) */
    int64_t counted;    /* items whose class is clear */
    int64_t wrong;      /* the first so many of `order` are probably wrong: as many as another class is clear of */
    int64_t *confident; /* classes x classes: items labelled i whose class is clearly j */
} evidence;

cru_status evidence_create(int64_t items, int32_t classes, evidence **out, cru_error *err);
void evidence_destroy(evidence *e);

/* What one training says. CRU_BAD_INPUT: an item or a label that is none, or a probability that is not finite. */
typedef struct evidence_part {
    const char *method;
    const double *item, *given, *probability; /* count, count, count x classes */
    int64_t count;
} evidence_part;
cru_status evidence_add(evidence *e, const evidence_part *part, cru_error *err);

/* After the last part, once. CRU_BAD_INPUT: nothing was added. */
cru_status evidence_conclude(evidence *e, cru_error *err);

/* Little is wrong when the data does not show that more than EVIDENCE_LITTLE of the labels are: low <=
 * EVIDENCE_LITTLE. */
typedef enum evidence_verdict { EVIDENCE_UNKNOWN, EVIDENCE_FEW, EVIDENCE_MANY } evidence_verdict;
evidence_verdict evidence_judge(const evidence *e);

/* Average precision of the order against true labels (items; CRU_UNLABELLED: not known, such items are left out), and
 * the share of truly wrong labels among the first `first` of it. NAN when none or no label is wrong. */
typedef struct evidence_quality {
    int64_t known, wrong; /* items with a true label; those whose given label differs */
    double average_precision, precision;
} evidence_quality;
evidence_quality evidence_check(const evidence *e, const int32_t *truth, int64_t first);

#endif
