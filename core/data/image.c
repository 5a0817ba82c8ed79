#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/open.h"
#include "data/places.h"

char *image_path(const resolved *r, const char *checksum)
{
    if (resolved_is_generated(r)) return NULL;
    char *folder = places_cache(r->request->places);
    char *path = folder ? places_format("%s/%s-%.32s.img", folder, r->card->name, checksum) : NULL;
    free(folder);
    return path;
}

cru_data *image_map(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    cru_data *data = NULL;
    if (cru_data_map(fd, &data, NULL) != CRU_OK) {
        unlink(path);
        data = NULL;
    }
    close(fd);
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
