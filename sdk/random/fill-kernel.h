// SPDX-License-Identifier: Apache-2.0
/* The body of a fill kernel. A file that includes it defines FILL_UNIFORM and FILL_NORMAL as its names, and
 *
 *     static void draw_words(const fill_args *args, uint64_t block, uint32_t words[4][FILL_BLOCKS]);
 *
 * which compilers do not vectorise well. The rest are plain loops, which they do. */
#include <math.h>
#include <string.h>

#include "random/fill.h"

void FILL_UNIFORM(const fill_args *args, uint64_t block, float out[FILL_BATCH])
{
    uint32_t words[4][FILL_BLOCKS];
    draw_words(args, block, words);
    const uint32_t *word = words[0];
    float shift = args->shift, scale = args->scale, limit = args->limit;
    for (int i = 0; i < FILL_BATCH; i++) {
        float x = shift + scale * ((float)(int32_t)(word[i] >> 8) * 0x1p-24f);
        out[i] = x < limit ? x : limit;
    }
}

/* ln u for 0 < u <= 1: u = 2^e m with m in [sqrt 1/2, sqrt 2), then ln m = 2 atanh((m - 1) / (m + 1)) as a series. */
static inline float log_unit(float u)
{
    int32_t bits;
    memcpy(&bits, &u, sizeof bits);
    int32_t e = (bits - 0x3f3504f3) >> 23;
    int32_t reduced = bits - e * (1 << 23);
    float m;
    memcpy(&m, &reduced, sizeof m);
    float s = (m - 1.0f) / (m + 1.0f), z = s * s;
    float series = 1.0f + z * (1.0f / 3 + z * (1.0f / 5 + z * (1.0f / 7 + z * (1.0f / 9))));
    return (float)e * 0.693147181f + 2.0f * s * series;
}

/* Box-Muller: sqrt(-2 ln u) times the cosine and the sine of 2 pi v, with v reduced exactly to the nearest quarter
 * turn, so that both series see at most an eighth of a turn. u in (0, 1] from 31 bits, v in [0, 1) from 24. */
typedef struct pair {
    float first, second;
} pair;

static inline pair normal_pair(uint32_t a, uint32_t b)
{
    float u = ((float)(int32_t)(a >> 1) + 0.5f) * 0x1p-31f;
    float v = (float)(int32_t)(b >> 8) * 0x1p-24f;
    int32_t quarter = (int32_t)(v * 4.0f + 0.5f);
    float t = (v - (float)quarter * 0.25f) * 6.28318531f, z = t * t;
    float sine = t * (1.0f + z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040 + z * (1.0f / 362880)))));
    float cosine = 1.0f + z * (-0.5f + z * (1.0f / 24 + z * (-1.0f / 720 + z * (1.0f / 40320 - z * (1.0f / 3628800)))));
    float x = quarter & 1 ? -sine : cosine;
    float y = quarter & 1 ? cosine : sine;
    float radius = sqrtf(-2.0f * log_unit(u)) * (quarter & 2 ? -1.0f : 1.0f);
    return (pair){radius * x, radius * y};
}

void FILL_NORMAL(const fill_args *args, uint64_t block, float out[FILL_BATCH])
{
    uint32_t words[4][FILL_BLOCKS];
    draw_words(args, block, words);
    float shift = args->shift, scale = args->scale;
    for (int k = 0; k < 4; k += 2) {
        float *first = out + k * FILL_BLOCKS, *second = first + FILL_BLOCKS;
        for (int j = 0; j < FILL_BLOCKS; j++) {
            pair p = normal_pair(words[k][j], words[k + 1][j]);
            first[j] = shift + scale * p.first;
            second[j] = shift + scale * p.second;
        }
    }
}
