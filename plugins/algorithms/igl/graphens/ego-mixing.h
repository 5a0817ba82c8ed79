// SPDX-License-Identifier: Apache-2.0
/* ego-mixing.h: a new node between two others, its neighbours and its features.
 *
 * The divergence of a source s and a partner d with class probabilities P,
 *     kl = max(0, sum_c P_sc (ln P_sc - ln P_dc))
 * says how much of the partner goes into the new node: r = softmax([0, -kl]). */
#ifndef IGL_EGO_MIXING_H
#define IGL_EGO_MIXING_H

#include <crucible/crucible.h>

typedef struct ego_pair {
    int32_t source, partner; /* nodes */
    double divergence;       /* 0 or more; infinite when the partner excludes a class of the source */
} ego_pair;

/* 0 ln 0 counts as 0. */
double ego_divergence(const float *source, const float *partner, int32_t classes);
/* Fills it in; predicted: nodes x classes. */
void ego_compare(ego_pair *pairs, int64_t count, const float *predicted, int32_t classes);

/* r_1 N(source) + r_2 N(partner), where N(v) is uniform over row v of g (which ascends) and nothing for an empty row.
 * Writes the nodes of either row, ascending, and their shares; returns how many: at most the lengths of both rows. */
int64_t ego_neighbours(const cru_csr *g, const ego_pair *pair, int32_t *ids, double *shares);

/* Draws the neighbours of the i-th new node from these shares: as many as a random node has, at most `most`; how many.
 * An added_draw (added-nodes.h). */
typedef struct ego_drawing {
    const cru_csr *g;
    const ego_pair *pairs;
    cru_rng *rng;
} ego_drawing;

int64_t ego_draw_neighbours(void *drawing, cru_tape *t, int64_t i, int64_t most, int32_t *ids);

/* How many of `drawn` features keep the value of the source: floor(sigmoid(kl / 3) drawn), but one at least unless
 * none were drawn. */
int64_t ego_kept(double divergence, int64_t drawn);

/* The partner's gradient, or NULL where none is known yet, and scratch. */
typedef struct ego_saliency {
    const float *gradient; /* features */
    int64_t features;
    double *weight;  /* features */
    int32_t *chosen; /* kept */
} ego_saliency;

/* The source's share in every feature: one number of Beta(2, 2), but 1 for `kept` features, drawn by the size of the
 * gradient where it is known. */
void ego_draw_shares(const ego_saliency *saliency, int64_t kept, cru_rng *rng, float *share);

/* share x_source + (1 - share) x_partner, element by element; share: count x features. Dense. */
cru_tensor *ego_features(cru_tape *t, const cru_input *x, const ego_pair *pairs, cru_tensor *share);

#endif
