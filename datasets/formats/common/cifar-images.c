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

static cru_status read_batch(reading *r, const char *path, int64_t *images)
{
    blob batch;
    cru_status status = blob_read(r->images->arena, path, &batch, r->err);
    return status == CRU_OK ? add_batch(r, &batch, images) : status;
}

static cru_status read_batches(reading *r)
{
    char role[20] = "train-1";
    cru_status status = CRU_OK;
    const cru_source *source = r->images->source;
    for (const char *path; r->count < MOST_BATCHES && (path = source_file(source, role)) && status == CRU_OK;) {
        status = read_batch(r, path, &r->images->train);
        snprintf(role, sizeof role, "train-%d", r->count + 1);
    }
    const char *path;
    if (status == CRU_OK) status = source_need(source, "test", &path, r->err);
    return status == CRU_OK ? read_batch(r, path, &r->images->test) : status;
}

static cru_status read_tar(reading *r, const char *path)
{
    static const char *const names[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                        "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
    enum { NAMES = sizeof names / sizeof *names };
    blob tar, batch;
    cru_status status = blob_read(r->images->arena, path, &tar, r->err);
    for (int i = 0; i < NAMES && status == CRU_OK; i++) {
        status = tar_member(&tar, names[i], r->images->arena, &batch, r->err);
        if (status == CRU_OK) status = add_batch(r, &batch, i < NAMES - 1 ? &r->images->train : &r->images->test);
    }
    return status;
}

static cru_status store(const reading *r, cru_data *data)
{
    float *x = (float *)data->x.dense;
    const pixel_scale scaled = pixel_scale_make(r->images->scale);
    int64_t item = 0;
    for (int b = 0; b < r->count; b++) {
        const blob *batch = &r->batches[b];
        for (int64_t at = 0; at < batch->size; at += RECORD, item++) {
            const uint8_t *record = batch->bytes + at;
            if (record[0] >= CIFAR_CLASSES)
                return cru_fail(r->err, CRU_BAD_INPUT, "%s: byte %lld: class %d", batch->name, (long long)at,
                                record[0]);
            data->truth[item] = record[0];
            pixel_scale_apply(&scaled, record + 1, PIXELS, x + item * PIXELS);
        }
    }
    generate_end(data);
    return CRU_OK;
}

cru_status cifar_images_read(cifar_images *images, cru_data *data, cru_error *err)
{
    reading r = {.images = images, .err = err};
    const char *tar = source_file(images->source, "images");
    cru_status status = tar ? read_tar(&r, tar) : read_batches(&r);
    if (status != CRU_OK) return status;
    status = image_set_begin(&(image_set){images->train, images->test, CIFAR_CLASSES, CHANNELS, SIDE, SIDE}, data, err);
    return status == CRU_OK ? store(&r, data) : status;
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
