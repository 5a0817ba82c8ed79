// SPDX-License-Identifier: Apache-2.0
/* zip-bytes.h: a zip file that is already in memory. */
#ifndef FORMATS_ZIP_BYTES_H
#define FORMATS_ZIP_BYTES_H

#include <stdbool.h>
#include <zip.h>

/* "PK\3\4": what every zip file that holds something begins with. */
bool zip_bytes_begin(const void *bytes, size_t size);

/* Borrows the bytes until zip_discard. NULL: not a sound zip file, or no memory. */
zip_t *zip_bytes_open(const void *bytes, size_t size);

#endif
