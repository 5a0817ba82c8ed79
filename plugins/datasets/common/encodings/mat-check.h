// SPDX-License-Identifier: Apache-2.0
/* mat-check.h: is a MATLAB file what its sizes say? matio allocates whatever a length field claims, so files of version
 * 5 are walked before it sees them: every element lies inside its parent, every variable is a numeric, text or sparse
 * matrix of two dimensions, and its data are as long as its dimensions need. */
#ifndef FORMATS_MAT_CHECK_H
#define FORMATS_MAT_CHECK_H

#include "blob.h"

/* CRU_BAD_INPUT: not a MATLAB file of version 5 or 7.3, or one that lies; names the byte. CRU_UNSUPPORTED: cells,
 * structures, big-endian files. Files of version 7.3 are HDF5; that library checks its own structures. */
cru_status mat_check(const blob *file, cru_arena *arena, cru_error *err);

#endif
