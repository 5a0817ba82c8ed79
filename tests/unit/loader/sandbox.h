// SPDX-License-Identifier: Apache-2.0
/* A folder of plugins for one test, with a cache of its own. */
#ifndef TESTS_LOADER_SANDBOX_H
#define TESTS_LOADER_SANDBOX_H

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/loader.h"

typedef struct sandbox {
    char root[64], plugins[80];
    double hang_seconds; /* generous, unless a file hangs on purpose: a busy machine loads slowly */
} sandbox;

static inline sandbox sandbox_create(void)
{
    sandbox s = {.root = "/tmp/crucible-test-XXXXXX", .hang_seconds = 60};
    ck_assert_ptr_nonnull(mkdtemp(s.root));
    snprintf(s.plugins, sizeof s.plugins, "%s/plugins", s.root);
    ck_assert_int_eq(mkdir(s.plugins, 0755), 0);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", s.root, 1), 0);
    return s;
}

static inline int sandbox_remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void sandbox_destroy(const sandbox *s)
{
    nftw(s->root, sandbox_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void sandbox_copy_file(const char *from, const char *to)
{
    char buffer[65536];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    ck_assert_msg(in, "%s is not built", from);
    ck_assert_ptr_nonnull(out);
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0) ck_assert_uint_eq(fwrite(buffer, 1, got, out), got);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

/* Puts a copy of tests/plugins/<name>.c's module into the folder as <as>. */
static inline void sandbox_add_as(const sandbox *s, const char *name, const char *as)
{
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/%s.so", TEST_PLUGINS, name);
    snprintf(to, sizeof to, "%s/%s", s->plugins, as);
    sandbox_copy_file(from, to);
}

static inline void sandbox_add(const sandbox *s, const char *name)
{
    char as[256];
    snprintf(as, sizeof as, "%s.so", name);
    sandbox_add_as(s, name, as);
}

/* Scans the folder and nothing else. */
static inline registry *sandbox_scan(const sandbox *s, loader_effort *effort)
{
    const char *const folders[] = {s->plugins, NULL};
    const loader_options options = {.folders = folders, .no_default_folders = true, .hang_seconds = s->hang_seconds};
    registry *found;
    cru_error err = {0};
    ck_assert_msg(loader_scan(&options, &found, effort, &err) == CRU_OK, "%s", err.text);
    return found;
}

#endif
