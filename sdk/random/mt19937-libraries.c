// SPDX-License-Identifier: Apache-2.0
/* How NumPy, Python and PyTorch read the Mersenne Twister. The order of draws and of roundings is theirs. */
#include <math.h>
#include <string.h>

#include <crucible/draft/mt19937.h>
#include <crucible/mt19937.h>

#include "random/scratch.h"

static void swap(int32_t *ids, int64_t i, int64_t j)
{
    int32_t kept = ids[i];
    ids[i] = ids[j];
    ids[j] = kept;
}

static void count_up(int32_t *ids, int64_t n)
{
    cru_assert(n <= INT32_MAX, "mt19937: a permutation of %lld", (long long)n);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)i;
}

/* ---- NumPy ---- */

uint32_t cru_mt_interval(cru_mt *mt, uint32_t max)
{
    if (max == 0) return 0;
    uint32_t mask = UINT32_MAX >> __builtin_clz(max), value;
    do value = cru_mt_u32(mt) & mask;
    while (value > max);
    return value;
}

void cru_mt_shuffle(cru_mt *mt, int32_t *ids, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) swap(ids, i, cru_mt_interval(mt, (uint32_t)i));
}

void cru_mt_permutation(cru_mt *mt, int32_t *out, int64_t n)
{
    count_up(out, n);
    cru_mt_shuffle(mt, out, n);
}

void cru_mt_choose(cru_mt *mt, int64_t n, int64_t k, int32_t *out)
{
    cru_assert(k >= 0 && k <= n, "cru_mt_choose: %lld of %lld", (long long)k, (long long)n);
    cru_arena *scratch = scratch_create();
    int32_t *all = cru_arena_alloc(scratch, n, sizeof *all);
    cru_mt_permutation(mt, all, n);
    if (k > 0) memcpy(out, all, (size_t)k * sizeof *out);
    cru_arena_destroy(scratch);
}

/* The polar form of Box-Muller; NumPy hands out the second value of a pair first. */
double cru_mt_normal(cru_mt *mt)
{
    if (mt->has_normal) {
        mt->has_normal = false;
        return mt->normal;
    }
    double x, y, square;
    do {
        x = 2 * cru_mt_uniform(mt) - 1;
        y = 2 * cru_mt_uniform(mt) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    mt->normal = factor * x;
    mt->has_normal = true;
    return factor * y;
}

/* binomial(1, p) for p <= 1/2 by inversion: walks through the probabilities of 0 and 1, and starts again where rounding
 * leads past both. */
static int32_t invert(cru_mt *mt, double p)
{
    double q = 1 - p, none = exp(log(q)), probability = none, u = cru_mt_uniform(mt);
    int32_t x = 0;
    while (u > probability) {
        x++;
        if (x > 1) {
            x = 0;
            probability = none;
            u = cru_mt_uniform(mt);
        } else {
            u -= probability;
            probability = (2 - x) * p * probability / (x * q);
        }
    }
    return x;
}

int32_t cru_mt_bernoulli(cru_mt *mt, double p)
{
    return p <= 0.5 ? invert(mt, p) : 1 - invert(mt, 1 - p);
}

/* Unlike binomial(1, 0), a class that is impossible costs no draw. */
int32_t cru_mt_multinomial(cru_mt *mt, const double *p, int32_t n)
{
    double rest = 1;
    for (int32_t j = 0; j < n - 1; j++) {
        double chance = p[j] / rest;
        if (chance != 0 && cru_mt_bernoulli(mt, chance)) return j;
        rest -= p[j];
    }
    return n - 1;
}

/* The first class whose cumulated and normalised probability exceeds u. */
int32_t cru_mt_categorical(cru_mt *mt, const double *p, int32_t n)
{
    double total = 0, sum = 0, u = cru_mt_uniform(mt);
    for (int32_t j = 0; j < n; j++) total += p[j];
    for (int32_t j = 0; j < n - 1; j++) {
        sum += p[j];
        if (sum / total > u) return j;
    }
    return n - 1;
}

/* ---- Python ---- */

uint32_t cru_mt_python_below(cru_mt *mt, uint32_t n)
{
    cru_assert(n > 0, "cru_mt_python_below: there is no number below 0");
    int unused = __builtin_clz(n);
    uint32_t value;
    do value = cru_mt_u32(mt) >> unused;
    while (value >= n);
    return value;
}

void cru_mt_python_shuffle(cru_mt *mt, int32_t *ids, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) swap(ids, i, cru_mt_python_below(mt, (uint32_t)i + 1));
}

/* ---- PyTorch ---- */

void cru_mt_torch_permutation(cru_mt *mt, int32_t *out, int64_t n)
{
    count_up(out, n);
    for (int64_t i = 0; i < n - 1; i++) swap(out, i, i + cru_mt_u32(mt) % (uint32_t)(n - i));
}
