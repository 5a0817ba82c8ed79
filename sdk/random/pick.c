// SPDX-License-Identifier: Apache-2.0
/* Picking some of n things, all equally likely. */
#include <string.h>

#include <crucible/random.h>

#include "random/scratch.h"

void cru_rng_shuffle(cru_rng *rng, int32_t *ids, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = cru_rng_below(rng, i + 1);
        int32_t kept = ids[i];
        ids[i] = ids[j];
        ids[j] = kept;
    }
}

void cru_rng_permutation(cru_rng *rng, int32_t *out, int64_t n)
{
    cru_assert(n <= INT32_MAX, "cru_rng_permutation: %lld ids do not fit", (long long)n);
    for (int64_t i = 0; i < n; i++) out[i] = (int32_t)i;
    cru_rng_shuffle(rng, out, n);
}

/* A sparse array of which only the places that differ from a[i] = i are stored: open addressing, at most half full. */
typedef struct sparse_array {
    int32_t *place, *value; /* place is -1 where the slot is free */
    uint64_t mask;
} sparse_array;

static int64_t sparse_slots(int64_t most)
{
    int64_t slots = 16;
    while (slots < 2 * most) slots *= 2;
    return slots;
}

static sparse_array sparse_create(int32_t *memory, int64_t slots)
{
    memset(memory, 0xff, (size_t)slots * sizeof *memory);
    return (sparse_array){.place = memory, .value = memory + slots, .mask = (uint64_t)slots - 1};
}

static uint64_t sparse_slot(const sparse_array *a, int32_t place)
{
    uint64_t slot = ((uint64_t)place * 0x9E3779B97F4A7C15u >> 32) & a->mask;
    while (a->place[slot] >= 0 && a->place[slot] != place) slot = (slot + 1) & a->mask;
    return slot;
}

static int32_t sparse_get(const sparse_array *a, int32_t place)
{
    uint64_t slot = sparse_slot(a, place);
    return a->place[slot] < 0 ? place : a->value[slot];
}

static void sparse_put(sparse_array *a, int32_t place, int32_t value)
{
    uint64_t slot = sparse_slot(a, place);
    a->place[slot] = place;
    a->value[slot] = value;
}

enum { SMALL = 128 }; /* slots that fit on the stack: samplers choose a few neighbours, millions of times */

/* The first k steps of a Fisher-Yates shuffle of 0 .. n-1, without the array. Step i never looks below i again, so only
 * the place that was drawn needs to be remembered. */
void cru_rng_choose(cru_rng *rng, int64_t n, int64_t k, int32_t *out)
{
    cru_assert(k >= 0 && k <= n && n <= INT32_MAX, "cru_rng_choose: %lld of %lld", (long long)k, (long long)n);
    int32_t few[2 * SMALL];
    int64_t slots = sparse_slots(k);
    cru_arena *scratch = slots > SMALL ? scratch_create() : NULL;
    sparse_array a = sparse_create(scratch ? cru_arena_alloc(scratch, 2 * slots, sizeof *few) : few, slots);
    for (int32_t i = 0; i < k; i++) {
        int32_t j = i + (int32_t)cru_rng_below(rng, n - i);
        out[i] = sparse_get(&a, j);
        sparse_put(&a, j, sparse_get(&a, i));
    }
    cru_arena_destroy(scratch);
}
