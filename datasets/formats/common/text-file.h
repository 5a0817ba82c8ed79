/* text-file.h: a whole file in memory. */
#ifndef FORMATS_TEXT_FILE_H
#define FORMATS_TEXT_FILE_H

#include <crucible/status.h>

/* Reads all of `path` into *text, which the caller frees; a NUL follows the `size` bytes. Files packed with gzip, xz or
 * zip (one member) are unpacked (unpack.h has the limits). CRU_IO: cannot be read; CRU_BAD_INPUT: damaged. The message
 * names the file.
 */
cru_status text_file_read(const char *path, char **text, size_t *size, cru_error *err);

/* The same for files that are zip files once gzip and xz are undone. */
cru_status text_file_read_zip(const char *path, char **text, size_t *size, cru_error *err);

#endif
