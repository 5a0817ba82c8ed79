/* text-file.h: a whole file in memory. */
#ifndef FORMATS_TEXT_FILE_H
#define FORMATS_TEXT_FILE_H

#include <crucible/status.h>

/* Reads all of `path` into *text, which the caller frees; a NUL follows the `size` bytes. CRU_IO names the file. */
cru_status text_file_read(const char *path, char **text, size_t *size, cru_error *err);

#endif
