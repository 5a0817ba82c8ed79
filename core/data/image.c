#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Makes the folders above a file. */
static void make_folders(const char *path)
{
    char *copy = strdup(path);
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(copy, 0777);
        *slash = '/';
    }
    free(copy);
}

void image_store(const char *path, const cru_data *data)
{
    make_folders(path);
    char *temporary = places_format("%s.XXXXXX", path);
    int fd = temporary ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd >= 0) {
        bool ok = cru_data_write(data, fd, NULL) == CRU_OK && fsync(fd) == 0;
        ok = close(fd) == 0 && ok;
        if (!ok || rename(temporary, path) != 0) unlink(temporary);
    }
    free(temporary);
}
