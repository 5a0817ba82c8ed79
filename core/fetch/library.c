#include "fetch/library.h"

#include <dlfcn.h>
#include <string.h>

cru_status library_load(const char *file, const library_symbol *symbols, void *table, cru_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return cru_fail(err, CRU_UNSUPPORTED, "%s is not installed; downloads need it", file);
    for (const library_symbol *s = symbols; s->name; s++) {
        void *address = dlsym(handle, s->name);
        if (!address) return cru_fail(err, CRU_UNSUPPORTED, "%s is too old: it has no %s", file, s->name);
        memcpy((char *)table + s->offset, &address, sizeof address);
    }
    return CRU_OK;
}
