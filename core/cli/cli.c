// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/colour.h"
#include "base/printable.h"

static void complain(const char *format, va_list args)
{
    char *text = NULL; /* messages quote what others wrote */
    if (vasprintf(&text, format, args) < 0) text = NULL;
    fprintf(stderr, "crucible: %s\n", text ? printable(text, true) : "out of memory");
    free(text);
}

int cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return CLI_FAILED;
}

int cli_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return CLI_USAGE;
}

const char *cli_paint(FILE *out, cli_style style)
{
    static const char *const escapes[] = {
        [CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m",   [CLI_DIM] = "\033[2m",
        [CLI_RED] = "\033[31m",  [CLI_GREEN] = "\033[32m", [CLI_YELLOW] = "\033[33m",
    };
    return terminal_has_colours(out) ? escapes[style] : "";
}
