// SPDX-License-Identifier: Apache-2.0
/* line.h: one line on a terminal that is drawn over again, and the texts that go into it. */
#ifndef CORE_TERMINAL_LINE_H
#define CORE_TERMINAL_LINE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct status_line {
    FILE *out;
    int columns;
    bool drawn; /* something stands on the present line */
} status_line;

/* `out` is a terminal on which a line can be drawn over. */
bool status_line_works(FILE *out);

void status_line_begin(status_line *line, FILE *out);

/* Draws as much of the text as fits over what stands there. */
void status_line_draw(status_line *line, const char *text);
void status_line_erase(status_line *line);

/* "########................" for a third. */
#define BAR_CELLS 24
const char *bar_text(double share, char text[BAR_CELLS + 1]);

/* "1:02:03", "4:05", "7 s". */
#define DURATION_SIZE 32
const char *duration_text(double seconds, char text[DURATION_SIZE]);

#endif
