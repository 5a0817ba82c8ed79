// SPDX-License-Identifier: Apache-2.0
/* Segfaults in a constructor. */
#include <signal.h>

__attribute__((constructor)) static void begin(void)
{
    raise(SIGSEGV);
}
