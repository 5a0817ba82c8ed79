// SPDX-License-Identifier: Apache-2.0
#ifdef CRU_SERVE
#include "serve/http-library.h"

#include "base/library.h"

#define SYMBOL(member)                                                                                                 \
    {                                                                                                                  \
        "MHD_" #member, offsetof(http_library, member)                                                                 \
    }
static const library_symbol symbols[] = {
    SYMBOL(start_daemon),
    SYMBOL(stop_daemon),
    SYMBOL(run_wait),
    SYMBOL(get_daemon_info),
    SYMBOL(lookup_connection_value),
    SYMBOL(create_response_from_buffer),
    SYMBOL(add_response_header),
    SYMBOL(queue_response),
    SYMBOL(destroy_response),
    {NULL, 0},
};
#undef SYMBOL

static const library_wish wish = {
    .file = "libmicrohttpd.so.12", .package = "libmicrohttpd12", .purpose = "live pages", .symbols = symbols};

cru_status http_library_load(http_library *http, cru_error *err)
{
    return library_load(&wish, http, err);
}
#else
typedef int nothing; /* a file needs one declaration */
#endif
