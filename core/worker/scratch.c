// SPDX-License-Identifier: Apache-2.0
#include "worker/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "crucible-scratch-";

/* ---- removing -------------------------------------------------------------------------------------------- */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static DIR *open_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !list) close(fd);
    return list;
}

/* A folder that lets its owner in. */
static DIR *force_folder(int parent, const char *name)
{
    struct stat info;
    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode)) return NULL;
    if ((info.st_mode & 0700) != 0700) fchmodat(parent, name, 0700, 0);
    return open_folder(parent, name);
}

/* Removes the folder `name` of `top`; folders inside that are not empty move up to `top`, so that no path ever gets
 * longer than two names. Returns how many moved. */
static int64_t flatten(int top, const char *name, uint64_t *serial)
{
    int64_t moved = 0;
    DIR *list = force_folder(top, name);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char fresh[64];
        if (is_dots(entry->d_name) || unlinkat(dirfd(list), entry->d_name, 0) == 0) continue;
        fchmodat(dirfd(list), entry->d_name, 0700, 0); /* a folder: all else is gone */
        if (unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR) == 0) continue;
        snprintf(fresh, sizeof fresh, "..%016llx", (unsigned long long)++*serial);
        moved += renameat(dirfd(list), entry->d_name, top, fresh) == 0;
    }
    if (list) closedir(list);
    unlinkat(top, name, AT_REMOVEDIR);
    return moved;
}

/* Empties the folder. New names appear while it is read, so that it is read until nothing moves any more. */
static void empty(int top)
{
    uint64_t serial = 0;
    for (int64_t moved = 1; moved > 0;) {
        moved = 0;
        DIR *list = open_folder(top, ".");
        for (const struct dirent *entry; list && (entry = readdir(list));)
            if (!is_dots(entry->d_name) && unlinkat(top, entry->d_name, 0) != 0)
                moved += flatten(top, entry->d_name, &serial);
        if (list) closedir(list);
    }
}

void scratch_end(int parent, const char *name)
{
    DIR *list = force_folder(parent, name);
    if (list) {
        empty(dirfd(list));
        closedir(list);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* ---- one trial ------------------------------------------------------------------------------------------- */

int scratch_begin(int parent, char name[SCRATCH_NAME])
{
    unsigned char random[(SCRATCH_NAME - 1) / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return -1;
    for (size_t i = 0; i < sizeof random; i++) snprintf(name + 2 * i, 3, "%02x", random[i]);
    if (mkdirat(parent, name, 0700) != 0) return -1;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) futimens(fd, (struct timespec[2]){{0, 0}, {0, 0}}); /* where it fails, none is ever untouched */
    return fd;
}

bool scratch_untouched(int folder)
{
    struct stat info;
    return fstat(folder, &info) == 0 && info.st_atim.tv_sec == 0 && info.st_atim.tv_nsec == 0 &&
           info.st_mtim.tv_sec == 0 && info.st_mtim.tv_nsec == 0;
}

/* What a file or folder takes. Millions of empty ones are no more welcome than full ones: whoever counts and removes them
 * is busy for as long. */
static int64_t bytes_of(const struct stat *info)
{
    const int64_t taken = 512 * (int64_t)info->st_blocks;
    return taken > SCRATCH_NAME_BYTES ? taken : SCRATCH_NAME_BYTES;
}

/* A tree of more levels than anybody needs is as good as a full one. */
static int64_t count_bytes(int parent, const char *name, int depth, int64_t most)
{
    enum { DEEPEST = 40 };
    int64_t total = 0;
    DIR *list = depth < DEEPEST ? open_folder(parent, name) : NULL;
    if (!list) return most;
    for (const struct dirent *entry; total < most && (entry = readdir(list));) {
        struct stat info;
        if (is_dots(entry->d_name) || fstatat(dirfd(list), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        total += bytes_of(&info);
        if (S_ISDIR(info.st_mode)) total += count_bytes(dirfd(list), entry->d_name, depth + 1, most - total);
    }
    closedir(list);
    return total;
}

int64_t scratch_bytes(int folder, int64_t most)
{
    return count_bytes(folder, ".", 0, most);
}

static DIR *open_proc(pid_t pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
    return opendir(path);
}

/* Of open files that were removed. */
static int64_t open_bytes(pid_t pid, dev_t medium)
{
    int64_t total = 0;
    DIR *list = open_proc(pid, "fd");
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        struct stat info;
        if (is_dots(entry->d_name) || fstatat(dirfd(list), entry->d_name, &info, 0) != 0) continue;
        if (S_ISREG(info.st_mode) && info.st_nlink == 0 && info.st_dev == medium)
            total += 512 * (int64_t)info.st_blocks;
    }
    if (list) closedir(list);
    return total;
}

/* Of removed files that are in memory. */
static int64_t mapped_bytes(pid_t pid)
{
    static const char removed[] = " (deleted)\n";
    char path[64], *line = NULL;
    size_t space = 0;
    int64_t total = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    for (ssize_t length; file && (length = getline(&line, &space, file)) > (ssize_t)sizeof removed;) {
        unsigned long long from, to;
        if (strcmp(line + length - strlen(removed), removed) != 0 || !strstr(line, prefix)) continue;
        if (sscanf(line, "%llx-%llx", &from, &to) == 2) total += (int64_t)(to - from);
    }
    if (file) fclose(file);
    free(line);
    return total;
}

/* One that is open and in memory counts once. */
int64_t scratch_hidden_bytes(int folder, pid_t pid)
{
    struct stat info;
    const int64_t open = fstat(folder, &info) == 0 ? open_bytes(pid, info.st_dev) : 0, mapped = mapped_bytes(pid);
    return open > mapped ? open : mapped;
}

/* ---- the folder of a run --------------------------------------------------------------------------------- */

/* The locked descriptor of a folder that is this user's, that still exists and that nobody else holds; else -1. */
static int lock_folder(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    bool mine = fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (mine && fstat(fd, &info) == 0 && info.st_nlink > 0) return fd;
    close(fd);
    return -1;
}

static void remove_folder(const char *path, int lock)
{
    empty(lock);
    rmdir(path);
    close(lock);
}

static void remove_stale(const char *base)
{
    DIR *list = opendir(base);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char *path;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        if (asprintf(&path, "%s/%s", base, entry->d_name) < 0) continue;
        int lock = lock_folder(path);
        if (lock >= 0) remove_folder(path, lock);
        free(path);
    }
    if (list) closedir(list);
}

/* A run that starts at the same moment may take the new folder for a stale one before it is locked. */
enum { ATTEMPTS = 10 };

cru_status scratch_make(scratch *s, cru_error *err)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base) base = "/tmp";
    *s = (scratch){.lock = -1};
    remove_stale(base);
    for (int i = 0; i < ATTEMPTS; i++) {
        char *path;
        if (asprintf(&path, "%s/%sXXXXXX", base, prefix) < 0)
            return cru_fail(err, CRU_NO_MEMORY, "no memory for the name of a scratch folder");
        int lock = mkdtemp(path) ? lock_folder(path) : -1;
        if (lock >= 0) {
            *s = (scratch){path, lock};
            return CRU_OK;
        }
        rmdir(path);
        free(path);
    }
    return cru_fail(err, CRU_IO, "cannot make a scratch folder in %s: %s", base, strerror(errno));
}

void scratch_remove(scratch *s)
{
    if (!s->path) return;
    remove_folder(s->path, s->lock);
    free(s->path);
    *s = (scratch){.lock = -1};
}
