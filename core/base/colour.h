// SPDX-License-Identifier: Apache-2.0
/* colour.h: whether escape sequences are welcome. */
#ifndef CORE_TERMINAL_COLOUR_H
#define CORE_TERMINAL_COLOUR_H

#include <stdbool.h>
#include <stdio.h>

/* A terminal that is not dumb, and NO_COLOR is not set. */
bool terminal_has_colours(FILE *out);

#endif
