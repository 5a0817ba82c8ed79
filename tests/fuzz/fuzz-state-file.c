// SPDX-License-Identifier: Apache-2.0
/* A saved model. */
#include <stdlib.h>
#include <string.h>

#include "train/state-file.c" /* its functions are the SDK's own, and not exported */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    state_reader r;
    state_part part;
    volatile uint64_t sum = 0; /* every byte of a part can be read */
    unsigned char *copy = malloc(size + 1);
    if (!copy) return 0;
    memcpy(copy, data, size);
    if (!state_open(&r, copy, size))
        while (state_next(&r, &part)) {
            sum += strlen(part.name);
            for (uint64_t i = 0; i < part.bytes; i++) sum += ((const unsigned char *)part.values)[i];
        }
    (void)sum;
    free(copy);
    return 0;
}
