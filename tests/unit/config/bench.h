// SPDX-License-Identifier: Apache-2.0
/* A folder of INI files and what config_load makes of them. */
#ifndef TEST_CONFIG_BENCH_H
#define TEST_CONFIG_BENCH_H

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "config/fake-plugins.h"

typedef struct bench {
    char folder[64];
    registry *plugins;
    experiment *e;
    diagnostics diags;
} bench;

static inline bench bench_open(void)
{
    bench b = {.folder = "/tmp/test-config-XXXXXX", .plugins = fake_registry()};
    ck_assert_ptr_nonnull(mkdtemp(b.folder));
    return b;
}

static inline int bench_remove(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

/* Forgets the last load, so that another may follow. */
static inline void bench_clear(bench *b)
{
    experiment_destroy(b->e);
    b->e = NULL;
    diagnostics_clear(&b->diags);
}

static inline void bench_close(bench *b)
{
    bench_clear(b);
    registry_destroy(b->plugins);
    nftw(b->folder, bench_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void bench_write_bytes(const bench *b, const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void bench_write(const bench *b, const char *name, const char *text)
{
    bench_write_bytes(b, name, text, strlen(text));
}

/* Loads main.ini of the folder with the --set texts, NULL-terminated; NULL: none. */
static inline cru_status bench_load_sets(bench *b, const char *const *sets)
{
    char path[512];
    snprintf(path, sizeof path, "%s/main.ini", b->folder);
    const char *files[] = {path};
    int64_t count = 0;
    while (sets && sets[count]) count++;
    config_request request = {.files = files,
                              .file_count = 1,
                              .sets = sets,
                              .set_count = count,
                              .registry = b->plugins,
                              .find_dataset = fake_find};
    bench_clear(b);
    return config_load(&request, &b->e, &b->diags);
}

static inline cru_status bench_load(bench *b, const char *text)
{
    bench_write(b, "main.ini", text);
    return bench_load_sets(b, NULL);
}

/* As bench_load, but says what is wrong when it should not be. */
static inline void bench_expect(bench *b, const char *text)
{
    cru_status status = bench_load(b, text);
    ck_assert_msg(status == CRU_OK, "%s", b->diags.count ? b->diags.items[0].text : "failed without a message");
}

/* Diagnostic number `index` without the folder's name in front. */
static inline const char *bench_message(const bench *b, int64_t index)
{
    ck_assert_int_lt(index, b->diags.count);
    const char *text = b->diags.items[index].text;
    size_t skip = strlen(b->folder);
    return strncmp(text, b->folder, skip) == 0 ? text + skip + 1 : text;
}

/* The file has this one fault. */
static inline void bench_refuse(bench *b, const char *text, const char *message)
{
    ck_assert_int_eq(bench_load(b, text), CRU_BAD_INPUT);
    ck_assert_ptr_null(b->e);
    ck_assert_str_eq(bench_message(b, 0), message);
    ck_assert_int_eq(b->diags.count, 1);
}

#define SMALL "[dataset cora]\n[algorithm gcn]\n" /* two lines that make one trial */

#endif
