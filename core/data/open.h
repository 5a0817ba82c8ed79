// SPDX-License-Identifier: Apache-2.0
/* open.h: the steps of data_open. */
#ifndef CORE_DATA_OPEN_H
#define CORE_DATA_OPEN_H

#include "base/sha256.h"
#include "data/resolve.h"

cru_status resolved_checksum(const resolved *r, char hex[SHA256_HEX], cru_error *err);

/* Runs the plugin: files located and verified, result checked against the card. The caller destroys *data. */
cru_status data_load(const resolved *r, cru_data **data, cru_error *err);

/* The image's path for a dataset with that checksum; NULL when there is no cache. To be freed. */
char *image_path(const resolved *r, const char *checksum);

/* Maps the image; NULL when there is none or a broken one, which is then removed. Its content is verified once and
 * again after every change (stamp.h); a large image is stamped when it is stored. */
cru_data *image_map(const char *path);

/* Stores the image under a temporary name in the same folder and renames it. A cache that cannot be written is no
 * fault of the data: nothing is reported. */
void image_store(const char *path, const cru_data *data);

#endif
