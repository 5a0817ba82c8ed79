// SPDX-License-Identifier: Apache-2.0
/* png.h: a picture of this program as pixels.
 *
 * librsvg does the drawing. It is loaded when a PNG is asked for (library/library.h says why). */
#ifndef CORE_REPORT_PNG_H
#define CORE_REPORT_PNG_H

#include <stdio.h>

#include <crucible/status.h>

typedef struct png_source {
    const char *svg; /* a whole picture, as the plots write it */
    size_t size;
    double scale; /* pixels per unit of the picture, above 0 */
} png_source;

/* CRU_UNSUPPORTED: librsvg is not installed; CRU_BAD_INPUT: it does not understand the picture, or that would be too
 * large; CRU_IO: cannot be written. */
cru_status png_write(const png_source *source, FILE *out, cru_error *err);

#endif
