// SPDX-License-Identifier: Apache-2.0
#include "sparse/sort.h"

#include <string.h>

enum { FEW = 48 };

static void insertion_sort(uint64_t *keys, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static void radix_pass(const uint64_t *from, uint64_t *to, int64_t n, int shift)
{
    int64_t start[256] = {0};
    for (int64_t i = 0; i < n; i++) start[from[i] >> shift & 255]++;
    for (int64_t b = 0, sum = 0; b < 256; b++) {
        int64_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) to[start[from[i] >> shift & 255]++] = from[i];
}

void sort_u64(uint64_t *keys, int64_t n, uint64_t *spare)
{
    if (n <= FEW) {
        insertion_sort(keys, n);
        return;
    }
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; i++) differ |= keys[i] ^ keys[0];
    uint64_t *from = keys, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255)) continue;
        radix_pass(from, to, n, shift);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, (size_t)n * sizeof *keys);
}
