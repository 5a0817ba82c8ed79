/* unpack.h: gzip and xz, recognised by their first bytes. */
#ifndef FORMATS_UNPACK_H
#define FORMATS_UNPACK_H

#include <crucible/status.h>

/* Nothing that is read into memory may be larger: 8 GiB. */
#define UNPACK_MOST ((size_t)8 << 30)

/* The most bytes that `size` packed bytes may become. gzip reaches 1032 to 1; real data stays far below, what claims
 * more is a bomb. */
size_t unpack_limit(size_t size);

/* When *bytes (from malloc) are packed, replaces them by the unpacked ones; else leaves them. A NUL follows the `size`
 * bytes in both cases. On failure the old bytes stay. CRU_BAD_INPUT: damaged, or larger than unpack_limit; the message
 * begins with `path`. */
cru_status unpack(const char *path, char **bytes, size_t *size, cru_error *err);

#endif
