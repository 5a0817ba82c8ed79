// SPDX-License-Identifier: Apache-2.0
/* image-set.h: images with a training and a test part. */
#ifndef FORMATS_IMAGE_SET_H
#define FORMATS_IMAGE_SET_H

#include <crucible/plugin.h>

typedef struct image_set {
    int64_t train, test, classes, channels, height, width;
} image_set;

/* Rows of dense features with room for all images, the training images first, and labels. One official split: the
 * training part (no validation part) and the test part; none when one of them is empty. CRU_BAD_INPUT: an impossible
 * size; CRU_NO_MEMORY. The caller writes data->x.dense and data->truth and calls generate_end. */
cru_status image_set_begin(const image_set *set, cru_data *data, cru_error *err);

/* What every value of a pixel becomes when it is divided by `scale`: a look-up is cheaper than a division. */
typedef struct pixel_scale {
    float value[256];
} pixel_scale;
pixel_scale pixel_scale_make(double scale);

static inline void pixel_scale_apply(const pixel_scale *s, const uint8_t *pixels, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++) out[i] = s->value[pixels[i]];
}

#endif
