// SPDX-License-Identifier: Apache-2.0
#include "cifar-images.h"

#include <stdio.h>

#include "blob.h"
#include "generate.h"
#include "image-set.h"
#include "source.h"
#include "tar.h"

enum { CHANNELS = 3, SIDE = 32, PIXELS = CHANNELS * SIDE * SIDE, RECORD = 1 + PIXELS, MOST_BATCHES = 100 };

typedef struct reading {
    cifar_images *images;
    cru_error *err;
    blob batches[MOST_BATCHES + 1]; /* the test batch last */
    int count;
} reading;

static cru_status add_batch(reading *r, const blob *batch, int64_t *images)
{
    if (batch->size == 0 || batch->size % RECORD != 0)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld bytes are no whole number of records of %d bytes", batch->name,
                        (long long)batch->size, RECORD);
    r->batches[r->count++] = *batch;
    *images += batch->size / RECORD;
    return CRU_OK;
}

/* The training batches and, last, the test batch. */
static cru_status find_batches(const reading *r, const char **paths, int *count)
{
    char role[20] = "train-1";
    const cru_source *source = r->images->source;
    for (const char *path; *count < MOST_BATCHES && (path = source_file(source, role));) {
        paths[(*count)++] = path;
        snprintf(role, sizeof role, "train-%d", *count + 1);
    }
    return source_need(source, "test", &paths[(*count)++], r->err);
}

static cru_status begin(const reading *r, cru_data *data, int64_t train, int64_t test)
{
    return image_set_begin(&(image_set){train, test, CIFAR_CLASSES, CHANNELS, SIDE, SIDE}, data, r->err);
}

/* Makes room for the images that the files claim to hold, so that it can be got ready while they are unpacked. */
static byte_room begin_claimed(const reading *r, file_list files, cru_data *data, cifar_images *claimed)
{
    for (int i = 0; i < files.count; i++) {
        const int64_t size = blob_claim(files.paths[i]);
        if (size < RECORD || size % RECORD != 0) return (byte_room){0};
        *(i < files.count - 1 ? &claimed->train : &claimed->test) += size / RECORD;
    }
    reading silent = {.images = r->images};
    if (begin(&silent, data, claimed->train, claimed->test) != CRU_OK) return (byte_room){0};
    return (byte_room){(float *)data->x.dense, (size_t)(data->x.rows * data->x.cols) * sizeof(float)};
}

static cru_status read_batches(reading *r, cru_data *data)
{
    const char *paths[MOST_BATCHES + 1];
    blob files[MOST_BATCHES + 1];
    int count = 0;
    cifar_images claimed = {0}, *images = r->images;
    cru_status status = find_batches(r, paths, &count);
    if (status) return status;
    const file_list list = {paths, count};
    const byte_room room = begin_claimed(r, list, data, &claimed);
    status = blob_read_all(images->arena, list, room, files, r->err);
    for (int i = 0; i < count && !status; i++)
        status = add_batch(r, &files[i], i < count - 1 ? &images->train : &images->test);
    const bool kept = room.bytes && claimed.train == images->train && claimed.test == images->test;
    return status || kept ? status : begin(r, data, images->train, images->test);
}

static cru_status read_tar(reading *r, const char *path, cru_data *data)
{
    static const char *const names[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                        "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
    enum { NAMES = sizeof names / sizeof *names };
    blob tar, batch;
    cru_status status = blob_read(r->images->arena, path, &tar, r->err);
    for (int i = 0; i < NAMES && !status; i++) {
        status = tar_member(&tar, names[i], r->images->arena, &batch, r->err);
        if (!status) status = add_batch(r, &batch, i < NAMES - 1 ? &r->images->train : &r->images->test);
    }
    return status ? status : begin(r, data, r->images->train, r->images->test);
}

static cru_status store_batch(const reading *r, const blob *batch, int64_t first, cru_data *data)
{
    const pixel_scale scaled = pixel_scale_make(r->images->scale);
    const int64_t records = batch->size / RECORD;
    float *x = (float *)data->x.dense + first * PIXELS;
    for (int64_t i = 0; i < records; i++) {
        const int label = batch->bytes[i * RECORD];
        if (label >= CIFAR_CLASSES)
            return cru_fail(r->err, CRU_BAD_INPUT, "%s: byte %lld: class %d", batch->name, (long long)(i * RECORD),
                            label);
        data->truth[first + i] = label;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < records; i++)
        pixel_scale_apply(&scaled, batch->bytes + i * RECORD + 1, PIXELS, x + i * PIXELS);
    return CRU_OK;
}

static cru_status store(const reading *r, cru_data *data)
{
    cru_status status = CRU_OK;
    int64_t first = 0;
    for (int b = 0; b < r->count && !status; b++) {
        status = store_batch(r, &r->batches[b], first, data);
        first += r->batches[b].size / RECORD;
    }
    if (!status) generate_end(data);
    return status;
}

cru_status cifar_images_read(cifar_images *images, cru_data *data, cru_error *err)
{
    reading r = {.images = images, .err = err};
    const char *tar = source_file(images->source, "images");
    cru_status status = tar ? read_tar(&r, tar, data) : read_batches(&r, data);
    return status ? status : store(&r, data);
}

cru_status cifar_candidates(cru_data *data, cru_error *err)
{
    data->candidates = cru_data_alloc(data, data->items * CIFAR_CLASSES, 1);
    return data->candidates ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for candidate sets");
}

void cifar_certain(cru_data *data, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++) data->candidates[i * CIFAR_CLASSES + data->truth[i]] = 1;
}
