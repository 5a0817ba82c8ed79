// SPDX-License-Identifier: Apache-2.0
/* candidate-sets.h: labels that become sets of candidates, as partial-label learning has them.
 *
 * A corruptor gives `draw`, which adds false candidates to the set of one item; everything around it is here. The set
 * starts with the item's label as annotated, so label noise earlier in the chain makes sets without the truth. */
#ifndef CORRUPTORS_CANDIDATE_SETS_H
#define CORRUPTORS_CANDIDATE_SETS_H

#include "label-noise.h"

/* Whose set is drawn. */
typedef struct candidate_item {
    int64_t item;
    int32_t label, classes;
} candidate_item;

/* `set` holds zeros and a one at the label. */
typedef void candidate_draw(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set);

/* The classes that join: c when uniform[c] < p[c]. The label is not asked. */
void candidate_sets_join(const candidate_item *about, const double *uniform, const double *p, uint8_t *set);

/* How likely each class is to join when a network that knows the labels gave these scores (classes of them):
 *     r = softmax(scores), r_y = 0, r <- rate r / mean r, at most 1      y: the label
 * which is what the study's two steps r <- r / max r, r <- rate r / mean r come to. Zeros when nothing is left. */
void candidate_sets_likely(const candidate_item *about, const float *scores, double rate, double *p);

/* Draws a set for every item in order and keeps it where `where` says; all others have their label alone. Reports
 * `candidates`, the mean size of the sets kept, and `noise_rate`, the share of them without the truth. Refuses data
 * that has candidate sets already, and a single class. */
cru_status candidate_sets_apply(noise_where where, const cru_damage *d, candidate_draw *draw, const void *user);

/* The two numbers, for corruptors that change sets. */
void candidate_sets_report(const cru_data *data, const uint8_t *chosen, cru_report *report);

#endif
