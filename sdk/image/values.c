// SPDX-License-Identifier: Apache-2.0
/* Operations on the values of an image, in the arithmetic of the Python imaging library. */
#include <math.h>
#include <string.h>

#include <crucible/draft/augment.h>

#include "image/image.h"

uint8_t image_luma(const cru_image *image, int64_t i)
{
    const int64_t plane = plane_size(image);
    const uint8_t *p = image->pixels + i;
    if (image->channels == 3)
        return (uint8_t)((19595u * p[0] + 38470u * p[plane] + 7471u * p[2 * plane] + 32768u) >> 16);
    int64_t sum = 0;
    for (int32_t c = 0; c < image->channels; c++) sum += p[c * plane];
    return (uint8_t)(sum / image->channels);
}

/* d + v (x - d), cut to a whole number */
static uint8_t blend(uint8_t d, uint8_t x, float v)
{
    return (uint8_t)((float)d + v * (float)(x - d));
}

static void look_up(uint8_t *plane, int64_t n, const uint8_t table[256])
{
    for (int64_t i = 0; i < n; i++) plane[i] = table[plane[i]];
}

void image_auto_contrast(cru_image *image)
{
    const int64_t n = plane_size(image);
    for (int32_t c = 0; c < image->channels; c++) {
        uint8_t *plane = image->pixels + c * n, low = 255, high = 0, table[256];
        for (int64_t i = 0; i < n; i++) {
            low = plane[i] < low ? plane[i] : low;
            high = plane[i] > high ? plane[i] : high;
        }
        if (high <= low) continue;
        const double scale = 255.0 / (high - low), shift = -low * scale;
        for (int x = 0; x < 256; x++) table[x] = (uint8_t)fmin(fmax(x * scale + shift, 0), 255);
        look_up(plane, n, table);
    }
}

void image_brightness(cru_image *image, double v)
{
    for (int64_t i = 0; i < image->channels * plane_size(image); i++)
        image->pixels[i] = blend(0, image->pixels[i], (float)v);
}

void image_colour(cru_image *image, double v)
{
    const int64_t n = plane_size(image);
    for (int64_t i = 0; i < n; i++) {
        const uint8_t grey = image_luma(image, i);
        for (int32_t c = 0; c < image->channels; c++)
            image->pixels[c * n + i] = blend(grey, image->pixels[c * n + i], (float)v);
    }
}

void image_contrast(cru_image *image, double v)
{
    const int64_t n = plane_size(image);
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += image_luma(image, i);
    const uint8_t grey = (uint8_t)((double)sum / (double)n + 0.5);
    for (int64_t i = 0; i < image->channels * n; i++) image->pixels[i] = blend(grey, image->pixels[i], (float)v);
}

void image_equalize(cru_image *image)
{
    const int64_t n = plane_size(image);
    for (int32_t c = 0; c < image->channels; c++) {
        uint8_t *plane = image->pixels + c * n, table[256];
        int64_t count[256] = {0}, last = 0, filled = 0, below = 0;
        for (int64_t i = 0; i < n; i++) count[plane[i]]++;
        for (int x = 0; x < 256; x++) {
            if (!count[x]) continue;
            last = count[x];
            filled++;
        }
        const int64_t step = (n - last) / 255;
        if (filled <= 1 || step == 0) continue;
        for (int x = 0; x < 256; x++) {
            const int64_t value = (step / 2 + below) / step;
            table[x] = (uint8_t)(value < 255 ? value : 255);
            below += count[x];
        }
        look_up(plane, n, table);
    }
}

void image_posterize(cru_image *image, double v)
{
    const int bits = (int)v;
    const uint8_t mask = (uint8_t)(0xff << (8 - bits));
    for (int64_t i = 0; i < image->channels * plane_size(image); i++) image->pixels[i] &= mask;
}

void image_solarize(cru_image *image, double v)
{
    uint8_t table[256];
    for (int x = 0; x < 256; x++) table[x] = (uint8_t)(x < v ? x : 255 - x);
    look_up(image->pixels, image->channels * plane_size(image), table);
}

/* Inner pixels become (sum of the 3 x 3 around + 4 times the middle) / 13; those at the rim stay. */
static void smooth(const uint8_t *plane, int32_t height, int32_t width, uint8_t *out)
{
    memcpy(out, plane, (size_t)height * (size_t)width);
    for (int32_t y = 1; y < height - 1; y++)
        for (int32_t x = 1; x < width - 1; x++) {
            const uint8_t *at = plane + y * width + x;
            int sum = 4 * at[0];
            for (int32_t dy = -1; dy <= 1; dy++)
                for (int32_t dx = -1; dx <= 1; dx++) sum += at[dy * width + dx];
            out[y * width + x] = (uint8_t)((2 * sum + 13) / 26); /* to the nearest */
        }
}

void image_sharpness(cru_image *image, double v)
{
    const int64_t n = plane_size(image);
    for (int32_t c = 0; c < image->channels; c++) {
        uint8_t *plane = image->pixels + c * n, *soft = image->spare + c * n;
        smooth(plane, image->height, image->width, soft);
        for (int64_t i = 0; i < n; i++) plane[i] = blend(soft[i], plane[i], (float)v);
    }
}
