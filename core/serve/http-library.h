// SPDX-License-Identifier: Apache-2.0
/* http-library.h: GNU libmicrohttpd, loaded by the verb that needs it (library.h says why). The members are the
 * functions of <microhttpd.h> without their prefix. */
#ifndef CORE_SERVE_HTTP_LIBRARY_H
#define CORE_SERVE_HTTP_LIBRARY_H

#include <microhttpd.h>

#include <crucible/status.h>

typedef struct http_library {
    struct MHD_Daemon *(*start_daemon)(unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *user,
                                       MHD_AccessHandlerCallback answer, void *answer_user, ...);
    void (*stop_daemon)(struct MHD_Daemon *daemon);
    enum MHD_Result (*run_wait)(struct MHD_Daemon *daemon, int32_t milliseconds);
    const union MHD_DaemonInfo *(*get_daemon_info)(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...);
    const char *(*lookup_connection_value)(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key);
    struct MHD_Response *(*create_response_from_buffer)(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode);
    enum MHD_Result (*add_response_header)(struct MHD_Response *response, const char *name, const char *value);
    enum MHD_Result (*queue_response)(struct MHD_Connection *connection, unsigned int code,
                                      struct MHD_Response *response);
    void (*destroy_response)(struct MHD_Response *response);
} http_library;

/* CRU_UNSUPPORTED: it is not installed, or too old. */
cru_status http_library_load(http_library *http, cru_error *err);

#endif
