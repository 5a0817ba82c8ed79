// SPDX-License-Identifier: Apache-2.0
/* tar.h: members of an unpacked tar file. */
#ifndef FORMATS_TAR_H
#define FORMATS_TAR_H

#include "blob.h"

/* The first regular member whose name ends so, borrowed from the tar's bytes and named in the arena. CRU_BAD_INPUT:
 * there is none, a header whose checksum is wrong, or a member that is longer than the file. */
cru_status tar_member(const blob *tar, const char *ending, cru_arena *arena, blob *out, cru_error *err);

#endif
