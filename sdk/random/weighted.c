// SPDX-License-Identifier: Apache-2.0
/* Picking with probability proportional to weights. */
#include <math.h>

#include <crucible/random.h>

#include "random/scratch.h"

static double checked_sum(const double *weights, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        cru_assert(weights[i] >= 0, "weight %lld is %g", (long long)i, weights[i]);
        sum += weights[i];
    }
    cru_assert(sum > 0 && isfinite(sum), "the sum of %lld weights is %g", (long long)n, sum);
    return sum;
}

/* Rounding may leave a rest after the last weight: then the last positive one is meant. */
int64_t cru_rng_categorical(cru_rng *rng, const double *weights, int64_t n)
{
    double u = cru_rng_uniform(rng) * checked_sum(weights, n);
    int64_t last = 0;
    for (int64_t i = 0; i < n; i++) {
        if (weights[i] == 0) continue;
        if (u < weights[i]) return i;
        u -= weights[i];
        last = i;
    }
    return last;
}

/* n columns of equal weight, each shared by at most two outcomes: `keep` is the share of column i that is i's own, the
 * rest belongs to other[i]. Vose. A linear algorithm for generating random numbers with a given distribution. 1991. */
typedef struct alias_table {
    double *keep;
    int32_t *other;
} alias_table;

static alias_table alias_create(cru_arena *scratch, const double *weights, int64_t n)
{
    alias_table t = {.keep = cru_arena_alloc(scratch, n, sizeof *t.keep),
                     .other = cru_arena_alloc(scratch, n, sizeof *t.other)};
    int32_t *stack = cru_arena_alloc(scratch, n, sizeof *stack); /* light columns from the left, heavy from the right */
    int64_t light = 0, heavy = n;
    double mean = checked_sum(weights, n) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        t.keep[i] = weights[i] / mean;
        t.other[i] = (int32_t)i;
        stack[t.keep[i] < 1 ? light++ : --heavy] = (int32_t)i;
    }
    while (light > 0 && heavy < n) {
        int32_t poor = stack[--light], rich = stack[heavy];
        t.other[poor] = rich;
        t.keep[rich] -= 1 - t.keep[poor];
        if (t.keep[rich] < 1) {
            heavy++;
            stack[light++] = rich;
        }
    }
    while (light > 0) t.keep[stack[--light]] = 1; /* left over by rounding: all but full */
    return t;
}

typedef struct urn {
    const double *weights;
    int64_t count, draws;
} urn;

static void draw_with_replacement(cru_rng *rng, const urn *from, int32_t *out)
{
    cru_arena *scratch = scratch_create();
    alias_table t = alias_create(scratch, from->weights, from->count);
    for (int64_t k = 0; k < from->draws; k++) {
        int32_t column = (int32_t)cru_rng_below(rng, from->count);
        out[k] = cru_rng_uniform(rng) < t.keep[column] ? column : t.other[column];
    }
    cru_arena_destroy(scratch);
}

typedef struct ticket {
    double key;
    int32_t id;
} ticket;

/* More than what rounding does to logarithms of numbers from the smallest to the largest double. */
static const double clearly = 1e-9;

/* Restores a heap, largest key on top, after the ticket at `at` became smaller. */
static void sift_down(ticket *heap, int64_t count, int64_t at)
{
    ticket moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].key > heap[child].key) child++;
        if (heap[child].key <= moved.key) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Item i gets an exponential waiting time with rate weights[i]; the order in which they end is that of successive draws
 * without replacement. The heap holds the `draws` shortest times so far, as logarithms, since weights may be tiny.
 *     Efraimidis, Spirakis. Weighted random sampling with a reservoir. IPL 2006.
 * A time is at least u / weight, because -ln(1 - u) >= u: where that is clearly more than the longest one held, which is
 * so for most, no logarithm is taken. */
static void draw_without_replacement(cru_rng *rng, const urn *from, int32_t *out)
{
    int64_t positive = 0;
    for (int64_t i = 0; i < from->count; i++) positive += from->weights[i] > 0;
    cru_assert(positive >= from->draws, "cru_rng_weighted: %lld draws from %lld positive weights",
               (long long)from->draws, (long long)positive);
    ticket few[64]; /* on the stack, for samplers that draw a few, often */
    cru_arena *scratch = from->draws > 64 ? scratch_create() : NULL;
    ticket *heap = scratch ? cru_arena_alloc(scratch, from->draws, sizeof *heap) : few;
    int64_t held = 0;
    double longest = INFINITY;
    for (int64_t i = 0; i < from->count; i++) {
        if (from->weights[i] == 0) continue;
        const double u = cru_rng_uniform(rng);
        if (u > longest * from->weights[i]) continue;
        ticket t = {.key = log(-log1p(-u)) - log(from->weights[i]), .id = (int32_t)i};
        if (held < from->draws) {
            heap[held++] = t;
            if (held < from->draws) continue;
            for (int64_t k = held / 2; k-- > 0;) sift_down(heap, held, k);
        } else if (t.key < heap[0].key) {
            heap[0] = t;
            sift_down(heap, held, 0);
        }
        if (held == from->draws) longest = (1 + clearly) * exp(heap[0].key);
    }
    while (held > 0) {
        out[held - 1] = heap[0].id;
        heap[0] = heap[--held];
        sift_down(heap, held, 0);
    }
    cru_arena_destroy(scratch);
}

void cru_rng_weighted(cru_rng *rng, const double *weights, int64_t n, int64_t k, bool replace, int32_t *out)
{
    cru_assert(k >= 0 && n <= INT32_MAX, "cru_rng_weighted: %lld of %lld", (long long)k, (long long)n);
    if (k == 0) return;
    checked_sum(weights, n);
    urn from = {.weights = weights, .count = n, .draws = k};
    if (replace)
        draw_with_replacement(rng, &from, out);
    else
        draw_without_replacement(rng, &from, out);
}
