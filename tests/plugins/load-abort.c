// SPDX-License-Identifier: Apache-2.0
/* Aborts in a constructor. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    abort();
}
