// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a pickle; whatever comes out is asked for arrays and matrices. */
#include <stdlib.h>

#include "matrix.h"
#include "pickle-numpy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cru_arena *arena = cru_arena_create();
    uint8_t *copy = cru_arena_alloc(arena, (int64_t)size + 1, 1); /* a NUL follows, as blob.h promises */
    for (size_t i = 0; i < size; i++) copy[i] = bytes[i];
    copy[size] = 0;
    const pickle_value *top;
    cru_error err = {0};
    cru_status status = pickle_parse(&(blob){"fuzz", copy, (int64_t)size}, arena, &top, &err);
    if (status != CRU_OK && !err.text[0]) abort();
    array a;
    csr_arrays parts;
    cru_csr csr;
    if (status == CRU_OK && pickle_array(top, "fuzz", &a, NULL) == CRU_OK)
        for (int64_t i = 0; i < a.count; i++) array_real(&a, i);
    if (status == CRU_OK && pickle_csr(top, "fuzz", &parts, NULL) == CRU_OK &&
        matrix_csr(&parts, cru_arena_pool(arena), &csr, NULL) == CRU_OK && cru_csr_check(&csr, "fuzz", NULL) != CRU_OK)
        abort();
    if (status == CRU_OK && pickle_objects(top)) pickle_item(pickle_objects(top), 0);
    cru_arena_destroy(arena);
    return 0;
}
