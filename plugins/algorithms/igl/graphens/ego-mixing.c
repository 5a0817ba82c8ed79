// SPDX-License-Identifier: Apache-2.0
#include "ego-mixing.h"

#include <math.h>

double ego_divergence(const float *source, const float *partner, int32_t classes)
{
    double sum = 0;
    for (int32_t c = 0; c < classes; c++)
        if (source[c] > 0) sum += (double)source[c] * (log((double)source[c]) - log((double)partner[c]));
    return fmax(0, sum);
}

static double share_of(const cru_csr *g, int32_t row, double part)
{
    const int64_t length = g->offsets[row + 1] - g->offsets[row];
    return length ? part / (double)length : 0;
}

int64_t ego_neighbours(const cru_csr *g, const ego_pair *pair, int32_t *ids, double *shares)
{
    const double first = 1 / (1 + exp(-pair->divergence));
    const double own = share_of(g, pair->source, first), other = share_of(g, pair->partner, 1 - first);
    int64_t i = g->offsets[pair->source], j = g->offsets[pair->partner], count = 0;
    const int64_t i_end = g->offsets[pair->source + 1], j_end = g->offsets[pair->partner + 1];
    while (i < i_end || j < j_end) {
        const bool left = j == j_end || (i < i_end && g->ids[i] <= g->ids[j]);
        const bool right = i == i_end || (j < j_end && g->ids[j] <= g->ids[i]);
        ids[count] = left ? g->ids[i] : g->ids[j];
        shares[count++] = (left ? own : 0) + (right ? other : 0);
        i += left;
        j += right;
    }
    return count;
}

int64_t ego_kept(double divergence, int64_t drawn)
{
    const int64_t kept = (int64_t)floor((double)drawn / (1 + exp(-divergence / 3)));
    return drawn && !kept ? 1 : kept;
}

cru_tensor *ego_features(cru_tape *t, const cru_input *x, const ego_pair *pairs, cru_tensor *share)
{
    const int64_t count = cru_tensor_rows(share);
    int32_t *sources = cru_tape_alloc(t, count, sizeof *sources),
            *partners = cru_tape_alloc(t, count, sizeof *partners);
    for (int64_t i = 0; i < count; i++) {
        sources[i] = pairs[i].source;
        partners[i] = pairs[i].partner;
    }
    const cru_input own = cru_input_rows(t, x, cru_index_step(t, sources, count));
    const cru_input other = cru_input_rows(t, x, cru_index_step(t, partners, count));
    cru_tensor *base = cru_input_dense(t, &other);
    return cru_add(t, base, cru_mul(t, share, cru_sub(t, cru_input_dense(t, &own), base)));
}

static int64_t row_length(const cru_csr *g, int64_t row)
{
    return g->offsets[row + 1] - g->offsets[row];
}

int64_t ego_draw_neighbours(void *drawing, cru_tape *t, int64_t i, int64_t most, int32_t *ids)
{
    const ego_drawing *d = drawing;
    const cru_csr *g = d->g;
    const ego_pair *pair = &d->pairs[i];
    cru_rng *rng = d->rng;
    const int64_t both = row_length(g, pair->source) + row_length(g, pair->partner);
    int64_t count = row_length(g, cru_rng_below(rng, g->rows));
    if (count > most) count = most;
    int32_t *from = cru_tape_alloc(t, both, sizeof *from);
    double *shares = cru_tape_alloc(t, both, sizeof *shares);
    const int64_t found = ego_neighbours(g, pair, from, shares);
    cru_rng_weighted(rng, shares, found, count, false, ids);
    for (int64_t k = 0; k < count; k++) ids[k] = from[ids[k]];
    return count;
}

void ego_draw_shares(const ego_saliency *s, int64_t kept, cru_rng *rng, float *share)
{
    const float lambda = (float)cru_rng_beta(rng, 2, 2);
    for (int64_t f = 0; f < s->features; f++) share[f] = lambda;
    if (!s->gradient) return;
    for (int64_t f = 0; f < s->features; f++) s->weight[f] = fabs((double)s->gradient[f]) + 1e-10;
    cru_rng_weighted(rng, s->weight, s->features, kept, false, s->chosen);
    for (int64_t k = 0; k < kept; k++) share[s->chosen[k]] = 1;
}

void ego_compare(ego_pair *pairs, int64_t count, const float *predicted, int32_t classes)
{
    for (int64_t i = 0; i < count; i++)
        pairs[i].divergence = ego_divergence(predicted + (int64_t)pairs[i].source * classes,
                                             predicted + (int64_t)pairs[i].partner * classes, classes);
}
