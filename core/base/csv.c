// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

int64_t csv_split(char *line, const char **fields, int64_t most)
{
    int64_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (;;) {
        if (count == most) return -1;
        char *out = line;
        fields[count++] = out;
        bool quoted = *line == '"';
        if (quoted) line++;
        while (*line && (quoted || *line != ',')) {
            if (quoted && *line == '"') {
                line++;
                if (*line != '"') {
                    quoted = false;
                    continue;
                }
            }
            *out++ = *line++;
        }
        bool more = *line == ',';
        line++;
        *out = '\0';
        if (!more) return count;
    }
}
