// SPDX-License-Identifier: Apache-2.0
/* Ends the process in a constructor. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    exit(3);
}
