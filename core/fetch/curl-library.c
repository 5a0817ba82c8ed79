// SPDX-License-Identifier: Apache-2.0
#include "fetch/curl-library.h"

#include "base/library.h"

#define SYMBOL(member)                                                                                                 \
    {                                                                                                                  \
        "curl_" #member, offsetof(curl_library, member)                                                                \
    }
static const library_symbol symbols[] = {
    SYMBOL(global_init),
    SYMBOL(easy_init),
    SYMBOL(easy_cleanup),
    SYMBOL(easy_setopt),
    SYMBOL(easy_getinfo),
    SYMBOL(easy_header),
    SYMBOL(easy_strerror),
    SYMBOL(slist_append),
    SYMBOL(slist_free_all),
    SYMBOL(multi_init),
    SYMBOL(multi_cleanup),
    SYMBOL(multi_add_handle),
    SYMBOL(multi_remove_handle),
    SYMBOL(multi_perform),
    SYMBOL(multi_poll),
    SYMBOL(multi_info_read),
    {NULL, 0},
};
#undef SYMBOL

static const library_wish wish = {
    .file = "libcurl.so.4", .package = "libcurl4", .purpose = "downloads", .symbols = symbols};

cru_status curl_library_load(curl_library *curl, cru_error *err)
{
    cru_status status = library_load(&wish, curl, err);
    if (!status && curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        status = cru_fail(err, CRU_UNSUPPORTED, "libcurl does not start");
    return status;
}
