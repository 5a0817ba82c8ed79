#include "fetch/curl-library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

typedef struct symbol {
    const char *name;
    size_t offset;
} symbol;

#define SYMBOL(member)                                                                                                 \
    {                                                                                                                  \
        "curl_" #member, offsetof(curl_library, member)                                                                \
    }
static const symbol symbols[] = {
    SYMBOL(global_init),    SYMBOL(easy_init),           SYMBOL(easy_cleanup),  SYMBOL(easy_setopt),
    SYMBOL(easy_getinfo),   SYMBOL(easy_header),         SYMBOL(easy_strerror), SYMBOL(slist_append),
    SYMBOL(slist_free_all), SYMBOL(multi_init),          SYMBOL(multi_cleanup), SYMBOL(multi_add_handle),
    SYMBOL(multi_perform),  SYMBOL(multi_remove_handle), SYMBOL(multi_poll),    SYMBOL(multi_info_read),
};
#undef SYMBOL

cru_status curl_library_load(curl_library *curl, cru_error *err)
{
    static const char name[] = "libcurl.so.4";
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return cru_fail(err, CRU_UNSUPPORTED, "%s is not installed (Debian: libcurl4); downloads need it", name);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address) return cru_fail(err, CRU_UNSUPPORTED, "%s is too old: it has no %s", name, symbols[i].name);
        memcpy((char *)curl + symbols[i].offset, &address, sizeof address);
    }
    if (curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return cru_fail(err, CRU_UNSUPPORTED, "%s does not start", name);
    return CRU_OK;
}
