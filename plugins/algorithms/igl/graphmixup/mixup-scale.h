// SPDX-License-Identifier: Apache-2.0
/* mixup-scale.h: how many nodes GraphMixup adds, chosen by a table of values of actions.
 *
 * The state is the scale k, the actions are k + 0.05 and k - 0.05 within [-1, 1]. An action is paid by the sign of the
 * change of the validation score before it, and the table learns it when the next one is taken:
 * Q <- Q + 0.1 (reward - Q). Nine of ten actions are those of the highest value, ties at random. */
#ifndef IGL_MIXUP_SCALE_H
#define IGL_MIXUP_SCALE_H

#include <crucible/crucible.h>

enum { SCALE_STATES = 41, SCALE_RECORDS = 20 };

typedef struct mixup_scale {
    int32_t at; /* k = 0.05 at - 1 */
    double value[SCALE_STATES][2];
    bool pending; /* a transition to be learned: */
    int32_t from, action;
    double reward, score; /* of the last call */
    int64_t records;
    int32_t last[SCALE_RECORDS]; /* states */
} mixup_scale;

mixup_scale mixup_scale_create(double score);

double mixup_scale_k(const mixup_scale *s);

/* What the table would do. */
int32_t mixup_scale_choose(const mixup_scale *s, cru_rng *rng);

/* Learns what is pending, then takes an action: 0 up, 1 down. */
void mixup_scale_act(mixup_scale *s, double score, int32_t action);

/* 150 actions or more, and the last 20 states lie within one step. */
bool mixup_scale_settled(const mixup_scale *s);

/* How often a class of `count` is mixed for an average class: whole copies, then the first `rest` of its nodes. */
typedef struct mixup_copies {
    int64_t whole, rest;
} mixup_copies;
mixup_copies mixup_copies_of(int64_t count, int64_t average, double k);

/* Copies that make `times` new nodes of each node of the class; less than 0: none. */
mixup_copies mixup_copies_times(int64_t count, double times);

#endif
