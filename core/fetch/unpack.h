// SPDX-License-Identifier: Apache-2.0
/* unpack.h: from a download to the card's file: a member of an archive, the head of a file, or both. */
#ifndef CORE_FETCH_UNPACK_H
#define CORE_FETCH_UNPACK_H

#include "data/card.h"
#include "fetch/part.h"

typedef struct unpack_order {
    const char *path;   /* of the download */
    const char *member; /* of the archive; NULL: it is none */
    const card_file *file;
} unpack_order;

/* Makes the goal's file, checked and named like a download.
 * CRU_BAD_INPUT: not an archive, no such member, damaged, wrong size or checksum, or so much larger than the download
 * that it is a bomb. */
cru_status unpack_file(const unpack_order *order, const part_goal *goal, char hex[SHA256_HEX], cru_error *err);

#endif
