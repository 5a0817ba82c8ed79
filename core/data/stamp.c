// SPDX-License-Identifier: Apache-2.0
#include "data/stamp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data/places.h"

enum { TEXT = 256 };

/* Times come from the kernel's coarse clock: a later change is at `now` or after it. A file system that keeps whole
 * seconds only (no nanoseconds; FAT keeps even ones) needs two seconds to tell them apart. */
static bool is_settled(struct timespec changed, struct timespec now)
{
    if (changed.tv_nsec == 0) return now.tv_sec - changed.tv_sec > 2;
    return now.tv_sec > changed.tv_sec || (now.tv_sec == changed.tv_sec && now.tv_nsec > changed.tv_nsec);
}

bool stamp_take(int fd, stamp *out)
{
    struct timespec now;
    struct stat info;
    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || fstat(fd, &info) != 0) return false;
    *out = (stamp){.device = (int64_t)info.st_dev,
                   .inode = (int64_t)info.st_ino,
                   .size = (int64_t)info.st_size,
                   .modified = {(int64_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
                   .changed = {(int64_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec},
                   .settled = is_settled(info.st_ctim, now)};
    return true;
}

static int write_text(const stamp *s, char text[TEXT])
{
    return snprintf(text, TEXT, "verified: device %lld inode %lld size %lld modified %lld.%09lld changed %lld.%09lld\n",
                    (long long)s->device, (long long)s->inode, (long long)s->size, (long long)s->modified[0],
                    (long long)s->modified[1], (long long)s->changed[0], (long long)s->changed[1]);
}

static char *stamp_path(const char *path)
{
    return places_format("%s.stamp", path);
}

bool stamp_matches(const char *path, const stamp *s)
{
    char expected[TEXT], found[TEXT] = "", *name = stamp_path(path);
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    free(name);
    if (fd < 0) return false;
    int length = write_text(s, expected);
    ssize_t got = read(fd, found, sizeof found);
    close(fd);
    return got == length && memcmp(found, expected, (size_t)length) == 0;
}

void stamp_store(const char *path, const stamp *s)
{
    if (!s->settled) return;
    char text[TEXT], *name = stamp_path(path), *temporary = name ? places_format("%s.XXXXXX", name) : NULL;
    int fd = temporary ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd >= 0) {
        int length = write_text(s, text);
        bool ok = write(fd, text, (size_t)length) == length;
        ok = close(fd) == 0 && ok;
        if (!ok || rename(temporary, name) != 0) unlink(temporary);
    }
    free(temporary);
    free(name);
}

void stamp_remove(const char *path)
{
    char *name = stamp_path(path);
    if (name) unlink(name);
    free(name);
}
