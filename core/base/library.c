// SPDX-License-Identifier: Apache-2.0
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

cru_status library_load(const library_wish *wish, void *table, cru_error *err)
{
    void *handle = dlopen(wish->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return cru_fail(err, CRU_UNSUPPORTED, "%s is not installed (package %s); %s need it", wish->file, wish->package,
                        wish->purpose);
    for (const library_symbol *s = wish->symbols; s->name; s++) {
        void *address = dlsym(handle, s->name);
        if (!address) return cru_fail(err, CRU_UNSUPPORTED, "%s is too old: it has no %s", wish->file, s->name);
        memcpy((char *)table + s->offset, &address, sizeof address);
    }
    return CRU_OK;
}
