// SPDX-License-Identifier: Apache-2.0
#include "report/plot/png.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/library.h"

/* What is used of librsvg, Cairo and GObject, all of which keep their ABI; so the program builds without their
 * headers. */
typedef struct rsvg_error { /* GError */
    uint32_t domain;
    int code;
    char *message;
} rsvg_error;

typedef struct rsvg_rectangle { /* RsvgRectangle */
    double x, y, width, height;
} rsvg_rectangle;

typedef int cairo_writer(void *user, const unsigned char *bytes, unsigned count);

enum { CAIRO_ARGB32 = 0, CAIRO_OK = 0, CAIRO_WRITE_ERROR = 11, PIXELS_MOST = 30000 };

typedef struct drawing {
    void *(*read)(const uint8_t *text, size_t size, rsvg_error **err);
    int (*size)(void *svg, double *width, double *height);
    int (*render)(void *svg, void *canvas, const rsvg_rectangle *where, rsvg_error **err);
    void (*unref)(void *object);
    void *(*surface_create)(int format, int width, int height);
    void (*surface_destroy)(void *surface);
    int (*surface_status)(void *surface);
    int (*surface_write)(void *surface, cairo_writer *write, void *user);
    void *(*canvas_create)(void *surface);
    void (*canvas_destroy)(void *canvas);
} drawing;

static const library_symbol rsvg_symbols[] = {
    {"rsvg_handle_new_from_data", offsetof(drawing, read)},
    {"rsvg_handle_get_intrinsic_size_in_pixels", offsetof(drawing, size)},
    {"rsvg_handle_render_document", offsetof(drawing, render)},
    {NULL, 0},
};
static const library_symbol object_symbols[] = {{"g_object_unref", offsetof(drawing, unref)}, {NULL, 0}};
static const library_symbol cairo_symbols[] = {
    {"cairo_image_surface_create", offsetof(drawing, surface_create)},
    {"cairo_surface_destroy", offsetof(drawing, surface_destroy)},
    {"cairo_surface_status", offsetof(drawing, surface_status)},
    {"cairo_surface_write_to_png_stream", offsetof(drawing, surface_write)},
    {"cairo_create", offsetof(drawing, canvas_create)},
    {"cairo_destroy", offsetof(drawing, canvas_destroy)},
    {NULL, 0},
};

#define WISH(file_, package_, symbols_)                                                                                \
    {                                                                                                                  \
        .file = (file_), .package = (package_), .purpose = "PNG pictures", .symbols = (symbols_)                       \
    }
static const library_wish wishes[] = {
    WISH("librsvg-2.so.2", "librsvg2-2", rsvg_symbols),
    WISH("libgobject-2.0.so.0", "libglib2.0-0", object_symbols),
    WISH("libcairo.so.2", "libcairo2", cairo_symbols),
};
#undef WISH

/* The first line of what librsvg says; more of them quote the picture. */
static cru_status fail_with(const char *what, const rsvg_error *why, cru_error *err)
{
    const char *text = why && why->message ? why->message : "unknown cause";
    return cru_fail(err, CRU_BAD_INPUT, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
}

static int write_bytes(void *user, const unsigned char *bytes, unsigned count)
{
    return fwrite(bytes, 1, count, user) == count ? CAIRO_OK : CAIRO_WRITE_ERROR;
}

/* Paints the picture on a surface of whole pixels and writes that. */
static cru_status paint(const drawing *d, void *svg, rsvg_rectangle area, FILE *out, cru_error *err)
{
    rsvg_error *why = NULL;
    void *surface = d->surface_create(CAIRO_ARGB32, (int)area.width, (int)area.height);
    void *canvas = d->canvas_create(surface);
    cru_status status = CRU_OK;
    if (d->surface_status(surface) != CAIRO_OK)
        status = cru_fail(err, CRU_NO_MEMORY, "no memory for a picture of %g x %g pixels", area.width, area.height);
    else if (!d->render(svg, canvas, &area, &why))
        status = fail_with("the picture cannot be drawn", why, err);
    else if (d->surface_write(surface, write_bytes, out) != CAIRO_OK)
        status = cru_fail(err, CRU_IO, "the picture cannot be written");
    d->canvas_destroy(canvas);
    d->surface_destroy(surface);
    return status;
}

cru_status png_write(const png_source *source, FILE *out, cru_error *err)
{
    drawing d;
    rsvg_error *why = NULL;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        cru_status status = library_load(&wishes[i], &d, err);
        if (status) return status;
    }
    void *svg = d.read((const uint8_t *)source->svg, source->size, &why);
    if (!svg) return fail_with("not an SVG picture", why, err);
    rsvg_rectangle area = {0};
    cru_status status = CRU_OK;
    bool sized = d.size(svg, &area.width, &area.height);
    area.width = ceil(area.width * source->scale);
    area.height = ceil(area.height * source->scale);
    if (!sized || !(fmin(area.width, area.height) >= 1 && fmax(area.width, area.height) <= PIXELS_MOST))
        status = cru_fail(err, CRU_BAD_INPUT, "a picture of %g x %g pixels; 1 to %d each way can be drawn", area.width,
                          area.height, PIXELS_MOST);
    else
        status = paint(&d, svg, area, out, err);
    d.unref(svg);
    return status;
}
