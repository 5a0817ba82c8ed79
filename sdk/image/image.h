// SPDX-License-Identifier: Apache-2.0
/* image.h: what the operations on an image share. */
#ifndef SDK_IMAGE_IMAGE_H
#define SDK_IMAGE_IMAGE_H

#include <crucible/draft/augment.h>

static inline int64_t plane_size(const cru_image *image)
{
    return (int64_t)image->height * image->width;
}

static inline void swap_buffers(cru_image *image)
{
    uint8_t *drawn = image->spare;
    image->spare = image->pixels;
    image->pixels = drawn;
}

/* Of pixel i, with the imaging library's 16-bit weights. */
uint8_t image_luma(const cru_image *image, int64_t i);

/* Moves: pixel (x, y) of the result comes from (a x + b y + c, d x + e y + f). */
typedef struct image_map {
    double a, b, c, d, e, f;
} image_map;
void image_move(cru_image *image, const image_map *map);

void image_rotate(cru_image *image, double degrees);

/* Values: one operation each, as cru_augment says. */
void image_auto_contrast(cru_image *image);
void image_brightness(cru_image *image, double v);
void image_colour(cru_image *image, double v);
void image_contrast(cru_image *image, double v);
void image_equalize(cru_image *image);
void image_posterize(cru_image *image, double v);
void image_sharpness(cru_image *image, double v);
void image_solarize(cru_image *image, double v);

#endif
