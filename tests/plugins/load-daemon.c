// SPDX-License-Identifier: Apache-2.0
/* Leaves a process behind that holds the scanner's pipe open, then dies. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    if (fork() == 0)
        for (;;) pause();
    abort();
}
