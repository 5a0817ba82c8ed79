// SPDX-License-Identifier: Apache-2.0
#include "graph/hop-transport.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory/heap.h"

typedef struct network {
    const hop_transport *p;
    int64_t back_words;
    uint64_t *arcs;       /* m x words: what supply i may use in this phase */
    int64_t *flow;        /* m x n */
    uint64_t *back;       /* n x back_words: bit i: flow[i][j] > 0 */
    uint64_t *seen;       /* words: demands reached by the search */
    int32_t *queue;       /* supplies in order of discovery */
    int32_t *from_demand; /* m: the demand over which supply i was reached, -1 for roots, -2 for unseen */
    int32_t *from_supply; /* n */
} network;

static bool bit(const uint64_t *words, int64_t i)
{
    return words[i / 64] >> (i % 64) & 1;
}

static void push(const network *w, int64_t i, int64_t j, int64_t amount)
{
    int64_t *flow = &w->flow[i * w->p->n + j];
    uint64_t mask = (uint64_t)1 << (i % 64), *word = &w->back[j * w->back_words + i / 64];
    *flow += amount;
    *word = *flow > 0 ? *word | mask : *word & ~mask;
}

static void reach_supply(const network *w, int64_t *count, int64_t i, int32_t over)
{
    w->from_demand[i] = over;
    w->queue[(*count)++] = (int32_t)i;
}

/* Adds the supplies that could take back flow from demand j. */
static void reach_back(const network *w, int64_t *count, int64_t j)
{
    for (int64_t b = 0; b < w->back_words; b++) {
        for (uint64_t left = w->back[j * w->back_words + b]; left; left &= left - 1) {
            int64_t i = b * 64 + __builtin_ctzll(left);
            if (w->from_demand[i] == -2) reach_supply(w, count, i, (int32_t)j);
        }
    }
}

/* Searches from all supplies that have something left, along arcs and back along flows. Returns a demand that can take
 * more, or -1 when the flow is greatest; `from_*` and `seen` then tell what was reached. */
static int64_t find_path(const network *w)
{
    const hop_transport *p = w->p;
    int64_t count = 0;
    memset(w->seen, 0, (size_t)p->words * sizeof *w->seen);
    for (int64_t i = 0; i < p->m; i++) w->from_demand[i] = -2;
    for (int64_t i = 0; i < p->m; i++)
        if (p->supply[i] > 0) reach_supply(w, &count, i, -1);
    for (int64_t head = 0; head < count; head++) {
        int64_t i = w->queue[head];
        for (int64_t b = 0; b < p->words; b++) {
            uint64_t fresh = w->arcs[i * p->words + b] & ~w->seen[b];
            w->seen[b] |= fresh;
            for (; fresh; fresh &= fresh - 1) {
                int64_t j = b * 64 + __builtin_ctzll(fresh);
                w->from_supply[j] = (int32_t)i;
                if (p->demand[j] > 0) return j;
                reach_back(w, &count, j);
            }
        }
    }
    return -1;
}

static int64_t bottleneck(const network *w, int64_t end)
{
    int64_t least = w->p->demand[end];
    for (int64_t j = end;;) {
        int64_t i = w->from_supply[j], over = w->from_demand[i];
        int64_t room = over < 0 ? w->p->supply[i] : w->flow[i * w->p->n + over];
        if (room < least) least = room;
        if (over < 0) return least;
        j = over;
    }
}

static void augment(const network *w, int64_t end, int64_t amount)
{
    w->p->demand[end] -= amount;
    for (int64_t j = end;;) {
        int64_t i = w->from_supply[j], over = w->from_demand[i];
        push(w, i, j, amount);
        if (over < 0) {
            w->p->supply[i] -= amount;
            return;
        }
        push(w, i, over, -amount);
        j = over;
    }
}

static int64_t greedy(const network *w)
{
    const hop_transport *p = w->p;
    int64_t total = 0;
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t b = 0; b < p->words && p->supply[i] > 0; b++) {
            for (uint64_t left = w->arcs[i * p->words + b]; left && p->supply[i] > 0; left &= left - 1) {
                int64_t j = b * 64 + __builtin_ctzll(left);
                int64_t amount = p->supply[i] < p->demand[j] ? p->supply[i] : p->demand[j];
                if (amount <= 0) continue;
                push(w, i, j, amount);
                p->supply[i] -= amount;
                p->demand[j] -= amount;
                total += amount;
            }
        }
    }
    return total;
}

/* Leaves the reach of the last, failed search in `from_demand` and `seen`. */
static int64_t greatest_flow(const network *w)
{
    int64_t total = greedy(w);
    for (int64_t end; (end = find_path(w)) >= 0;) {
        int64_t amount = bottleneck(w, end);
        augment(w, end, amount);
        total += amount;
    }
    return total;
}

/* Arcs of the second phase: those on shortest paths of length 2. The failed search of the first phase gives the
 * supplies at distance 0 and the demands at distance 1. Demands at distance 2 are those with an arc of cost 2 from the
 * former, or of cost 1 from a supply at distance 1, which is one whose flow ends in a demand at distance 2. */
static void second_phase_arcs(const network *w, uint64_t *near, uint64_t *far)
{
    const hop_transport *p = w->p;
    int64_t words = p->words, count = 0;
    memcpy(near, w->seen, (size_t)words * sizeof *near);
    memset(far, 0, (size_t)words * sizeof *far);
    for (int64_t i = 0; i < p->m; i++) {
        uint64_t *arcs = w->arcs + i * words;
        bool reached = w->from_demand[i] != -2;
        for (int64_t b = 0; b < words; b++) {
            arcs[b] = reached ? (p->one[i][b] & near[b]) | (p->two[i][b] & ~near[b]) : 0;
            far[b] |= arcs[b] & ~near[b];
        }
    }
    for (int64_t j = 0; j < p->n; j++)
        if (bit(far, j)) reach_back(w, &count, j);
    for (int64_t head = 0; head < count; head++) {
        int64_t i = w->queue[head];
        for (int64_t b = 0; b < words; b++) {
            uint64_t fresh = p->one[i][b] & ~near[b] & ~far[b];
            w->arcs[i * words + b] = p->one[i][b] & ~near[b];
            far[b] |= fresh;
            for (; fresh; fresh &= fresh - 1) reach_back(w, &count, b * 64 + __builtin_ctzll(fresh));
        }
    }
}

int64_t hop_transport_solve(const hop_transport *p)
{
    int64_t m = p->m, n = p->n, words = p->words, back_words = (m + 63) / 64, mass = 0;
    for (int64_t i = 0; i < m; i++) mass += p->supply[i];
    if (!mass) return 0;
    uint64_t *bits = heap_alloc(m * words + n * back_words + 3 * words, sizeof *bits);
    int32_t *links = heap_alloc(2 * m + n, sizeof *links);
    network w = {.p = p, .back_words = back_words, .arcs = bits, .flow = heap_alloc(m * n, sizeof *w.flow)};
    w.back = w.arcs + m * words;
    w.seen = w.back + n * back_words;
    w.queue = links;
    w.from_demand = links + m;
    w.from_supply = links + 2 * m;
    for (int64_t i = 0; i < m; i++) memcpy(w.arcs + i * words, p->one[i], (size_t)words * sizeof *w.arcs);
    int64_t first = greatest_flow(&w);
    second_phase_arcs(&w, w.seen + words, w.seen + 2 * words);
    int64_t second = greatest_flow(&w);
    free(w.flow);
    free(links);
    free(bits);
    return 3 * mass - 2 * first - second;
}
