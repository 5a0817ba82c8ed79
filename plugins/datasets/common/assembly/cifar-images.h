// SPDX-License-Identifier: Apache-2.0
/* cifar-images.h: the images of CIFAR-10 in binary batches: records of a label byte and 3 x 32 x 32 bytes (red, green
 * and blue planes). */
#ifndef FORMATS_CIFAR_IMAGES_H
#define FORMATS_CIFAR_IMAGES_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

enum { CIFAR_CLASSES = 10 };

typedef struct cifar_images {
    const cru_source *source; /* roles train-1, train-2, ... and test, or images: a tar file with all batches */
    cru_arena *arena;
    double scale;        /* pixels are divided by it */
    int64_t train, test; /* out: how many images; the training images come first in the data */
} cifar_images;

/* Fills all of the data: images, classes, and the split into training and test part. CRU_BAD_INPUT names the file and
 * the byte. */
cru_status cifar_images_read(cifar_images *images, cru_data *data, cru_error *err);

/* Room for candidate sets, all empty. */
cru_status cifar_candidates(cru_data *data, cru_error *err);

/* The true class as the only candidate of the images first .. last-1, which nobody annotated. */
void cifar_certain(cru_data *data, int64_t first, int64_t last);

#endif
