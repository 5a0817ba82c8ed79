// SPDX-License-Identifier: Apache-2.0
/* draft/augment.h: distorted views of images.
 *
 * Methods that train in steps (minibatch.h) get their views made for them; this header is for those who make their own.
 * Operations work on 8-bit images and give the same bits as the Python imaging library, which the published methods
 * used, so that a strong view is as strong as theirs. */
#ifndef CRUCIBLE_DRAFT_AUGMENT_H
#define CRUCIBLE_DRAFT_AUGMENT_H

#include <crucible/context.h>
#include <crucible/params.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- operations on one image --------------------------------------------------------------------------------- */

/* Channel-major. `spare` is as large as `pixels`: an operation that cannot work in place writes there and swaps
 * them. */
typedef struct cru_image {
    int32_t channels, height, width;
    uint8_t *pixels, *spare;
} cru_image;

/* The operations of RandAugment, and what their strength v means. Luma is 0.299 R + 0.587 G + 0.114 B of three channels
 * and the mean of any other number of them. */
typedef enum cru_augment {
    CRU_AUTO_CONTRAST, /* each channel stretched to 0 .. 255 */
    CRU_BRIGHTNESS,    /* v times the image */
    CRU_COLOUR,        /* between its luma (0) and the image (1) */
    CRU_CONTRAST,      /* between its mean luma and the image */
    CRU_EQUALIZE,      /* each channel's histogram made flat */
    CRU_IDENTITY,
    CRU_POSTERIZE,   /* the top v bits */
    CRU_ROTATE,      /* by v degrees, counter-clockwise about the centre */
    CRU_SHARPNESS,   /* between a smoothed image and the image */
    CRU_SHEAR_X,     /* from column x + v y */
    CRU_SHEAR_Y,     /* from row y + v x */
    CRU_SOLARIZE,    /* values from v on are inverted */
    CRU_TRANSLATE_X, /* from column x + v width */
    CRU_TRANSLATE_Y, /* from row y + v height */
    CRU_AUGMENTS,    /* how many there are */
} cru_augment;

/* What is moved in from outside the image is black. */
CRU_API void cru_image_augment(cru_image *image, cru_augment operation, double v);

CRU_API void cru_image_flip(cru_image *image); /* left and right */

typedef struct cru_rect {
    int32_t top, left, height, width;
} cru_rect;
/* The part of the image inside `rect`, resized bilinearly to the size of the whole. */
CRU_API void cru_image_resized_crop(cru_image *image, cru_rect rect);
/* Its usual draw: a share U(0.2, 1) of the area, sides in a ratio of exp(U(log 3/4, log 4/3)), at a uniform place. */
CRU_API cru_rect cru_rect_draw(cru_rng *rng, int32_t height, int32_t width);

/* A grey square of side `size` about (x, y), cut at the edges. */
CRU_API void cru_image_grey_square(cru_image *image, double x, double y, double size);

/* `count` operations, drawn with replacement, each with a uniform strength of its usual range; then a grey square of up
 * to half the image's width. */
CRU_API void cru_image_rand_augment(cru_image *image, int32_t count, cru_rng *rng);

/* ---- views ----------------------------------------------------------------------------------------------------- */

enum { CRU_MAX_CHANNELS = 16 };

/* How the images of a task become input: (value - mean) / std per channel, after all distortions. */
typedef struct cru_pixels {
    int32_t channels, height, width;
    float mean[CRU_MAX_CHANNELS], std[CRU_MAX_CHANNELS];
    uint8_t *scratch[2]; /* an image each */
} cru_pixels;

/* Features must be values from 0 to 1. Empty lists: mean and deviation of the training images. A list of another length
 * than there are channels fails in the context. */
CRU_API cru_pixels cru_pixels_of(cru_ctx *ctx, const cru_task *task, cru_list mean, cru_list std);

/* From one image of the task to one row of input. */
CRU_API void cru_view_plain(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out); /* draws nothing */
/* flipped or not; black rim of 4, then a uniform window of the old size */
CRU_API void cru_view_weak(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out);
/* resized crop; flipped or not; three operations of RandAugment */
CRU_API void cru_view_strong(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out);
/* resized crop; flipped or not; a black square hole of half the width about a uniform pixel */
CRU_API void cru_view_distill(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out);

#ifdef __cplusplus
}
#endif
#endif
