// SPDX-License-Identifier: Apache-2.0
#include "base/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool status_line_works(FILE *out)
{
    const char *term = getenv("TERM");
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

void status_line_begin(status_line *line, FILE *out)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    *line = (status_line){.out = out, .columns = known ? size.ws_col : 80};
}

void status_line_erase(status_line *line)
{
    if (!line->drawn) return;
    fputs("\r\033[K", line->out);
    fflush(line->out);
    line->drawn = false;
}

void status_line_draw(status_line *line, const char *text)
{
    if (line->drawn) fputs("\r\033[K", line->out);
    fprintf(line->out, "%.*s", line->columns - 1, text);
    fflush(line->out);
    line->drawn = true;
}

const char *bar_text(double share, char text[BAR_CELLS + 1])
{
    int filled = (int)(BAR_CELLS * fmin(fmax(share, 0), 1));
    memset(text, '#', (size_t)filled);
    memset(text + filled, '.', (size_t)(BAR_CELLS - filled));
    text[BAR_CELLS] = 0;
    return text;
}

const char *duration_text(double seconds, char text[DURATION_SIZE])
{
    if (!isfinite(seconds) || seconds > 1e8) {
        snprintf(text, DURATION_SIZE, "?");
        return text;
    }
    long s = lround(fmax(seconds, 0));
    if (s < 60)
        snprintf(text, DURATION_SIZE, "%ld s", s);
    else if (s < 3600)
        snprintf(text, DURATION_SIZE, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, DURATION_SIZE, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}
