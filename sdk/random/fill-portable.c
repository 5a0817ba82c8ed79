// SPDX-License-Identifier: Apache-2.0
#include "random/fill.h"
#include "random/philox.h"

static void draw_words(const fill_args *args, uint64_t block, uint32_t words[4][FILL_BLOCKS])
{
    for (int j = 0; j < FILL_BLOCKS; j++) {
        uint64_t index = block + (uint64_t)j;
        philox_block b = {{(uint32_t)index, (uint32_t)(index >> 32), args->stream, 0}};
        b = philox(args->key[0], args->key[1], b);
        words[0][j] = b.word[0];
        words[1][j] = b.word[1];
        words[2][j] = b.word[2];
        words[3][j] = b.word[3];
    }
}

#define FILL_UNIFORM fill_uniform_portable
#define FILL_NORMAL  fill_normal_portable
#include "random/fill-kernel.h"
