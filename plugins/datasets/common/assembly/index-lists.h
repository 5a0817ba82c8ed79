// SPDX-License-Identifier: Apache-2.0
/* index-lists.h: official splits as LINKX publishes them: an .npy that holds a pickled list of dictionaries with lists
 * of node numbers under train, valid and test. */
#ifndef FORMATS_INDEX_LISTS_H
#define FORMATS_INDEX_LISTS_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

/* Sets data->official; data->items must be known. */
cru_status index_lists_read(const char *path, cru_arena *arena, cru_data *data, cru_error *err);

#endif
