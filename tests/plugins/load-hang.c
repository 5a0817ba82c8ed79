// SPDX-License-Identifier: Apache-2.0
/* Never returns from its constructor. */
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    for (;;) pause();
}
