// SPDX-License-Identifier: Apache-2.0
/* What a scan remembers. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "loader/cache.h"
#include "loader/sandbox.h"

/* The cache file of the sandbox; the folder holds exactly one. */
static void cache_file(const sandbox *s, char path[256])
{
    char folder[128];
    snprintf(folder, sizeof folder, "%s/crucible", s->root);
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, 256, "%s/%.100s", folder, entry->d_name);
        files++;
    }
    closedir(dir);
    ck_assert_int_eq(files, 1);
}

static loader_effort scan_and_forget(const sandbox *s)
{
    loader_effort effort;
    registry_destroy(sandbox_scan(s, &effort));
    return effort;
}

/* A good and a broken plugin, both in the cache. */
static sandbox warm_sandbox(void)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-algorithm");
    sandbox_add(&s, "load-abort");
    loader_effort effort = scan_and_forget(&s);
    ck_assert_int_eq(effort.files, 2);
    ck_assert_int_eq(effort.cached, 0);
    ck_assert_int_gt(effort.children, 0);
    return s;
}

START_TEST(a_warm_scan_starts_no_process)
{
    sandbox s = warm_sandbox();
    loader_effort effort;
    registry *found = sandbox_scan(&s, &effort);
    ck_assert_int_eq(effort.cached, 2);
    ck_assert_int_eq(effort.children, 0);
    ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_ALGORITHM, "good-algorithm"));
    ck_assert_str_eq(registry_at(found, 1)->broken, "aborts while loading (SIGABRT)");
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_file_with_another_time_is_the_same_file)
{
    sandbox s = warm_sandbox();
    char path[256];
    const struct utimbuf long_ago = {.actime = 1000, .modtime = 1000};
    snprintf(path, sizeof path, "%s/good-algorithm.so", s.plugins);
    ck_assert_int_eq(utime(path, &long_ago), 0);
    loader_effort effort = scan_and_forget(&s);
    ck_assert_int_eq(effort.cached, 2);
    ck_assert_int_eq(effort.children, 0);
    sandbox_destroy(&s);
}
END_TEST

/* The bytes of the plugin `from` with zeros up to `size`, which no loader minds, in place of those of the file `to`.
 * Its time of modification stays. */
static void overwrite(const sandbox *s, const char *from, const char *to, off_t size)
{
    char path[256], buffer[4096];
    struct stat before;
    snprintf(path, sizeof path, "%s/%s", TEST_PLUGINS, from);
    int in = open(path, O_RDONLY);
    snprintf(path, sizeof path, "%s/%s", s->plugins, to);
    ck_assert_int_eq(stat(path, &before), 0);
    int out = open(path, O_WRONLY | O_TRUNC);
    ck_assert(in >= 0 && out >= 0);
    for (ssize_t got; (got = read(in, buffer, sizeof buffer)) > 0;)
        ck_assert_int_eq(write(out, buffer, (size_t)got), got);
    ck_assert_int_eq(ftruncate(out, size), 0);
    ck_assert_int_eq(futimens(out, (struct timespec[2]){before.st_mtim, before.st_mtim}), 0);
    close(in);
    close(out);
}

START_TEST(a_file_of_the_same_size_and_time_is_not_taken_for_the_old_one)
{
    enum { SIZE = 1 << 20 };
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-algorithm");
    overwrite(&s, "good-algorithm.so", "good-algorithm.so", SIZE);
    scan_and_forget(&s);
    ck_assert_int_eq(scan_and_forget(&s).children, 0);
    overwrite(&s, "load-abort.so", "good-algorithm.so", SIZE);
    loader_effort effort;
    registry *found = sandbox_scan(&s, &effort);
    ck_assert_int_eq(effort.children, 1);
    ck_assert_str_eq(registry_at(found, 0)->broken, "aborts while loading (SIGABRT)");
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

/* Two changes within one tick of a file system's clock leave the same times; so does a clock that stands still. */
START_TEST(a_file_that_changed_a_moment_ago_is_read)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-algorithm");
    cru_arena *memory = cru_arena_create();
    char path[256];
    snprintf(path, sizeof path, "%s/good-algorithm.so", s.plugins);
    plugin_file file = {.path = path};
    registry_entry entry = {.name = "good-algorithm", .path = path, .broken = "for a test"};
    ck_assert_int_eq(stat(path, &file.stat), 0);
    cache *c = cache_open();
    ck_assert(!cache_lookup(c, &file, memory, &entry));
    cache_store(c, &file, &entry);
    ck_assert(cache_save(c));
    cache_close(c);

    c = cache_open();
    plugin_file again = {.path = path, .stat = file.stat};
    ck_assert(cache_lookup(c, &again, memory, &entry));
    overwrite(&s, "load-abort.so", "good-algorithm.so", file.stat.st_size);
    plugin_file changed = {.path = path, .stat = file.stat};
    ck_assert(!cache_lookup(c, &changed, memory, &entry));
    cache_close(c);
    cru_arena_destroy(memory);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(other_folders_stay_in_the_cache)
{
    sandbox s = warm_sandbox();
    sandbox other = {.hang_seconds = 60};
    snprintf(other.plugins, sizeof other.plugins, "%s/more", s.root);
    ck_assert_int_eq(mkdir(other.plugins, 0755), 0);
    sandbox_add(&other, "good-metric");
    ck_assert_int_eq(scan_and_forget(&other).children, 1);
    ck_assert_int_eq(scan_and_forget(&s).children, 0);
    ck_assert_int_eq(scan_and_forget(&other).children, 0);
    sandbox_destroy(&s);
}
END_TEST

static void rewrite(const char *path, const unsigned char *content, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(content, 1, size, file), size);
    fclose(file);
}

static size_t read_all(const char *path, unsigned char *content, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(content, 1, capacity, file);
    fclose(file);
    ck_assert_uint_lt(size, capacity);
    return size;
}

static sandbox quick_sandbox(char path[256], unsigned char *content, size_t capacity, size_t *size)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-algorithm");
    scan_and_forget(&s);
    cache_file(&s, path);
    *size = read_all(path, content, capacity);
    return s;
}

START_TEST(a_cut_off_cache_is_made_anew)
{
    unsigned char content[65536];
    char path[256];
    size_t size;
    sandbox s = quick_sandbox(path, content, sizeof content, &size);
    const size_t cuts[] = {0, 1, 7, 31, 32, size / 2, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        rewrite(path, content, cuts[i]);
        ck_assert_int_eq(scan_and_forget(&s).children, 1);
        ck_assert_int_eq(scan_and_forget(&s).children, 0);
    }
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_damaged_cache_is_made_anew)
{
    unsigned char content[65536];
    char path[256];
    size_t size;
    sandbox s = quick_sandbox(path, content, sizeof content, &size);
    for (size_t at = 0; at < size; at += 1 + size / 40) {
        content[at] ^= 0x40;
        rewrite(path, content, size);
        content[at] ^= 0x40;
        loader_effort effort;
        registry *found = sandbox_scan(&s, &effort);
        ck_assert_int_eq(effort.children, 1);
        ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_ALGORITHM, "good-algorithm"));
        registry_destroy(found);
    }
    sandbox_destroy(&s);
}
END_TEST

START_TEST(without_a_folder_to_write_to_scans_are_just_not_cached)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-metric");
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    ck_assert_int_eq(scan_and_forget(&s).children, 1);
    ck_assert_int_eq(scan_and_forget(&s).children, 1);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_file_that_lacks_a_library_today_is_tried_again)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "load-unresolved");
    ck_assert_int_eq(scan_and_forget(&s).children, 1);
    ck_assert_int_eq(scan_and_forget(&s).children, 1);
    sandbox_destroy(&s);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("cache");
    TCase *c = tcase_create("cache");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_warm_scan_starts_no_process);
    tcase_add_test(c, a_file_with_another_time_is_the_same_file);
    tcase_add_test(c, a_file_of_the_same_size_and_time_is_not_taken_for_the_old_one);
    tcase_add_test(c, a_file_that_changed_a_moment_ago_is_read);
    tcase_add_test(c, other_folders_stay_in_the_cache);
    tcase_add_test(c, a_cut_off_cache_is_made_anew);
    tcase_add_test(c, a_damaged_cache_is_made_anew);
    tcase_add_test(c, without_a_folder_to_write_to_scans_are_just_not_cached);
    tcase_add_test(c, a_file_that_lacks_a_library_today_is_tried_again);
    suite_add_tcase(s, c);
    return s;
}
