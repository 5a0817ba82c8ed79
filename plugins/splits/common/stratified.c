// SPDX-License-Identifier: Apache-2.0
/* scikit-learn's StratifiedShuffleSplit, applied twice: train against the rest, then val against test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"

/* One split of `count` items into `first` and the other `count - first`. */
typedef struct strata {
    const int32_t *truth;
    int32_t classes;
    const int32_t *items;
    int64_t count, first;
    int64_t *sizes;       /* classes: items of each class */
    int64_t *take, *left; /* classes: how many go to the first and to the second part */
    double *wanted;       /* classes: scratch */
    int32_t *tied;        /* classes: scratch */
    int32_t *members;     /* count: scratch, positions of one class */
    int32_t *head, *tail; /* the result: first and count - first items */
} strata;

/* How many of each class to draw so that `draws` items mirror the class shares: floor of the exact share, then one more
 * for the largest remainders; classes with equal remainders take their turn in random order. */
static void share_out(strata *s, const int64_t *sizes, int64_t draws, int64_t *out, cru_study_rng *rng)
{
    int64_t total = 0, missing = draws;
    for (int32_t c = 0; c < s->classes; c++) total += sizes[c];
    for (int32_t c = 0; c < s->classes; c++) {
        double exact = total > 0 ? (double)sizes[c] / (double)total * (double)draws : 0;
        out[c] = (int64_t)floor(exact);
        s->wanted[c] = sizes[c] > 0 ? exact - floor(exact) : -1;
        missing -= out[c];
    }
    while (missing > 0) {
        double best = -1;
        for (int32_t c = 0; c < s->classes; c++)
            if (s->wanted[c] > best) best = s->wanted[c];
        if (best < 0) return;
        int64_t ties = 0;
        for (int32_t c = 0; c < s->classes; c++)
            if (s->wanted[c] == best) s->tied[ties++] = c;
        cru_study_rng_shuffle(rng, s->tied, ties);
        for (int64_t k = 0; k < ties; k++) {
            s->wanted[s->tied[k]] = -1;
            if (missing > 0) {
                out[s->tied[k]]++;
                missing--;
            }
        }
    }
}

static void divide(strata *s, cru_study_rng *rng)
{
    memset(s->sizes, 0, (size_t)s->classes * sizeof *s->sizes);
    for (int64_t i = 0; i < s->count; i++) s->sizes[s->truth[s->items[i]]]++;
    share_out(s, s->sizes, s->first, s->take, rng);
    for (int32_t c = 0; c < s->classes; c++) s->sizes[c] -= s->take[c];
    share_out(s, s->sizes, s->count - s->first, s->left, rng);

    int64_t head = 0, tail = 0;
    for (int32_t c = 0; c < s->classes; c++) {
        int64_t size = 0;
        for (int64_t i = 0; i < s->count; i++)
            if (s->truth[s->items[i]] == c) s->members[size++] = s->items[i];
        cru_study_rng_shuffle(rng, s->members, size);
        for (int64_t k = 0; k < size; k++) {
            if (k < s->take[c])
                s->head[head++] = s->members[k];
            else
                s->tail[tail++] = s->members[k];
        }
    }
    cru_study_rng_shuffle(rng, s->head, head);
    cru_study_rng_shuffle(rng, s->tail, tail);
}

static void free_strata(strata *s)
{
    free(s->sizes);
    free(s->take);
    free(s->left);
    free(s->wanted);
    free(s->tied);
    free(s->members);
    free(s->head);
    free(s->tail);
}

static bool start_strata(strata *s, const drawing *w)
{
    size_t classes = (size_t)w->data->classes + 1, items = (size_t)w->pool.count + 1;
    *s = (strata){.truth = w->data->truth,
                  .classes = w->data->classes,
                  .sizes = calloc(classes, sizeof *s->sizes),
                  .take = calloc(classes, sizeof *s->take),
                  .left = calloc(classes, sizeof *s->left),
                  .wanted = calloc(classes, sizeof *s->wanted),
                  .tied = calloc(classes, sizeof *s->tied),
                  .members = calloc(items, sizeof *s->members),
                  .head = calloc(items, sizeof *s->head),
                  .tail = calloc(items, sizeof *s->tail)};
    return s->sizes && s->take && s->left && s->wanted && s->tied && s->members && s->head && s->tail;
}

/* The head of the shuffled pool trains, that of the shuffled rest validates. */
static void divide_twice(drawing *w, strata *s, int64_t train, int64_t val)
{
    const int64_t n = w->pool.count;
    s->items = w->pool.ids;
    s->count = n;
    s->first = train;
    divide(s, &w->rng);
    memcpy(w->pool.ids, s->head, (size_t)train * sizeof *s->head);
    drawing_take(w, &w->train, 0, train);

    memcpy(w->pool.ids, s->tail, (size_t)(n - train) * sizeof *s->tail);
    s->count = n - train;
    s->first = val;
    drawing_again(w, 1);
    divide(s, &w->rng);
    memcpy(w->pool.ids, s->head, (size_t)val * sizeof *s->head);
    memcpy(w->pool.ids + val, s->tail, (size_t)(s->count - val) * sizeof *s->tail);
    drawing_take(w, &w->val, 0, val);
    drawing_take(w, &w->test, val, s->count - val);
}

cru_status take_stratified(const cru_dividing *d, const share_settings *s)
{
    static const cru_study gadbench = {.generator = CRU_STUDY_NUMPY, .base = 3407, .step = 10};
    drawing w;
    strata all;
    cru_status status = drawing_start_shares(&w, d, s, &gadbench);
    if (status) return status;
    const double n = (double)w.pool.count;
    if (start_strata(&all, &w))
        divide_twice(&w, &all, (int64_t)floor(s->train * n), (int64_t)floor(s->val * n));
    else
        status = cru_fail(d->err, CRU_NO_MEMORY, "no memory for a stratified split");
    free_strata(&all);
    return status ? status : drawing_finish(&w);
}
