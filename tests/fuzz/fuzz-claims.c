// SPDX-License-Identifier: Apache-2.0
/* Files of claims: any bytes are either claims or a list of faults. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "study/claims.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) return 0;
    diagnostics diags = {0};
    claim_list list;
    claims_parse(arena, "fuzz", (const char *)data, size, &list, &diags);
    diagnostics_clear(&diags);
    cru_arena_destroy(arena);
    return 0;
}
