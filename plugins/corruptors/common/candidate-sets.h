/* candidate-sets.h: labels that become sets of candidates, as partial-label learning has them.
 *
 * A corruptor gives `draw`, which adds false candidates to the set of one item; everything around it is here. The set
 * starts with the item's label as annotated, so label noise earlier in the chain makes sets without the truth. */
#ifndef CORRUPTORS_CANDIDATE_SETS_H
#define CORRUPTORS_CANDIDATE_SETS_H

#include "label-noise.h"

/* What `apply` of a corruptor was called with, and whose sets it draws. */
typedef struct candidate_job {
    noise_where where;
    cru_data *data;
    cru_rng *rng;
    cru_report *report;
    cru_error *err;
} candidate_job;

/* `set` holds `classes` zeros and a one at `label`. */
typedef void candidate_draw(const void *user, cru_rng *rng, int32_t label, int32_t classes, uint8_t *set);

/* Draws a set for every item in order and keeps it where `where` says; all others have their label alone. Reports
 * `candidates`, the mean size of the sets kept, and `noise_rate`, the share of them without the truth. Refuses data
 * that has candidate sets already, and a single class. */
cru_status candidate_sets_apply(const candidate_job *job, candidate_draw *draw, const void *user);

/* The two numbers, for corruptors that change sets. */
void candidate_sets_report(const cru_data *data, const uint8_t *chosen, cru_report *report);

#endif
