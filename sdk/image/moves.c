// SPDX-License-Identifier: Apache-2.0
/* Operations that move pixels. */
#include <math.h>
#include <string.h>

#include <crucible/draft/augment.h>

#include "image/image.h"

static int64_t fixed(double v)
{
    return (int64_t)floor(v * 65536 + 0.5);
}

/* Nearest neighbour at pixel centres, in 16.16 fixed point as the imaging library computes it. */
void image_move(cru_image *image, const image_map *m)
{
    const int32_t width = image->width, height = image->height;
    const int64_t n = plane_size(image), a = fixed(m->a), b = fixed(m->b), d = fixed(m->d), e = fixed(m->e);
    const int64_t c = fixed(m->c + m->a * 0.5 + m->b * 0.5), f = fixed(m->f + m->d * 0.5 + m->e * 0.5);
    memset(image->spare, 0, (size_t)(image->channels * n));
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            const int64_t from_x = (c + a * x + b * y) >> 16, from_y = (f + d * x + e * y) >> 16;
            if (from_x < 0 || from_x >= width || from_y < 0 || from_y >= height) continue;
            for (int32_t k = 0; k < image->channels; k++)
                image->spare[k * n + y * width + x] = image->pixels[k * n + from_y * width + from_x];
        }
    swap_buffers(image);
}

void image_rotate(cru_image *image, double degrees)
{
    const double angle = -degrees * M_PI / 180, cosine = cos(angle), sine = sin(angle);
    const double x = image->width / 2.0, y = image->height / 2.0;
    const image_map map = {.a = cosine,
                           .b = sine,
                           .c = x - cosine * x - sine * y,
                           .d = -sine,
                           .e = cosine,
                           .f = y + sine * x - cosine * y};
    image_move(image, &map);
}

void cru_image_flip(cru_image *image)
{
    const int32_t width = image->width;
    for (int64_t row = 0; row < (int64_t)image->channels * image->height; row++) {
        uint8_t *p = image->pixels + row * width;
        for (int32_t x = 0; x < width / 2; x++) {
            const uint8_t left = p[x];
            p[x] = p[width - 1 - x];
            p[width - 1 - x] = left;
        }
    }
}

void cru_image_grey_square(cru_image *image, double x, double y, double size)
{
    static const uint8_t grey[3] = {125, 123, 114};
    const int32_t left = (int32_t)fmax(0, x - size / 2), top = (int32_t)fmax(0, y - size / 2);
    /* the far edges belong to the square */
    const int32_t right = (int32_t)fmin(image->width - 1, left + size),
                  bottom = (int32_t)fmin(image->height - 1, top + size);
    if (size <= 0) return;
    for (int32_t c = 0; c < image->channels; c++)
        for (int32_t row = top; row <= bottom; row++)
            for (int32_t col = left; col <= right; col++)
                image->pixels[c * plane_size(image) + row * image->width + col] =
                    image->channels == 3 ? grey[c] : grey[1];
}

/* ---- resizing -------------------------------------------------------------------------------------------------- */

/* The one or two source positions of a target position and their weights in 22-bit fixed point. Sources are never more
 * than targets, so a tent of width 2 covers at most three, of which the outer have weight 0. */
typedef struct tap {
    int32_t first, count, weight[3];
} tap;

static tap tap_at(int32_t target, int32_t source, int32_t size)
{
    const double centre = (target + 0.5) * source / size;
    int32_t from = (int32_t)(centre - 1 + 0.5), to = (int32_t)(centre + 1 + 0.5);
    if (centre - 1 + 0.5 < 0) from = 0;
    if (to > source) to = source;
    tap t = {.first = from, .count = to - from};
    double weight[3] = {0}, sum = 0;
    for (int32_t i = 0; i < t.count; i++) sum += weight[i] = fmax(0, 1 - fabs(from + i - centre + 0.5));
    for (int32_t i = 0; i < t.count; i++) t.weight[i] = (int32_t)(weight[i] / sum * (1 << 22) + 0.5);
    return t;
}

static uint8_t weigh(const tap *t, const uint8_t *line, int64_t stride)
{
    int64_t sum = 1 << 21;
    for (int32_t i = 0; i < t->count; i++) sum += (int64_t)t->weight[i] * line[(t->first + i) * stride];
    const int64_t value = sum >> 22;
    return (uint8_t)(value < 255 ? value : 255);
}

/* Lines of `out` are resized from lines of `in`, first along the rows, then along the columns, each rounded to 8
 * bits. */
void cru_image_resized_crop(cru_image *image, cru_rect rect)
{
    cru_assert(rect.height > 0 && rect.width > 0 && rect.top >= 0 && rect.left >= 0 &&
                   rect.top + rect.height <= image->height && rect.left + rect.width <= image->width,
               "resized crop: %d x %d at %d, %d of %d x %d", rect.height, rect.width, rect.top, rect.left,
               image->height, image->width);
    const int32_t width = image->width, height = image->height;
    for (int32_t c = 0; c < image->channels; c++) {
        uint8_t *plane = image->pixels + c * plane_size(image), *wide = image->spare + c * plane_size(image);
        for (int32_t x = 0; x < width; x++) {
            const tap t = tap_at(x, rect.width, width);
            for (int32_t y = 0; y < rect.height; y++)
                wide[y * width + x] = weigh(&t, plane + (rect.top + y) * width + rect.left, 1);
        }
        for (int32_t y = 0; y < height; y++) {
            const tap t = tap_at(y, rect.height, height);
            for (int32_t x = 0; x < width; x++) plane[y * width + x] = weigh(&t, wide + x, width);
        }
    }
}

cru_rect cru_rect_draw(cru_rng *rng, int32_t height, int32_t width)
{
    for (int attempt = 0; attempt < 10; attempt++) {
        const double area = (double)height * width * (0.2 + 0.8 * cru_rng_uniform(rng));
        const double ratio = exp(log(0.75) + (log(4.0 / 3) - log(0.75)) * cru_rng_uniform(rng));
        const int32_t w = (int32_t)nearbyint(sqrt(area * ratio)), h = (int32_t)nearbyint(sqrt(area / ratio));
        if (w < 1 || h < 1 || w > width || h > height) continue;
        const int32_t top = (int32_t)cru_rng_below(rng, height - h + 1);
        return (cru_rect){.top = top, .left = (int32_t)cru_rng_below(rng, width - w + 1), .height = h, .width = w};
    }
    const int32_t w = (int32_t)fmin(width, nearbyint(height * 4.0 / 3)),
                  h = (int32_t)fmin(height, nearbyint(width / 0.75));
    return (cru_rect){.top = (height - h) / 2, .left = (width - w) / 2, .height = h, .width = w};
}
