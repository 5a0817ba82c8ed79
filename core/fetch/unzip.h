// SPDX-License-Identifier: Apache-2.0
/* unzip.h: one member of a downloaded zip file. */
#ifndef CORE_FETCH_UNZIP_H
#define CORE_FETCH_UNZIP_H

#include "fetch/part.h"

/* Unpacks `member` of the zip file into the goal's path, checked and named like a download.
 * CRU_BAD_INPUT: not a zip file, no such member, damaged, wrong checksum, or larger than any dataset's file may be. */
cru_status unzip_member(const char *zip, const char *member, const part_goal *goal, char hex[SHA256_HEX],
                        cru_error *err);

#endif
