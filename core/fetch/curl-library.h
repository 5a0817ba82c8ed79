// SPDX-License-Identifier: Apache-2.0
/* curl-library.h: libcurl, loaded when something is to be downloaded (library.h says why). The members are the
 * functions of <curl/curl.h> without their prefix. */
#ifndef CORE_FETCH_CURL_LIBRARY_H
#define CORE_FETCH_CURL_LIBRARY_H

#include <curl/curl.h>

#include <crucible/status.h>

typedef struct curl_library {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    CURLHcode (*easy_header)(CURL *easy, const char *name, size_t index, unsigned int origin, int request,
                             struct curl_header **header);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_perform)(CURLM *multi, int *running);
    CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *extra, unsigned int count, int milliseconds, int *ready);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
} curl_library;

/* Loads and initialises it, for the rest of the process. CRU_UNSUPPORTED: it is not installed, or too old. */
cru_status curl_library_load(curl_library *curl, cru_error *err);

#endif
