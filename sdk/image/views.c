// SPDX-License-Identifier: Apache-2.0
/* From the images of a task to rows of input. */
#include <math.h>

#include <crucible/draft/augment.h>

#include "image/image.h"

/* ---- mean and deviation -------------------------------------------------------------------------------------- */

static void measure(cru_pixels *p, const cru_task *task)
{
    const int64_t plane = (int64_t)p->height * p->width;
    for (int32_t c = 0; c < p->channels; c++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < task->split.train.count; i++) {
            const float *image = task->x.dense + task->split.train.ids[i] * task->x.cols + c * plane;
            for (int64_t k = 0; k < plane; k++) {
                sum += (double)image[k];
                squares += (double)image[k] * (double)image[k];
            }
        }
        const double n = (double)(task->split.train.count * plane), mean = sum / n;
        const double deviation = sqrt(fmax(0, squares / n - mean * mean));
        p->mean[c] = (float)mean;
        p->std[c] = deviation > 0 ? (float)deviation : 1;
    }
}

static void take(cru_ctx *ctx, const cru_pixels *p, cru_list list, float *into)
{
    if (!list.count) return;
    if (list.count != p->channels) {
        cru_ctx_fail(ctx, CRU_BAD_INPUT, "pixel_mean, pixel_std: %lld numbers for %d channels", (long long)list.count,
                     p->channels);
        return;
    }
    for (int32_t c = 0; c < p->channels; c++) into[c] = (float)list.values[c];
}

cru_pixels cru_pixels_of(cru_ctx *ctx, const cru_task *task, cru_list mean, cru_list std)
{
    const cru_features *x = &task->x;
    cru_pixels p = {.channels = x->channels, .height = x->height, .width = x->width};
    if (!x->dense || x->channels > CRU_MAX_CHANNELS) {
        cru_ctx_fail(ctx, CRU_UNSUPPORTED, "images must be dense and have at most %d channels", CRU_MAX_CHANNELS);
        return p;
    }
    for (int i = 0; i < 2; i++) p.scratch[i] = cru_ctx_alloc(ctx, x->cols, 1);
    if (!mean.count || !std.count) measure(&p, task);
    take(ctx, &p, mean, p.mean);
    take(ctx, &p, std, p.std);
    return p;
}

/* ---- views ----------------------------------------------------------------------------------------------------- */

static float normal(const cru_pixels *p, int32_t channel, float value)
{
    return (value - p->mean[channel]) / p->std[channel];
}

void cru_view_plain(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out)
{
    (void)rng;
    const int64_t plane = (int64_t)pixels->height * pixels->width;
    for (int32_t c = 0; c < pixels->channels; c++)
        for (int64_t i = 0; i < plane; i++) out[c * plane + i] = normal(pixels, c, image[c * plane + i]);
}

void cru_view_weak(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out)
{
    enum { RIM = 4 };
    const int32_t height = pixels->height, width = pixels->width;
    const bool flipped = cru_rng_uniform(rng) < 0.5;
    const int32_t down = (int32_t)cru_rng_below(rng, 2 * RIM + 1) - RIM;
    const int32_t right = (int32_t)cru_rng_below(rng, 2 * RIM + 1) - RIM;
    for (int32_t c = 0; c < pixels->channels; c++)
        for (int32_t y = 0; y < height; y++) {
            const int64_t row = ((int64_t)c * height + y + down) * width;
            float *to = out + ((int64_t)c * height + y) * width;
            for (int32_t x = 0; x < width; x++) {
                const int32_t from = x + right;
                const bool inside = y + down >= 0 && y + down < height && from >= 0 && from < width;
                to[x] = normal(pixels, c, inside ? image[row + (flipped ? width - 1 - from : from)] : 0);
            }
        }
}

static cru_image to_bytes(const cru_pixels *p, const float *image)
{
    cru_image bytes = {p->channels, p->height, p->width, p->scratch[0], p->scratch[1]};
    for (int64_t i = 0; i < p->channels * plane_size(&bytes); i++)
        bytes.pixels[i] = (uint8_t)fminf(fmaxf(image[i] * 255 + 0.5f, 0), 255);
    return bytes;
}

static void from_bytes(const cru_pixels *p, const cru_image *bytes, float *out)
{
    const int64_t plane = plane_size(bytes);
    for (int32_t c = 0; c < p->channels; c++)
        for (int64_t i = 0; i < plane; i++)
            out[c * plane + i] = normal(p, c, (float)bytes->pixels[c * plane + i] / 255);
}

/* A random crop, resized and flipped or not. */
static cru_image cropped(const cru_pixels *pixels, cru_rng *rng, const float *image)
{
    cru_image bytes = to_bytes(pixels, image);
    cru_image_resized_crop(&bytes, cru_rect_draw(rng, bytes.height, bytes.width));
    if (cru_rng_uniform(rng) < 0.5) cru_image_flip(&bytes);
    return bytes;
}

void cru_view_strong(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out)
{
    cru_image bytes = cropped(pixels, rng, image);
    cru_image_rand_augment(&bytes, 3, rng);
    from_bytes(pixels, &bytes, out);
}

void cru_view_distill(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out)
{
    cru_image bytes = cropped(pixels, rng, image);
    const int32_t half = bytes.width / 4;
    const int32_t y = (int32_t)cru_rng_below(rng, bytes.height), x = (int32_t)cru_rng_below(rng, bytes.width);
    for (int32_t c = 0; c < bytes.channels; c++)
        for (int32_t row = y - half; row < y + half; row++)
            for (int32_t col = x - half; col < x + half; col++)
                if (row >= 0 && row < bytes.height && col >= 0 && col < bytes.width)
                    bytes.pixels[c * plane_size(&bytes) + row * bytes.width + col] = 0;
    from_bytes(pixels, &bytes, out);
}
