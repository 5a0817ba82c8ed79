#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    if (status != CRU_OK) return NULL;
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

void image_store(const char *path, const cru_data *data)
{
    places_make_folders(path);
    char *temporary = places_format("%s.XXXXXX", path);
    int fd = temporary ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd >= 0) {
        bool ok = cru_data_write(data, fd, NULL) == CRU_OK && fsync(fd) == 0;
        ok = close(fd) == 0 && ok;
        if (!ok || rename(temporary, path) != 0) unlink(temporary);
    }
    free(temporary);
}
