// SPDX-License-Identifier: Apache-2.0
/* mask-files.h: official splits in files of their own, as geom-gcn publishes them: role split-0, split-1, ..., each an
 * npz with train_mask, val_mask and test_mask over the nodes. */
#ifndef FORMATS_MASK_FILES_H
#define FORMATS_MASK_FILES_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

/* How many such files the source has, numbered from 0 without a gap. */
int64_t mask_files_count(const cru_source *source);

/* Sets data->official from them; data->items must be known. */
cru_status mask_files_read(const cru_source *source, cru_arena *arena, cru_data *data, cru_error *err);

#endif
