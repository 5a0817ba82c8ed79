// SPDX-License-Identifier: Apache-2.0
/* text-file.h: a whole file in memory. */
#ifndef FORMATS_TEXT_FILE_H
#define FORMATS_TEXT_FILE_H

#include "unpack.h"

/* Reads all of `path` into the arena and unpacks it (unpack.h has the limits). CRU_IO: cannot be read; CRU_BAD_INPUT:
 * damaged. The message names the file. */
cru_status text_file_read(cru_arena *arena, const char *path, unpack_kinds kinds, byte_string *out, cru_error *err);

#endif
