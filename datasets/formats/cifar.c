/* cifar: CIFAR-10 in binary batches of records, a label byte and 3 x 32 x 32 bytes (red, green, blue planes).
 *
 *   train-1 ... train-5   training batches; any number of them, from the first on
 *   test                  the test batch
 *   annotations           optional: CIFAR-10N's CIFAR-10_human.pt, labels of people for all 50000 training images
 *   counts                optional: CIFAR-10H's counts.npy, how many people chose which class for each test image
 *
 * With annotations, `labels` says which of them are observed. union makes candidate sets of the three random labels,
 * counts candidate sets of the classes that at least `least` people chose; images without counts or annotations keep
 * their true class alone.
 *
 * Krizhevsky. Learning Multiple Layers of Features from Tiny Images. 2009.
 * Wei, Zhu, Cheng, Liu, Niu, Liu. Learning with Noisy Labels Revisited: A Study Using Real-World Human Annotations.
 * ICLR 2022. Peterson, Battleday, Griffiths, Russakovsky. Human Uncertainty Makes Classification More Robust. ICCV
 * 2019. */
#include <crucible/crucible.h>

#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "image-set.h"
#include "npy.h"
#include "pickle-numpy.h"
#include "source.h"

enum {
    CLASSES = 10,
    CHANNELS = 3,
    SIDE = 32,
    PIXELS = CHANNELS * SIDE * SIDE,
    RECORD = 1 + PIXELS,
    MOST_BATCHES = 100
};

typedef struct settings {
    double scale;
    int64_t labels, least;
} settings;

enum {
    LABELS_TRUE,
    LABELS_AGGREGATE,
    LABELS_WORSE,
    LABELS_RANDOM_1,
    LABELS_RANDOM_2,
    LABELS_RANDOM_3,
    LABELS_UNION,
    LABELS_COUNTS
};
static const char *const label_kinds[] = {"true",     "aggregate", "worse",  "random-1", "random-2",
                                          "random-3", "union",     "counts", NULL};
static const char *const keys[] = {NULL,           "aggre_label", "worse_label", "random_label1", "random_label2",
                                   "random_label3"};

static const cru_param schema[] = {
    CRU_FLOAT(settings, scale, 255, 1e-6, 1e6, "pixels are divided by it"),
    CRU_CHOICE(settings, labels, LABELS_TRUE, label_kinds, "which labels are observed"),
    CRU_INT(settings, least, 1, 1, 1000, "counts: so many people make a class a candidate"),
    CRU_END,
};

typedef struct reading {
    const settings *s;
    const cru_source *source;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    blob batches[MOST_BATCHES + 1]; /* the test batch last */
    int count;
    int64_t train, test; /* images */
} reading;

static cru_status read_batch(reading *r, const char *path, int64_t *images)
{
    blob *b = &r->batches[r->count++];
    cru_status status = blob_read(r->arena, path, b, r->err);
    if (status != CRU_OK) return status;
    if (b->size == 0 || b->size % RECORD != 0)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld bytes are no whole number of records of %d bytes", path,
                        (long long)b->size, RECORD);
    *images += b->size / RECORD;
    return CRU_OK;
}

static cru_status read_batches(reading *r)
{
    char role[20] = "train-1";
    cru_status status = CRU_OK;
    for (const char *path; r->count < MOST_BATCHES && (path = source_file(r->source, role)) && status == CRU_OK;) {
        status = read_batch(r, path, &r->train);
        snprintf(role, sizeof role, "train-%d", r->count + 1);
    }
    const char *path;
    if (status == CRU_OK) status = source_need(r->source, "test", &path, r->err);
    return status == CRU_OK ? read_batch(r, path, &r->test) : status;
}

static cru_status store_images(const reading *r)
{
    float *x = (float *)r->data->x.dense;
    for (int b = 0, item = 0; b < r->count; b++) {
        const blob *batch = &r->batches[b];
        for (int64_t at = 0; at < batch->size; at += RECORD, item++) {
            const uint8_t *record = batch->bytes + at;
            if (record[0] >= CLASSES)
                return cru_fail(r->err, CRU_BAD_INPUT, "%s: byte %lld: class %d", batch->name, (long long)at,
                                record[0]);
            r->data->truth[item] = record[0];
            for (int i = 0; i < PIXELS; i++) x[(int64_t)item * PIXELS + i] = (float)(record[1 + i] / r->s->scale);
        }
    }
    generate_end(r->data);
    return CRU_OK;
}

/* torch.save keeps the dictionary as a pickle inside a zip file. */
static cru_status read_annotations(const reading *r, const pickle_value **out)
{
    const char *path;
    archive *zip = NULL;
    blob file;
    cru_status status = source_need(r->source, "annotations", &path, r->err);
    if (status == CRU_OK) status = archive_open(path, &zip, r->err);
    if (status == CRU_OK) status = archive_read(zip, r->arena, "archive/data.pkl", &file, r->err);
    if (status == CRU_OK) status = pickle_parse(&file, r->arena, out, r->err);
    archive_close(zip);
    return status;
}

/* The label of every training image under that key. */
static cru_status get_annotation(const reading *r, const pickle_value *all, const char *key, array *out)
{
    cru_status status = pickle_array(pickle_get(all, key), key, out, r->err);
    if (status == CRU_OK) status = array_expect(out, (array_form){1, -1, -1}, r->err);
    if (status == CRU_OK && out->count < r->train)
        status = cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld annotations for %lld images", r->source->name,
                          (long long)out->count, (long long)r->train);
    return status;
}

static cru_status annotate(const reading *r)
{
    const pickle_value *all;
    array labels;
    cru_status status = read_annotations(r, &all);
    if (status == CRU_OK) status = get_annotation(r, all, keys[r->s->labels], &labels);
    for (int64_t i = 0; i < r->train && status == CRU_OK; i++) {
        int64_t label = 0;
        status = array_whole(&labels, i, (array_range){0, CLASSES - 1}, &label, r->err);
        r->data->labels[i] = (int32_t)label;
    }
    return status;
}

static cru_status begin_candidates(const reading *r)
{
    r->data->candidates = cru_data_alloc(r->data, r->data->items * CLASSES, 1);
    if (!r->data->candidates) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for candidates", r->source->name);
    return CRU_OK;
}

/* Items that nobody annotated: their true class. */
static void fill_candidates(const reading *r, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++) r->data->candidates[i * CLASSES + r->data->truth[i]] = 1;
}

static cru_status unite_annotations(const reading *r)
{
    const pickle_value *all;
    cru_status status = begin_candidates(r);
    if (status == CRU_OK) status = read_annotations(r, &all);
    for (int k = LABELS_RANDOM_1; k <= LABELS_RANDOM_3 && status == CRU_OK; k++) {
        array labels;
        status = get_annotation(r, all, keys[k], &labels);
        for (int64_t i = 0; i < r->train && status == CRU_OK; i++) {
            int64_t label = 0;
            status = array_whole(&labels, i, (array_range){0, CLASSES - 1}, &label, r->err);
            r->data->candidates[i * CLASSES + label] = 1;
        }
    }
    if (status == CRU_OK) fill_candidates(r, r->train, r->data->items);
    return status;
}

static cru_status count_annotations(const reading *r)
{
    const char *path;
    blob file;
    array counts;
    cru_status status = begin_candidates(r);
    if (status == CRU_OK) status = source_need(r->source, "counts", &path, r->err);
    if (status == CRU_OK) status = blob_read(r->arena, path, &file, r->err);
    if (status == CRU_OK) status = npy_parse(&file, &counts, r->err);
    if (status == CRU_OK) status = array_expect(&counts, (array_form){2, -1, CLASSES}, r->err);
    if (status != CRU_OK) return status;
    if (counts.shape[0] < r->test)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: counts of %lld images, expected %lld", path,
                        (long long)counts.shape[0], (long long)r->test);
    fill_candidates(r, 0, r->train);
    for (int64_t i = 0; i < r->test; i++) {
        int64_t item = r->train + i, found = 0;
        for (int64_t c = 0; c < CLASSES; c++) {
            if (array_real(&counts, array_place(&counts, i, c)) < (double)r->s->least) continue;
            r->data->candidates[item * CLASSES + c] = 1;
            found++;
        }
        if (found == 0) fill_candidates(r, item, item + 1);
    }
    return CRU_OK;
}

static cru_status read_all(reading *r)
{
    cru_status status = read_batches(r);
    if (status != CRU_OK) return status;
    image_set set = {r->train, r->test, CLASSES, CHANNELS, SIDE, SIDE};
    status = image_set_begin(&set, r->data, r->err);
    if (status == CRU_OK) status = store_images(r);
    if (status != CRU_OK || r->s->labels == LABELS_TRUE) return status;
    if (r->s->labels == LABELS_UNION) return unite_annotations(r);
    return r->s->labels == LABELS_COUNTS ? count_annotations(r) : annotate(r);
}

static cru_status load(const void *settings_, const cru_source *source, cru_data *data, cru_error *err)
{
    reading r = {.s = settings_, .source = source, .arena = cru_arena_create(), .data = data, .err = err};
    if (!r.arena) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", source->name);
    cru_status status = read_all(&r);
    cru_arena_destroy(r.arena);
    return status;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET),
    .name = "cifar",
    .version = "1.0",
    .summary = "CIFAR-10 in binary batches, with the labels of people from CIFAR-10N or CIFAR-10H",
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
