// SPDX-License-Identifier: Apache-2.0
#include "zip-bytes.h"

#include <string.h>

bool zip_bytes_begin(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

zip_t *zip_bytes_open(const void *bytes, size_t size)
{
    zip_source_t *source = zip_source_buffer_create(bytes, size, 0, NULL);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY, NULL) : NULL;
    if (!zip && source) zip_source_free(source);
    return zip;
}
