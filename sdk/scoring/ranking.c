// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/scoring.h>
#include <crucible/scoring.h>

/* ---- sorting --------------------------------------------------------------------------------------------- */

/* Bits that order as unsigned integers like the doubles they stand for; -0 and 0 are equal. */
static uint64_t sort_key(double score)
{
    uint64_t bits;
    const double x = score + 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Radix sort by bytes, the lowest first: stable, and linear where millions of scores are ranked. A byte that all keys
 * share is skipped. */
cru_status cru_ranking_sort(cru_ranking *r, cru_error *err)
{
    enum { BYTES = 8, VALUES = 256 };
    int64_t count[BYTES][VALUES] = {{0}};
    cru_ranked *from = r->of, *to = malloc((size_t)(r->count ? r->count : 1) * sizeof *to), *spare = to;
    if (!to) return cru_fail(err, CRU_NO_MEMORY, "no memory to rank %lld items", (long long)r->count);
    r->positives = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const uint64_t key = sort_key(from[i].score);
        for (int b = 0; b < BYTES; b++) count[b][key >> 8 * b & 255]++;
        r->positives += from[i].positive;
    }
    for (int b = 0; b < BYTES && r->count; b++) {
        int64_t start[VALUES], sum = 0;
        if (count[b][sort_key(from[0].score) >> 8 * b & 255] == r->count) continue;
        for (int v = 0; v < VALUES; v++) {
            start[v] = sum;
            sum += count[b][v];
        }
        for (int64_t i = 0; i < r->count; i++) to[start[sort_key(from[i].score) >> 8 * b & 255]++] = from[i];
        cru_ranked *swap = from;
        from = to;
        to = swap;
    }
    if (from != r->of) memcpy(r->of, from, (size_t)r->count * sizeof *from);
    free(spare);
    return CRU_OK;
}

/* ---- measures -------------------------------------------------------------------------------------------- */

/* Equal scores: items first .. end-1, among them `positives`. */
typedef struct tie {
    int64_t first, end, positives;
} tie;

/* The tie that ends before `end`, seen from the top. */
static tie tie_below(const cru_ranking *r, int64_t end)
{
    tie t = {.first = end, .end = end};
    while (t.first > 0 && r->of[t.first - 1].score == r->of[end - 1].score) t.positives += r->of[--t.first].positive;
    return t;
}

double cru_ranking_auroc(const cru_ranking *r)
{
    const int64_t negatives = r->count - r->positives;
    double won = 0;
    int64_t above = 0; /* positives with a higher score */
    if (r->positives == 0 || negatives == 0) return NAN;
    for (int64_t end = r->count; end > 0;) {
        const tie t = tie_below(r, end);
        const double lower = (double)(t.end - t.first - t.positives);
        won += lower * ((double)above + 0.5 * (double)t.positives);
        above += t.positives;
        end = t.first;
    }
    return won / ((double)r->positives * (double)negatives);
}

double cru_ranking_auprc(const cru_ranking *r)
{
    double sum = 0;
    int64_t found = 0;
    if (r->positives == 0) return NAN;
    for (int64_t end = r->count; end > 0;) {
        const tie t = tie_below(r, end);
        found += t.positives;
        sum += (double)t.positives * (double)found / (double)(r->count - t.first);
        end = t.first;
    }
    return sum / (double)r->positives;
}

double cru_ranking_recall_at_k(const cru_ranking *r, bool stable)
{
    const int64_t border = r->count - r->positives;
    double found = 0;
    if (r->positives == 0) return NAN;
    for (int64_t end = r->count; end > border;) {
        const tie t = tie_below(r, end);
        if (t.first >= border) {
            found += (double)t.positives;
        } else if (stable) {
            for (int64_t i = border; i < t.end; i++) found += r->of[i].positive;
        } else {
            found += (double)t.positives * (double)(t.end - border) / (double)(t.end - t.first);
        }
        end = t.first;
    }
    return found / (double)r->positives;
}
