// SPDX-License-Identifier: Apache-2.0
/* What a worker says that its method reports. */
#include <stdlib.h>
#include <string.h>

#include "protocol/method-report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    records got = {0};
    record weights;
    char fault[REPORT_FAULT];
    unsigned char *copy = malloc(size + 1); /* at a place for doubles, as in the file of scores */
    if (!copy) return 0;
    memcpy(copy, data, size);
    if (report_take(copy, size, true, &got, fault)) records_free(&got);
    report_find_weights(copy, size, &weights);
    free(copy);
    return 0;
}
