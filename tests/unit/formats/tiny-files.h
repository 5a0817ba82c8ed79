// SPDX-License-Identifier: Apache-2.0
/* tiny-files.h: files of a few bytes for dataset plugins: in memory, or from the corpus of a fuzz target. */
#ifndef TESTS_TINY_FILES_H
#define TESTS_TINY_FILES_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load-format.h"

static char paths[8][40];
static int fds[8], open_count;
static cru_error err;
static cru_data *data;

static inline void start(void)
{
    open_count = 0;
    data = NULL;
    err = (cru_error){0};
}

static inline void stop(void)
{
    cru_data_destroy(data);
    while (open_count > 0) close(fds[--open_count]);
}

/* A file with these bytes; its path. */
static inline const char *file(const void *bytes, size_t size)
{
    int k = open_count++;
    ck_assert_int_lt(k, 8);
    fds[k] = memfd_create("file", MFD_CLOEXEC);
    ck_assert_int_eq(write(fds[k], bytes, size), (ssize_t)size);
    snprintf(paths[k], sizeof paths[k], "/proc/self/fd/%d", fds[k]);
    return paths[k];
}

static inline const char *text(const char *content)
{
    return file(content, strlen(content));
}

/* The pieces of a corpus file as files of the given roles. */
static inline void corpus(const char *name, const char *const *roles, format_run *run)
{
    static char buffer[20000];
    char path[500];
    snprintf(path, sizeof path, TEST_FIXTURES "/../fuzz/corpus/%s/%s", run->name, name);
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "%s", path);
    size_t size = fread(buffer, 1, sizeof buffer, in);
    fclose(in);
    const char *at = buffer, *end = buffer + size;
    for (int k = 0; roles[k] && at; k++) {
        const char *cut = memmem(at, (size_t)(end - at), "\n----\n", 6);
        run->files[k] = (cru_file){roles[k], file(at, (size_t)((cut ? cut : end) - at))};
        at = cut ? cut + 6 : NULL;
    }
}

static inline void must_load(const format_run *run)
{
    data = format_must_load(run);
}

static inline void must_fail(const format_run *run, const char *part)
{
    cru_status status = format_load(run, &data, &err);
    ck_assert_int_eq(status, CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' does not say '%s'", err.text, part);
}

static inline void check_ids(cru_ids ids, const char *expected)
{
    char found[100] = "";
    for (int64_t i = 0; i < ids.count; i++) sprintf(found + strlen(found), "%d ", ids.ids[i]);
    ck_assert_str_eq(found, expected);
}

static inline bool has_edge(int64_t row, int32_t col)
{
    for (int64_t e = data->graph.offsets[row]; e < data->graph.offsets[row + 1]; e++)
        if (data->graph.ids[e] == col) return true;
    return false;
}

#endif
