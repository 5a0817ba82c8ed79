// SPDX-License-Identifier: Apache-2.0
/* The operations by name, and RandAugment (Cubuk et al. 2020) as the partial-label study draws it. */
#include <crucible/draft/augment.h>

#include "image/image.h"

void cru_image_augment(cru_image *image, cru_augment operation, double v)
{
    switch (operation) {
    case CRU_AUTO_CONTRAST:
        image_auto_contrast(image);
        return;
    case CRU_BRIGHTNESS:
        image_brightness(image, v);
        return;
    case CRU_COLOUR:
        image_colour(image, v);
        return;
    case CRU_CONTRAST:
        image_contrast(image, v);
        return;
    case CRU_EQUALIZE:
        image_equalize(image);
        return;
    case CRU_POSTERIZE:
        image_posterize(image, v);
        return;
    case CRU_ROTATE:
        image_rotate(image, v);
        return;
    case CRU_SHARPNESS:
        image_sharpness(image, v);
        return;
    case CRU_SHEAR_X:
        image_move(image, &(image_map){.a = 1, .b = v, .e = 1});
        return;
    case CRU_SHEAR_Y:
        image_move(image, &(image_map){.a = 1, .d = v, .e = 1});
        return;
    case CRU_SOLARIZE:
        image_solarize(image, v);
        return;
    case CRU_TRANSLATE_X:
        image_move(image, &(image_map){.a = 1, .c = v * image->width, .e = 1});
        return;
    case CRU_TRANSLATE_Y:
        image_move(image, &(image_map){.a = 1, .e = 1, .f = v * image->height});
        return;
    case CRU_IDENTITY:
    case CRU_AUGMENTS:
        return;
    }
}

void cru_image_rand_augment(cru_image *image, int32_t count, cru_rng *rng)
{
    static const struct {
        double low, high;
    } range[CRU_AUGMENTS] = {
        [CRU_AUTO_CONTRAST] = {0, 1},    [CRU_BRIGHTNESS] = {0.05, 0.95}, [CRU_COLOUR] = {0.05, 0.95},
        [CRU_CONTRAST] = {0.05, 0.95},   [CRU_EQUALIZE] = {0, 1},         [CRU_IDENTITY] = {0, 1},
        [CRU_POSTERIZE] = {4, 8},        [CRU_ROTATE] = {-30, 30},        [CRU_SHARPNESS] = {0.05, 0.95},
        [CRU_SHEAR_X] = {-0.3, 0.3},     [CRU_SHEAR_Y] = {-0.3, 0.3},     [CRU_SOLARIZE] = {0, 256},
        [CRU_TRANSLATE_X] = {-0.3, 0.3}, [CRU_TRANSLATE_Y] = {-0.3, 0.3},
    };
    for (int32_t i = 0; i < count; i++) {
        const cru_augment operation = (cru_augment)cru_rng_below(rng, CRU_AUGMENTS);
        const double low = range[operation].low, high = range[operation].high;
        cru_image_augment(image, operation, low + (high - low) * cru_rng_uniform(rng));
    }
    const double size = image->width * 0.5 * cru_rng_uniform(rng);
    const double x = 1 + (image->width - 1) * cru_rng_uniform(rng); /* U(1, width): the study's draw */
    const double y = 1 + (image->height - 1) * cru_rng_uniform(rng);
    cru_image_grey_square(image, x, y, size);
}
