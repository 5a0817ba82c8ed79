// SPDX-License-Identifier: Apache-2.0
#include "base/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_has_colours(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && *no_color) return false;
    return term && strcmp(term, "dumb") != 0 && isatty(fileno(out));
}
