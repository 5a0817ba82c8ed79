// SPDX-License-Identifier: Apache-2.0
/* supervision.h: accuracy on groups of nodes by what training labels did to them.
 *
 * With T the training nodes, T_ok those whose label is right, T_bad those whose label is wrong, S the judged nodes and
 * nb(Q) the nodes joined to one of Q by an edge, in either direction and not by a self-loop:
 *
 *     ACLT   T_ok          AUCS  S in nb(T_ok)
 *     AILT   T_bad         AUIS  S in nb(T_bad)
 *     AILMT  T_bad, judged by the wrong labels      AUU  S not in nb(T)
 *
 * Wang, Sun, Zhou, Wang, Fan, Huang, Bu. NoisyGL: A Comprehensive Benchmark for Graph Neural Networks under Label
 * Noise. NeurIPS 2024. */
#ifndef METRICS_SUPERVISION_H
#define METRICS_SUPERVISION_H

#include <crucible/plugin.h>

#define SUPERVISION_CITATION                                                                                           \
    "Wang, Sun, Zhou, Wang, Fan, Huang, Bu. NoisyGL: A Comprehensive Benchmark for Graph Neural Networks under Label " \
    "Noise. NeurIPS 2024."

typedef enum supervision_group {
    TRAIN_CORRECT,    /* T_ok */
    TRAIN_INCORRECT,  /* T_bad */
    TEST_CORRECT,     /* S in nb(T_ok) */
    TEST_INCORRECT,   /* S in nb(T_bad) */
    TEST_SUPERVISED,  /* S in nb(T) */
    TEST_UNSUPERVISED /* S not in nb(T) */
} supervision_group;

/* Accuracy on the group by true labels, or by the observed ones; NAN when the group is empty. O(edges). */
typedef struct supervision_question {
    supervision_group group;
    bool observed;
} supervision_question;
cru_status supervision_score(const cru_judging *j, supervision_question question, double *value);

#endif
