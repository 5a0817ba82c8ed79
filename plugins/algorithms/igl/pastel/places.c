// SPDX-License-Identifier: Apache-2.0
#include "places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scores are not negative, so that their bits ascend with them; the 15 highest bits of the mantissa are looked at. */
enum { BELOW = 8 };

static uint32_t place_of(const pair_ranks *r, float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits >>= BELOW;
    return bits <= r->least ? 0 : bits - r->least;
}

/* scores_v = <z_u, z_v> */
static void score_row(const pair_ranks *r, int64_t u, float *scores)
{
    memset(scores, 0, (size_t)r->n * sizeof *scores);
    for (int64_t c = 0; c < r->classes; c++) {
        const float *z = r->z + c * r->n, own = z[u];
        for (int64_t v = 0; v < r->n; v++) scores[v] += own * z[v];
    }
}

/* The places that scores take: those above 2^-40 of the largest have one of their own. */
static void span(pair_ranks *r)
{
    float largest = 0;
    for (int64_t v = 0; v < r->n; v++) { /* no product exceeds both squares */
        float square = 0;
        for (int64_t c = 0; c < r->classes; c++) square += r->z[c * r->n + v] * r->z[c * r->n + v];
        largest = fmaxf(largest, square);
    }
    const float smallest = fmaxf(ldexpf(largest, -40), 1e-37f);
    uint32_t high, low;
    memcpy(&high, &largest, sizeof high);
    memcpy(&low, &smallest, sizeof low);
    r->least = low >> BELOW;
    r->count = high > low ? (high >> BELOW) - r->least + 2 : 2;
}

static void make_row(const pair_ranks *r, int64_t u, float *g)
{
    score_row(r, u, g);
    for (int64_t v = 0; v < r->n; v++) g[v] = r->factor[place_of(r, g[v])];
}

pair_ranks pair_ranks_create(cru_pool pool, const cru_csr *s, const cru_ids *members, int32_t classes, double restart)
{
    pair_ranks r = {.n = s->rows, .classes = classes};
    double *z = cru_pool_alloc(pool, r.n * classes, sizeof *z);
    memset(z, 0, (size_t)(r.n * classes) * sizeof *z);
    for (int32_t c = 0; c < classes; c++)
        for (int64_t i = 0; i < members[c].count; i++)
            z[(int64_t)members[c].ids[i] * classes + c] = 1 / (double)members[c].count;
    cru_ppr_apply(s, &(cru_ppr_options){.restart = restart}, z, classes);
    r.z = cru_pool_alloc(pool, r.n * classes, sizeof *r.z);
    for (int64_t v = 0; v < r.n; v++)
        for (int32_t c = 0; c < classes; c++) r.z[c * r.n + v] = (float)z[v * classes + c];
    span(&r);
    int64_t *pairs = calloc(r.count, sizeof *pairs);
    if (!pairs) cru_panic(CRU_NO_MEMORY, "no memory for a histogram of %u places", r.count);
    float *scores = cru_pool_alloc(pool, r.n, sizeof *scores);
    for (int64_t u = 0; u < r.n; u++) {
        score_row(&r, u, scores);
        for (int64_t v = 0; v < r.n; v++) pairs[place_of(&r, scores[v])]++;
    }
    r.factor = cru_pool_alloc(pool, r.count, sizeof *r.factor);
    const double all = (double)r.n * (double)r.n;
    int64_t above = 0;
    for (uint32_t i = r.count; i-- > 0;) {
        r.factor[i] = (float)(1 - cos(M_PI * ((double)above + (double)(1 + pairs[i]) / 2) / all));
        above += pairs[i];
    }
    free(pairs);
    if (r.n > RELATION_KEPT) return r;
    r.kept = cru_pool_alloc(pool, r.n * r.n, sizeof *r.kept);
    for (int64_t u = 0; u < r.n; u++) make_row(&r, u, r.kept + u * r.n);
    return r;
}

void pair_ranks_row(const void *user, int64_t u, float *g)
{
    const pair_ranks *r = user;
    if (!r->kept)
        make_row(r, u, g);
    else
        memcpy(g, r->kept + u * r->n, (size_t)r->n * sizeof *g);
}

/* The nodes that row u leads to; returns how many. */
static int64_t lead(places_row *row, const void *user, int64_t u, int64_t n, float *next, int32_t *ids)
{
    int64_t count = 0;
    row(user, u, next);
    for (int32_t v = 0; v < n; v++)
        if (next[v] != 0) ids[count++] = v;
    return count;
}

void places_hops(int64_t n, cru_ids anchors, int32_t cut, places_row *row, const void *user, float *out)
{
    enum { UNSEEN = 255 };
    uint8_t *hops = malloc((size_t)(n * anchors.count));
    float *next = malloc((size_t)n * sizeof *next), most = 1;
    int32_t *ids = malloc((size_t)n * sizeof *ids);
    if (!hops || !next || !ids)
        cru_panic(CRU_NO_MEMORY, "no memory for hops to %lld anchors", (long long)anchors.count);
    memset(hops, UNSEEN, (size_t)(n * anchors.count));
    for (int64_t a = 0; a < anchors.count; a++) hops[a * n + anchors.ids[a]] = 0;
    bool moved = true;
    for (int32_t step = 1; step <= cut && moved; step++) {
        moved = false;
        for (int64_t u = 0; u < n; u++) {
            int64_t found = -1;
            for (int64_t a = 0; a < anchors.count; a++) {
                if (hops[a * n + u] != step - 1) continue;
                if (found < 0) found = lead(row, user, u, n, next, ids);
                for (int64_t i = 0; i < found; i++)
                    if (hops[a * n + ids[i]] == UNSEEN) hops[a * n + ids[i]] = (uint8_t)step, moved = true;
            }
        }
    }
    for (int64_t i = 0; i < n * anchors.count; i++)
        if (hops[i] != UNSEEN) most = fmaxf(most, hops[i]);
    for (int64_t v = 0; v < n; v++)
        for (int64_t a = 0; a < anchors.count; a++)
            out[v * anchors.count + a] = hops[a * n + v] == UNSEEN ? 0 : (float)hops[a * n + v] / most;
    free(hops);
    free(next);
    free(ids);
}
