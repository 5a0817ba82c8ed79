// SPDX-License-Identifier: Apache-2.0
/* idx: images and labels in IDX files (MNIST and its kin), big-endian.
 *
 *   train-images, train-labels, test-images, test-labels
 *
 * Test images follow the training images; the official split says which is which. Pixels are divided by `scale`.
 *
 * LeCun, Bottou, Bengio, Haffner. Gradient-Based Learning Applied to Document Recognition. Proc. IEEE 1998. */
#include <string.h>

#include <crucible/crucible.h>

#include "blob.h"
#include "generate.h"
#include "image-set.h"
#include "source.h"

typedef struct settings {
    double scale;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, scale, 255, 1e-6, 1e6, "pixels are divided by it"),
    CRU_END,
};

/* An IDX file of bytes: shape and the place of its numbers. */
typedef struct idx_file {
    const char *path;
    int64_t shape[3];
    const uint8_t *bytes;
} idx_file;

static cru_status parse_idx(const blob *file, int dims, idx_file *out, cru_error *err)
{
    out->path = file->name;
    int64_t header = 4 + 4 * dims, count = 1;
    const uint8_t *b = file->bytes;
    if (file->size < header || b[0] || b[1] || b[2] != 8 || b[3] != dims)
        return cru_fail(err, CRU_BAD_INPUT, "%s: not an IDX file of bytes with %d dimensions", out->path, dims);
    for (int d = 0; d < dims; d++) {
        const uint8_t *at = b + 4 + 4 * d;
        out->shape[d] = (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
        if (__builtin_mul_overflow(count, out->shape[d], &count)) count = INT64_MAX;
    }
    if (count != file->size - header)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld bytes follow the header, which promises %lld", out->path,
                        (long long)(file->size - header), (long long)count);
    out->bytes = b + header;
    return CRU_OK;
}

/* Images and labels of one part into the data, from item `first` on. */
static void copy_part(const idx_file *images, const idx_file *labels, int64_t first, double scale, cru_data *data)
{
    int64_t cols = data->x.cols;
    float *x = (float *)data->x.dense + first * cols;
    const pixel_scale scaled = pixel_scale_make(scale);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < images->shape[0]; i++)
        pixel_scale_apply(&scaled, images->bytes + i * cols, cols, x + i * cols);
    for (int64_t i = 0; i < labels->shape[0]; i++) data->truth[first + i] = labels->bytes[i];
}

static cru_status store(const settings *s, const idx_file *f, cru_data *data, cru_error *err)
{
    const idx_file *train = &f[0], *test = &f[2];
    int64_t most = 0;
    for (int p = 0; p < 4; p += 2) {
        if (f[p].shape[0] != f[p + 1].shape[0])
            return cru_fail(err, CRU_BAD_INPUT, "%s: %lld labels for %lld images", f[p + 1].path,
                            (long long)f[p + 1].shape[0], (long long)f[p].shape[0]);
        for (int64_t i = 0; i < f[p + 1].shape[0]; i++)
            if (f[p + 1].bytes[i] > most) most = f[p + 1].bytes[i];
    }
    if (train->shape[1] != test->shape[1] || train->shape[2] != test->shape[2])
        return cru_fail(err, CRU_BAD_INPUT, "%s: images of another size than the training images", test->path);
    image_set set = {.train = train->shape[0],
                     .test = test->shape[0],
                     .classes = most + 1,
                     .channels = 1,
                     .height = train->shape[1],
                     .width = train->shape[2]};
    cru_status status = image_set_begin(&set, data, err);
    if (status) return status;
    copy_part(&f[0], &f[1], 0, s->scale, data);
    copy_part(&f[2], &f[3], train->shape[0], s->scale, data);
    generate_end(data);
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    static const char *const roles[] = {"train-images", "train-labels", "test-images", "test-labels"};
    idx_file files[4];
    blob blobs[4];
    const char *paths[4];
    cru_arena *arena = cru_arena_create();
    cru_status status = arena ? CRU_OK : cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    for (int i = 0; i < 4 && !status; i++) status = source_need(l->source, roles[i], &paths[i], l->err);
    if (!status) status = blob_read_all(arena, (file_list){paths, 4}, (byte_room){0}, blobs, l->err);
    for (int i = 0; i < 4 && !status; i++)
        status = parse_idx(&blobs[i], strstr(roles[i], "images") ? 3 : 1, &files[i], l->err);
    if (!status) status = store(l->settings, files, l->data, l->err);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "idx",
    .version = "1.0",
    .summary = "images and labels in IDX files, as MNIST and Fashion-MNIST",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
