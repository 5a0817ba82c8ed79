// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a dataset card: it is read or refused with a message, and nothing leaks. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "data/card.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    card *c = NULL;
    cru_error err = {0};
    cru_status status = card_parse((const char *)bytes, size, "card.ini", &c, &err);
    if ((status == CRU_OK) != (c != NULL)) abort();
    if (status != CRU_OK && !err.text[0]) abort();
    card_destroy(c);
    return 0;
}
