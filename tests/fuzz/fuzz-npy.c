// SPDX-License-Identifier: Apache-2.0
/* Any bytes as an npy file; every number that the header promises can be read. */
#include <stdlib.h>

#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    array a;
    cru_error err = {0};
    cru_status status = npy_parse(&(blob){"fuzz", bytes, (int64_t)size}, &a, &err);
    if (status != CRU_OK && !err.text[0]) abort();
    int64_t whole;
    for (int64_t i = 0; status == CRU_OK && a.type != ARRAY_OBJECT && i < a.count; i++) {
        array_real(&a, i);
        array_whole(&a, i, (array_range){INT64_MIN, INT64_MAX}, &whole, NULL);
    }
    return 0;
}
