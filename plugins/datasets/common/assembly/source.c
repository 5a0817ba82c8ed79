// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <string.h>

const char *source_file(const cru_source *source, const char *role)
{
    for (int64_t i = 0; i < source->count; i++)
        if (strcmp(source->files[i].role, role) == 0) return source->files[i].path;
    return NULL;
}

cru_status source_need(const cru_source *source, const char *role, const char **path, cru_error *err)
{
    *path = source_file(source, role);
    if (*path) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s: the card's [files] need '%s'", source->name, role);
}
