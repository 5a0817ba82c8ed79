// SPDX-License-Identifier: Apache-2.0
/* Ends the process in a constructor; at once, for a sanitizer's own work at the end is not to be had in a sandbox. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    _Exit(3);
}
