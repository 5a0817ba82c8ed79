// SPDX-License-Identifier: Apache-2.0
/* plcifar10: CIFAR-10 with the candidate sets that people gave to its training images.
 *
 *   images, or train-1 ... train-5 and test   the images (cifar-images.h)
 *   annotations                               a pickled dictionary: image -> list of lists of classes, one list a
 * person
 *
 * The candidates of an image are the classes that anybody named, or the first few people (aggregate), or those of the
 * longest list, of equal ones the first (vaguest). The true class of a training image need not be among them, but a
 * training image without any candidate is refused: nothing could be learned from it. A test image has its true class as
 * its only candidate.
 *
 * Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. ICLR 2025. */
#include <crucible/crucible.h>

#include "cifar-images.h"
#include "pickle.h"
#include "source.h"

typedef struct settings {
    double scale;
    int64_t rule, annotators;
} settings;

enum { RULE_AGGREGATE, RULE_VAGUEST };
static const char *const rules[] = {"aggregate", "vaguest", NULL};

static const cru_param schema[] = {
    CRU_FLOAT(settings, scale, 255, 1e-6, 1e6, "pixels are divided by it"),
    CRU_CHOICE(settings, rule, RULE_AGGREGATE, rules, "which of the annotators' lists make the candidate set"),
    CRU_INT(settings, annotators, 0, 0, 1e6, "only the first so many lists of an image count; 0: all"),
    CRU_END,
};

typedef struct reading {
    const settings *s;
    const char *path; /* of the annotations */
    cru_data *data;
    cru_error *err;
    int64_t train;
} reading;

static bool is_list(const pickle_value *v)
{
    return pickle_is(v, PICKLE_LIST) || pickle_is(v, PICKLE_TUPLE);
}

static cru_status fail(const reading *r, int64_t image, const char *what)
{
    return cru_fail(r->err, CRU_BAD_INPUT, "%s: image %lld: %s", r->path, (long long)image, what);
}

static cru_status add_list(const reading *r, int64_t image, const pickle_value *list)
{
    if (!is_list(list)) return fail(r, image, "an annotation that is no list");
    for (int64_t i = 0; i < list->count; i++) {
        const pickle_value *class = list->items[i];
        if (class->kind != PICKLE_INT || class->integer < 0 || class->integer >= CIFAR_CLASSES)
            return fail(r, image, "a candidate that is no class");
        r->data->candidates[image * CIFAR_CLASSES + class->integer] = 1;
    }
    return CRU_OK;
}

static int64_t list_count(const reading *r, const pickle_value *lists)
{
    const int64_t most = r->s->annotators;
    return most && most < lists->count ? most : lists->count;
}

static const pickle_value *longest(const reading *r, const pickle_value *lists)
{
    const pickle_value *best = NULL;
    for (int64_t i = 0; i < list_count(r, lists); i++)
        if (is_list(lists->items[i]) && (!best || lists->items[i]->count > best->count)) best = lists->items[i];
    return best;
}

static cru_status annotate(const reading *r, const pickle_value *key, const pickle_value *lists)
{
    if (key->kind != PICKLE_INT || key->integer < 0 || key->integer >= r->train)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: annotates an image that is none of the %lld for training", r->path,
                        (long long)r->train);
    int64_t image = key->integer;
    if (!is_list(lists)) return fail(r, image, "annotations that are no list");
    if (r->s->rule == RULE_VAGUEST) return longest(r, lists) ? add_list(r, image, longest(r, lists)) : CRU_OK;
    cru_status status = CRU_OK;
    for (int64_t i = 0; i < list_count(r, lists) && !status; i++) status = add_list(r, image, lists->items[i]);
    return status;
}

static cru_status read_annotations(const reading *r, cru_arena *arena)
{
    blob file;
    const pickle_value *all;
    cru_status status = blob_read(arena, r->path, &file, r->err);
    if (!status) status = pickle_parse(&file, arena, &all, r->err);
    if (status) return status;
    if (all->kind != PICKLE_DICT) return cru_fail(r->err, CRU_BAD_INPUT, "%s: holds no dictionary", r->path);
    for (int64_t i = 0; i + 1 < all->count && !status; i += 2) status = annotate(r, all->items[i], all->items[i + 1]);
    return status;
}

static cru_status check_training(const reading *r)
{
    for (int64_t i = 0; i < r->train; i++) {
        int64_t size = 0;
        for (int64_t c = 0; c < CIFAR_CLASSES; c++) size += r->data->candidates[i * CIFAR_CLASSES + c];
        if (size == 0) return fail(r, i, "a training image without any candidate");
    }
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    reading r = {.s = l->settings, .data = data, .err = l->err};
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cifar_images images = {.source = l->source, .arena = arena, .scale = r.s->scale};
    cru_status status = source_need(l->source, "annotations", &r.path, l->err);
    if (!status) status = cifar_images_read(&images, data, l->err);
    if (!status) status = cifar_candidates(data, l->err);
    r.train = images.train;
    if (!status) status = read_annotations(&r, arena);
    if (!status) status = check_training(&r);
    if (!status) cifar_certain(data, r.train, data->items);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "plcifar10",
    .version = "1.2",
    .summary = "CIFAR-10 with the candidate sets of PLCIFAR10's annotators",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
