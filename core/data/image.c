// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "data/open.h"
#include "data/places.h"
#include "data/stamp.h"

char *image_path(const resolved *r, const char *checksum)
{
    if (resolved_is_generated(r)) return NULL;
    char *folder = places_cache(r->request->places);
    char *path = folder ? places_format("%s/%s-%.32s.img", folder, r->card->name, checksum) : NULL;
    free(folder);
    return path;
}

/* Verified in full unless its stamp says that it was and nobody has touched it since. */
static cru_data *map_file(const char *path, int fd)
{
    stamp now;
    cru_data *data = NULL;
    bool known = stamp_take(fd, &now), verified = known && stamp_matches(path, &now);
    cru_status status = verified ? cru_data_map_verified(fd, &data, NULL) : cru_data_map(fd, &data, NULL);
    if (status) return NULL;
    if (known && !verified) stamp_store(path, &now);
    return data;
}

cru_data *image_map(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    cru_data *data = map_file(path, fd);
    close(fd);
    if (!data) {
        unlink(path);
        stamp_remove(path);
    }
    return data;
}

/* Verifying a large image takes longer than a tick of the clock. It is stamped as soon as it is written: its checksum
 * was made of the very bytes. `written` is from before the file had its name, which changes ctime but neither size nor
 * content. A file system of which a tick is seconds gets no stamp. */
static void stamp_fresh(const char *path, int fd, const stamp *written)
{
    enum { LARGE = 16 << 20, PATIENCE = 20 };
    const struct timespec pause = {.tv_nsec = 1000000};
    stamp now = {0};
    if (written->size < LARGE) return;
    for (int i = 0; i < PATIENCE && stamp_take(fd, &now) && !now.settled; i++) nanosleep(&pause, NULL);
    bool same = now.size == written->size && memcmp(now.modified, written->modified, sizeof now.modified) == 0;
    if (same) stamp_store(path, &now);
}

void image_store(const char *path, const cru_data *data)
{
    places_make_folders(path);
    char *temporary = places_format("%s.XXXXXX", path);
    int fd = temporary ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd >= 0) {
        stamp written;
        bool ok = cru_data_write(data, fd, NULL) == CRU_OK && fsync(fd) == 0 && stamp_take(fd, &written);
        ok = ok && rename(temporary, path) == 0;
        if (ok)
            stamp_fresh(path, fd, &written);
        else
            unlink(temporary);
        close(fd);
    }
    free(temporary);
}
