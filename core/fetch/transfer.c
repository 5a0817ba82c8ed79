// SPDX-License-Identifier: Apache-2.0
#include "fetch/transfer.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "fetch/curl-library.h"
#include "host/clock.h"

enum { AT_ONCE = 6, MOST_TRIES = 5, POLL_MILLISECONDS = 200 };

/* A transfer under way. */
typedef struct active {
    const curl_library *curl;
    transfer *t; /* NULL: this place is free */
    part part;
    CURL *easy;
    struct curl_slist *headers;
    int64_t offset;   /* where this try began */
    bool begun;       /* the answer's headers were looked at */
    bool wrong_range; /* the server sent other bytes than those asked for */
    int tries;
    double begun_at;     /* the first try */
    double window_at;    /* since when the speed is measured, */
    int64_t window_have; /* and from how many bytes on */
    cru_error fault;     /* ours, in the middle of a body */
    char why[CURL_ERROR_SIZE];
} active;

typedef struct crowd {
    curl_library curl;
    CURLM *multi;
    active places[AT_ONCE];
    const transfer_list *list;
    int64_t next, done;
    transfer_limits limits;
    int64_t bytes; /* of those that are done */
    const transfer_watch *watch;
} crowd;

/* ---- an answer ------------------------------------------------------------------------------------------- */

/* 0 for a file address. */
static long answer_code(const active *a)
{
    long code = 0;
    a->curl->easy_getinfo(a->easy, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

static const char *answer_header(const active *a, const char *name)
{
    struct curl_header *header;
    bool there = a->curl->easy_header(a->easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    return there ? header->value : NULL;
}

/* The server's piece starts where ours ends: "Content-Range: bytes 500-999/1000". */
static bool range_fits(const active *a)
{
    const char *range = answer_header(a, "Content-Range");
    int64_t from;
    return range && sscanf(range, "bytes %" SCNd64 "-", &from) == 1 && from == a->offset;
}

/* What the server says it will send, before it sends it. */
static cru_status check_total(active *a)
{
    const transfer *t = a->t;
    const part_goal *g = &t->goal;
    if (t->total < 0) return CRU_OK;
    if (g->bytes > 0 && t->total != g->bytes && a->offset == 0)
        return cru_fail(&a->fault, CRU_BAD_INPUT, "%s has %lld bytes, expected are %lld", g->url, (long long)t->total,
                        (long long)g->bytes);
    if (g->bytes <= 0 && g->most > 0 && t->total > g->most)
        return cru_fail(&a->fault, CRU_BAD_INPUT, "%s has %lld bytes, more than the %lld allowed", g->url,
                        (long long)t->total, (long long)g->most);
    return CRU_OK;
}

/* Looks at the headers before the first byte is kept. */
static cru_status begin_body(active *a)
{
    long code = answer_code(a);
    cru_status status = CRU_OK;
    a->begun = true;
    if (code == 206) {
        a->wrong_range = !range_fits(a);
        if (a->wrong_range) return CRU_FAILED;
    } else if (code == 200) { /* the whole file: what is here is of another version, or the server has no ranges */
        status = part_restart(&a->part, &a->fault);
        const char *mark = answer_header(a, "ETag");
        if (!mark || strncmp(mark, "W/", 2) == 0) mark = answer_header(a, "Last-Modified");
        if (!status) part_mark(&a->part, mark);
    } else if (code != 0) {
        return cru_fail(&a->fault, CRU_IO, "%s answered %ld", a->t->goal.url, code);
    }
    curl_off_t length = -1;
    a->curl->easy_getinfo(a->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    a->t->resumed = a->part.size;
    a->t->total = length >= 0 ? a->part.size + length : -1;
    return status ? status : check_total(a);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    active *a = user;
    if (!a->begun && begin_body(a) != CRU_OK) return 0;
    if (part_append(&a->part, bytes, size * count, &a->fault) != CRU_OK) return 0;
    a->t->have = a->part.size;
    return size * count;
}

/* ---- one try --------------------------------------------------------------------------------------------- */

static void set_options(active *a)
{
    const curl_library *c = a->curl;
    char range[32], agent[64];
    const char *url = a->part.goal->url;
    bool secure = strncmp(url, "https:", 6) == 0;
    snprintf(range, sizeof range, "%lld-", (long long)a->offset);
    snprintf(agent, sizeof agent, "crucible/%s", host_version());
    c->easy_setopt(a->easy, CURLOPT_URL, url);
    c->easy_setopt(a->easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
    c->easy_setopt(a->easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
    c->easy_setopt(a->easy, CURLOPT_FOLLOWLOCATION, 1L);
    c->easy_setopt(a->easy, CURLOPT_MAXREDIRS, 10L);
    c->easy_setopt(a->easy, CURLOPT_FAILONERROR, 1L);
    c->easy_setopt(a->easy, CURLOPT_NOSIGNAL, 1L);
    c->easy_setopt(a->easy, CURLOPT_CONNECTTIMEOUT, 30L);
    c->easy_setopt(a->easy, CURLOPT_USERAGENT, agent);
    c->easy_setopt(a->easy, CURLOPT_ERRORBUFFER, a->why);
    c->easy_setopt(a->easy, CURLOPT_WRITEFUNCTION, on_body);
    c->easy_setopt(a->easy, CURLOPT_WRITEDATA, a);
    c->easy_setopt(a->easy, CURLOPT_PRIVATE, a);
    c->easy_setopt(a->easy, CURLOPT_HTTPHEADER, a->headers);
    /* not RESUME_FROM, which takes a whole file in answer for an error */
    if (a->offset > 0) c->easy_setopt(a->easy, CURLOPT_RANGE, range);
}

static void end_try(crowd *all, active *a)
{
    if (a->easy) {
        all->curl.multi_remove_handle(all->multi, a->easy);
        all->curl.easy_cleanup(a->easy);
    }
    all->curl.slist_free_all(a->headers);
    a->easy = NULL;
    a->headers = NULL;
}

static cru_status start_try(crowd *all, active *a)
{
    a->offset = a->part.size;
    a->begun = a->wrong_range = false;
    a->fault = (cru_error){0};
    a->why[0] = 0;
    a->t->have = a->t->resumed = a->offset;
    a->tries++;
    a->window_at = clock_now();
    a->window_have = a->offset;
    a->easy = all->curl.easy_init();
    if (!a->easy) return cru_fail(&a->t->error, CRU_NO_MEMORY, "no memory for a download");
    if (a->offset > 0 && a->part.mark[0]) {
        char header[PART_MARK_SIZE + 16];
        snprintf(header, sizeof header, "If-Range: %s", a->part.mark);
        a->headers = all->curl.slist_append(NULL, header);
    }
    set_options(a);
    if (all->curl.multi_add_handle(all->multi, a->easy) == CURLM_OK) return CRU_OK;
    return cru_fail(&a->t->error, CRU_IO, "%s: libcurl takes no more transfers", a->t->name);
}

/* ---- what came of it ------------------------------------------------------------------------------------- */

typedef enum verdict { WELL, AGAIN, AFRESH, FAILED } verdict;

/* The network's fault, not the address's. */
static bool is_passing(CURLcode code)
{
    return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
           code == CURLE_OPERATION_TIMEDOUT || code == CURLE_HTTP2_STREAM;
}

static verdict fail_transfer(active *a, CURLcode code)
{
    transfer *t = a->t;
    const char *url = t->goal.url, *path = t->goal.path;
    long answer = answer_code(a);
    if (a->fault.status) {
        cru_fail(&t->error, a->fault.status, "%s: %s", t->name, a->fault.text);
        if (a->fault.status == CRU_BAD_INPUT) part_restart(&a->part, NULL); /* nothing to go on from */
    } else if (code == CURLE_HTTP_RETURNED_ERROR) {
        cru_fail(&t->error, CRU_IO, "%s: %s answered %ld; find the file elsewhere and save it as %s", t->name, url,
                 answer, path);
    } else if (is_passing(code) && a->part.size > 0) {
        cru_fail(&t->error, CRU_IO, "%s: %s broke off after %lld bytes; run the same command again to go on", t->name,
                 url, (long long)a->part.size);
    } else {
        const char *why = a->why[0] ? a->why : a->curl->easy_strerror(code);
        cru_fail(&t->error, CRU_IO, "%s: cannot download %s: %s; download it on another machine and save it as %s",
                 t->name, url, why, path);
    }
    return FAILED;
}

static verdict finish_file(active *a)
{
    transfer *t = a->t;
    cru_error why = {0};
    cru_status status = part_finish(&a->part, t->sha256, &why);
    if (!status) return WELL;
    if (status == CRU_BAD_INPUT && t->resumed > 0) return AFRESH;
    t->sha256[0] = 0;
    cru_fail(&t->error, status, "%s: %s", t->name, why.text);
    return FAILED;
}

static verdict judge(active *a, CURLcode code)
{
    if (a->fault.status) return fail_transfer(a, code);
    bool past_end = code == CURLE_BAD_DOWNLOAD_RESUME || answer_code(a) == 416;
    if (a->wrong_range) return AFRESH;
    if (past_end && a->offset > 0) { /* complete already, unless the server's file has become shorter */
        a->t->resumed = a->offset;
        return a->part.goal->sha256 ? finish_file(a) : AFRESH;
    }
    if (code == CURLE_OK && (a->begun || begin_body(a) == CRU_OK)) return finish_file(a);
    if (a->wrong_range) return AFRESH;
    bool grew = a->part.size > a->offset;
    if (is_passing(code) && grew && a->tries < MOST_TRIES) return AGAIN;
    return fail_transfer(a, code);
}

static void leave(crowd *all, active *a)
{
    transfer *t = a->t;
    t->status = t->error.status;
    part_close(&a->part);
    a->t = NULL;
    all->done++;
    all->bytes += t->have - t->resumed;
    if (all->watch->done) all->watch->done(all->watch->user, t);
}

static void conclude(crowd *all, active *a, CURLcode code)
{
    verdict v = judge(a, code);
    end_try(all, a);
    if (v == AFRESH && part_restart(&a->part, &a->t->error) != CRU_OK) v = FAILED;
    if ((v == AGAIN || v == AFRESH) && start_try(all, a) == CRU_OK) return;
    end_try(all, a);
    leave(all, a);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static void enter(crowd *all, active *a, transfer *t)
{
    *a = (active){.curl = &all->curl, .t = t, .begun_at = clock_now()};
    t->total = -1;
    if (t->goal.most <= 0) t->goal.most = all->limits.most_bytes;
    if (part_open(&t->goal, &a->part, &t->error) != CRU_OK) {
        leave(all, a);
    } else if (start_try(all, a) != CRU_OK) {
        end_try(all, a);
        leave(all, a);
    }
}

/* Fills free places; true while anything is under way. */
static bool fill(crowd *all)
{
    bool busy = false;
    for (int i = 0; i < AT_ONCE; i++) {
        active *a = &all->places[i];
        while (!a->t && all->next < all->list->count) enter(all, a, &all->list->items[all->next++]);
        busy |= a->t != NULL;
    }
    return busy;
}

static void collect(crowd *all)
{
    int left;
    for (CURLMsg *m; (m = all->curl.multi_info_read(all->multi, &left));) {
        if (m->msg != CURLMSG_DONE) continue;
        CURLcode code = m->data.result; /* the message dies with the handle */
        active *a = NULL;
        all->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &a);
        conclude(all, a, code);
    }
}

static void tell(const crowd *all)
{
    if (!all->watch->tick) return;
    transfer_totals totals = {.files = all->list->count, .done = all->done, .bytes = all->bytes};
    double under_way = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        const transfer *t = all->places[i].t;
        if (!t) continue;
        totals.running = t->name;
        totals.bytes += t->have - t->resumed;
        if (t->total > 0) under_way += (double)t->have / (double)t->total;
    }
    totals.share = ((double)all->done + under_way) / (double)all->list->count;
    all->watch->tick(all->watch->user, &totals);
}

/* A try that is too slow or has taken too long. */
static bool is_over(const crowd *all, active *a)
{
    const transfer_limits *l = &all->limits;
    const double now = clock_now(), passed = now - a->window_at;
    const int64_t came = a->t->have - a->window_have;
    if (now - a->begun_at > l->most_seconds) {
        cru_fail(&a->fault, CRU_IO, "%s was not done after %g seconds; run the same command again to go on",
                 a->t->goal.url, l->most_seconds);
        return true;
    }
    if (passed < l->patience) return false;
    if ((double)came < (double)l->least_speed * passed) {
        cru_fail(&a->fault, CRU_IO, "%s is too slow: %lld bytes in %.3g seconds; try again later", a->t->goal.url,
                 (long long)came, passed);
        return true;
    }
    a->window_at = now;
    a->window_have = a->t->have;
    return false;
}

static void give_up_slow(crowd *all)
{
    for (int i = 0; i < AT_ONCE; i++) {
        active *a = &all->places[i];
        if (a->t && is_over(all, a)) conclude(all, a, CURLE_OPERATION_TIMEDOUT);
    }
}

transfer_limits transfer_limits_whole(const transfer_limits *limits)
{
    transfer_limits l = limits ? *limits : (transfer_limits){0};
    if (l.most_bytes <= 0) l.most_bytes = (int64_t)4 << 30;
    if (l.least_speed <= 0) l.least_speed = 500;
    if (l.patience <= 0) l.patience = 30;
    if (l.most_seconds <= 0) l.most_seconds = 4 * 3600;
    return l;
}

static int poll_milliseconds(const crowd *all)
{
    double soon = fmin(all->limits.patience, all->limits.most_seconds) * 1000 / 4;
    return soon < POLL_MILLISECONDS ? (int)soon + 1 : POLL_MILLISECONDS;
}

cru_status transfer_all(const transfer_list *list, const transfer_limits *limits, const transfer_watch *watch,
                        cru_error *err)
{
    if (list->count == 0) return CRU_OK;
    crowd *all = calloc(1, sizeof *all);
    if (!all) return cru_fail(err, CRU_NO_MEMORY, "no memory for downloads");
    all->list = list;
    all->limits = transfer_limits_whole(limits);
    all->watch = watch;
    cru_status status = curl_library_load(&all->curl, err);
    if (!status && !(all->multi = all->curl.multi_init()))
        status = cru_fail(err, CRU_NO_MEMORY, "no memory for downloads");
    while (!status && fill(all)) {
        int running;
        all->curl.multi_perform(all->multi, &running);
        collect(all);
        give_up_slow(all);
        tell(all);
        if (running > 0) all->curl.multi_poll(all->multi, NULL, 0, poll_milliseconds(all), NULL);
    }
    if (all->multi) all->curl.multi_cleanup(all->multi);
    free(all);
    return status;
}
