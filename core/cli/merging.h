// SPDX-License-Identifier: Apache-2.0
/* merging.h: stores into one, as `merge` and `submit` do it. */
#ifndef CORE_CLI_MERGING_H
#define CORE_CLI_MERGING_H

#include <stdbool.h>
#include <stdint.h>

/* The store that receives, and those that are added. */
typedef struct merging {
    const char *out;
    char **inputs; /* paths of stores */
    int64_t count;
    bool strict, quiet;
} merging;

/* A store, or all of a folder (*.db) in the order of their names; a folder without any adds none. Returns CLI_GO_ON, or
 * an exit code after a message. */
int merging_add(merging *m, const char *path);
void merging_clear(merging *m);

/* Merges and says what it did. Returns an exit code. */
int merging_run(const merging *m);

#endif
