// SPDX-License-Identifier: Apache-2.0
/* id-files.h: official splits as text files with one item number a line: roles train, val and test, or train-0, val-0,
 * test-0, train-1, ... for several splits. A split may lack val. */
#ifndef FORMATS_ID_FILES_H
#define FORMATS_ID_FILES_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

/* Sets data->official from the files that the source has; none is no fault. data->items must be known. CRU_BAD_INPUT: a
 * line that is no item number, or one that the split has already. */
cru_status id_files_read(const cru_source *source, cru_arena *arena, cru_data *data, cru_error *err);

#endif
