// SPDX-License-Identifier: Apache-2.0
#include "fetch/part.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/places.h"
#include "fetch/content.h"

static cru_status fail_system(const part *p, cru_error *err)
{
    return cru_fail(err, CRU_IO, "%s: %s", p->path, strerror(errno));
}

/* One line of the note, without its end; false when there is none or it is too long. */
static bool read_line(FILE *in, char *text, int size)
{
    if (!fgets(text, size, in)) return false;
    size_t length = strcspn(text, "\n");
    bool whole = text[length] == '\n';
    text[length] = 0;
    return whole;
}

/* The mark of the bytes that are there, if they came from the goal's address. */
static void read_mark(part *p)
{
    char url[PATH_MAX];
    FILE *in = fopen(p->from, "re");
    if (!in) return;
    bool ok =
        read_line(in, url, sizeof url) && strcmp(url, p->goal->url) == 0 && read_line(in, p->mark, sizeof p->mark);
    if (!ok) p->mark[0] = 0;
    fclose(in);
}

static cru_status lock(part *p, cru_error *err)
{
    struct stat info, named;
    p->fd = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (p->fd < 0) return fail_system(p, err);
    if (flock(p->fd, LOCK_EX | LOCK_NB) != 0)
        return cru_fail(err, CRU_FAILED, "%s: another process is downloading it", p->path);
    if (fstat(p->fd, &info) != 0) return fail_system(p, err);
    if (stat(p->path, &named) != 0 || named.st_ino != info.st_ino || named.st_dev != info.st_dev)
        return cru_fail(err, CRU_FAILED, "%s: another process has just finished it", p->path);
    p->size = info.st_size;
    return CRU_OK;
}

/* No sound download is larger. */
static int64_t part_most(const part_goal *goal)
{
    return goal->bytes > 0 ? goal->bytes : goal->most > 0 ? goal->most : INT64_MAX;
}

cru_status part_open(const part_goal *goal, part *p, cru_error *err)
{
    *p = (part){.goal = goal, .fd = -1, .size = -1};
    p->path = places_format("%s.part", goal->path);
    p->from = places_format("%s.part.from", goal->path);
    if (!p->path || !p->from) {
        part_close(p);
        return cru_fail(err, CRU_NO_MEMORY, "no memory for a download");
    }
    places_make_folders(p->path);
    cru_status status = lock(p, err);
    if (!status) read_mark(p);
    bool safe = (goal->sha256 || p->mark[0]) && p->size <= part_most(goal);
    if (!status && !safe) status = part_restart(p, err);
    if (status) {
        p->size = -1; /* not ours to remove */
        part_close(p);
    }
    return status;
}

cru_status part_restart(part *p, cru_error *err)
{
    p->size = 0;
    part_mark(p, NULL);
    return ftruncate(p->fd, 0) == 0 ? CRU_OK : fail_system(p, err);
}

void part_mark(part *p, const char *mark)
{
    bool usable = mark && *mark && strncmp(mark, "W/", 2) != 0 && strlen(mark) < sizeof p->mark;
    snprintf(p->mark, sizeof p->mark, "%s", usable ? mark : "");
    if (!usable) {
        unlink(p->from);
        return;
    }
    FILE *out = fopen(p->from, "we");
    if (!out) return; /* without it the next process starts anew */
    fprintf(out, "%s\n%s\n", p->goal->url, p->mark);
    fclose(out);
}

cru_status part_append(part *p, const void *bytes, size_t count, cru_error *err)
{
    const char *at = bytes;
    const int64_t most = part_most(p->goal);
    if ((int64_t)count > most - p->size)
        return cru_fail(err, CRU_BAD_INPUT, "%s is longer than the %lld bytes that %s", p->goal->url, (long long)most,
                        p->goal->bytes > 0 ? "the card tells" : "are allowed");
    while (count > 0) {
        ssize_t done = pwrite(p->fd, at, count, p->size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return fail_system(p, err);
        at += done;
        count -= (size_t)done;
        p->size += done;
    }
    return CRU_OK;
}

/* Makes the rename outlive a power cut; a file system that cannot is no fault of the download. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    int fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* A web page says more than another checksum does. */
static cru_status check_bytes(const part *p, const char *hex, cru_error *err)
{
    const part_goal *g = p->goal;
    const bool known = g->sha256 && strcmp(hex, g->sha256) == 0;
    const char *fault = known ? NULL : content_fault(p->path, g->path);
    if (fault) return cru_fail(err, CRU_BAD_INPUT, "%s %s", g->url, fault);
    if (g->bytes > 0 && p->size != g->bytes)
        return cru_fail(err, CRU_BAD_INPUT, "%s has %lld bytes, expected are %lld", g->url, (long long)p->size,
                        (long long)g->bytes);
    if (g->sha256 && !known)
        return cru_fail(err, CRU_BAD_INPUT,
                        "%s has the sha256 %s, expected is %s; the file has changed, or the card is wrong", g->url, hex,
                        g->sha256);
    return CRU_OK;
}

/* A good file is there: nobody will look at the bad one. */
static void forget_bad(const part *p)
{
    char *bad = places_format("%s.bad", p->goal->path);
    if (bad) unlink(bad);
    free(bad);
}

/* Leaves an empty part, locked as before. */
static cru_status set_aside(part *p, cru_error *err)
{
    char *bad = places_format("%s.bad", p->goal->path);
    if (bad) rename(p->path, bad);
    free(bad);
    unlink(p->from);
    p->mark[0] = 0;
    close(p->fd);
    cru_status status = lock(p, err);
    return status ? status : part_restart(p, err);
}

cru_status part_finish(part *p, char hex[SHA256_HEX], cru_error *err)
{
    cru_status status = sha256_file(p->path, hex, err);
    if (status) return status;
    cru_error why = {0};
    status = check_bytes(p, hex, &why);
    if (status) {
        cru_status emptied = set_aside(p, err);
        return emptied ? emptied : cru_fail(err, status, "%s", why.text);
    }
    if (fsync(p->fd) != 0 || rename(p->path, p->goal->path) != 0) return fail_system(p, err);
    unlink(p->from);
    forget_bad(p);
    sync_folder(p->goal->path);
    p->size = -1; /* the name .part is gone */
    return CRU_OK;
}

void part_close(part *p)
{
    if (p->size == 0 && p->path) {
        unlink(p->path);
        unlink(p->from);
    }
    if (p->fd >= 0) close(p->fd);
    free(p->path);
    free(p->from);
    *p = (part){.fd = -1};
}
