// SPDX-License-Identifier: Apache-2.0
/* What hostile-memory looks for. No program holds it as it is: it is made when it is needed. */
#ifndef TESTS_HOSTILE_MEMORY_H
#define TESTS_HOSTILE_MEMORY_H

#include <string.h>

enum { TOKEN = 32 };

static inline void token_make(char token[TOKEN])
{
    for (int i = 0; i < TOKEN; i++) token[i] = (char)('A' + (i * i * 7 + 3 * i) % 26);
}

#endif
