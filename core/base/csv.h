// SPDX-License-Identifier: Apache-2.0
#ifndef CORE_BASE_CSV_H
#define CORE_BASE_CSV_H

#include <stdint.h>

/* Splits a line into fields in place; quotes as in RFC 4180, but no line breaks inside them. Returns their number; -1:
 * more than `most`. */
int64_t csv_split(char *line, const char **fields, int64_t most);

#endif
