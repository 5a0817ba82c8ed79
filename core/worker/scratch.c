// SPDX-License-Identifier: Apache-2.0
#include "worker/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "crucible-scratch-";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    if (at->level > 0) remove(path);
    return 0;
}

void scratch_empty(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

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
    scratch_empty(path);
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
