// SPDX-License-Identifier: Apache-2.0
/* cifar: CIFAR-10 in binary batches of records, a label byte and 3 x 32 x 32 bytes (red, green, blue planes).
 *
 *   train-1 ... train-5   training batches; any number of them, from the first on
 *   test                  the test batch
 *   images                instead of these: the tar file that holds them all
 *   annotations           optional: CIFAR-10N's CIFAR-10_human.pt, labels of people for all 50000 training images
 *   counts                optional: CIFAR-10H's counts.npy, how many people chose which class for each test image
 *
 * With annotations, `labels` says which of them are observed. union makes candidate sets of the three random labels
 * (or the first `annotators` of them), counts candidate sets of the classes that at least `least` people chose; images
 * without counts or annotations keep their true class alone.
 *
 * Krizhevsky. Learning Multiple Layers of Features from Tiny Images. 2009.
 * Wei, Zhu, Cheng, Liu, Niu, Liu. Learning with Noisy Labels Revisited: A Study Using Real-World Human Annotations.
 * ICLR 2022. Peterson, Battleday, Griffiths, Russakovsky. Human Uncertainty Makes Classification More Robust. ICCV
 * 2019. */
#include <crucible/crucible.h>

#include "cifar-images.h"
#include "npy.h"
#include "pickle-numpy.h"
#include "source.h"
#include "torch-file.h"

enum { CLASSES = CIFAR_CLASSES };

typedef struct settings {
    double scale;
    int64_t labels, least, annotators;
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
    CRU_INT(settings, annotators, 0, 0, 3, "union: only the labels of the first so many people; 0: all"),
    CRU_END,
};

typedef struct reading {
    const cru_loading *l;
    const settings *s;
    cru_arena *arena;
    int64_t train, test; /* images */
} reading;

static cru_status read_annotations(const reading *r, const pickle_value **out)
{
    const char *path;
    torch_file file;
    cru_status status = source_need(r->l->source, "annotations", &path, r->l->err);
    if (status) return status;
    status = torch_open(path, r->arena, &file, r->l->err);
    *out = file.top;
    torch_close(&file);
    return status;
}

/* The label of every training image under that key. */
static cru_status get_annotation(const reading *r, const pickle_value *all, const char *key, array *out)
{
    cru_status status = pickle_array(pickle_get(all, key), key, out, r->l->err);
    if (!status) status = array_expect(out, (array_form){1, -1, -1}, r->l->err);
    if (!status && out->count < r->train)
        status = cru_fail(r->l->err, CRU_BAD_INPUT, "%s: %lld annotations for %lld images", r->l->source->name,
                          (long long)out->count, (long long)r->train);
    return status;
}

static cru_status annotate(const reading *r)
{
    const pickle_value *all;
    array labels;
    cru_status status = read_annotations(r, &all);
    if (!status) status = get_annotation(r, all, keys[r->s->labels], &labels);
    for (int64_t i = 0; i < r->train && !status; i++) {
        int64_t label = 0;
        status = array_whole(&labels, i, (array_range){0, CLASSES - 1}, &label, r->l->err);
        r->l->data->labels[i] = (int32_t)label;
    }
    return status;
}

static cru_status unite_annotations(const reading *r)
{
    const pickle_value *all;
    const int64_t last = r->s->annotators ? LABELS_RANDOM_1 + r->s->annotators - 1 : LABELS_RANDOM_3;
    cru_status status = cifar_candidates(r->l->data, r->l->err);
    if (!status) status = read_annotations(r, &all);
    for (int64_t k = LABELS_RANDOM_1; k <= last && !status; k++) {
        array labels;
        status = get_annotation(r, all, keys[k], &labels);
        for (int64_t i = 0; i < r->train && !status; i++) {
            int64_t label = 0;
            status = array_whole(&labels, i, (array_range){0, CLASSES - 1}, &label, r->l->err);
            r->l->data->candidates[i * CLASSES + label] = 1;
        }
    }
    if (!status) cifar_certain(r->l->data, r->train, r->l->data->items);
    return status;
}

static cru_status count_annotations(const reading *r)
{
    const char *path;
    blob file;
    array counts;
    cru_status status = cifar_candidates(r->l->data, r->l->err);
    if (!status) status = source_need(r->l->source, "counts", &path, r->l->err);
    if (!status) status = blob_read(r->arena, path, &file, r->l->err);
    if (!status) status = npy_parse(&file, &counts, r->l->err);
    if (!status) status = array_expect(&counts, (array_form){2, -1, CLASSES}, r->l->err);
    if (status) return status;
    if (counts.shape[0] < r->test)
        return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: counts of %lld images, expected %lld", path,
                        (long long)counts.shape[0], (long long)r->test);
    cifar_certain(r->l->data, 0, r->train);
    for (int64_t i = 0; i < r->test; i++) {
        int64_t item = r->train + i, found = 0;
        for (int64_t c = 0; c < CLASSES; c++) {
            if (array_real(&counts, array_place(&counts, i, c)) < (double)r->s->least) continue;
            r->l->data->candidates[item * CLASSES + c] = 1;
            found++;
        }
        if (found == 0) cifar_certain(r->l->data, item, item + 1);
    }
    return CRU_OK;
}

static cru_status read_all(reading *r)
{
    cifar_images images = {.source = r->l->source, .arena = r->arena, .scale = r->s->scale};
    cru_status status = cifar_images_read(&images, r->l->data, r->l->err);
    r->train = images.train;
    r->test = images.test;
    if (status || r->s->labels == LABELS_TRUE) return status;
    if (r->s->labels == LABELS_UNION) return unite_annotations(r);
    return r->s->labels == LABELS_COUNTS ? count_annotations(r) : annotate(r);
}

static cru_status load(const cru_loading *l)
{
    reading r = {.l = l, .s = l->settings, .arena = cru_arena_create()};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = read_all(&r);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "cifar",
    .version = "1.0",
    .summary = "CIFAR-10 in binary batches, with the labels of people from CIFAR-10N or CIFAR-10H",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
