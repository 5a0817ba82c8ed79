// SPDX-License-Identifier: Apache-2.0
/* scikit-learn's StratifiedShuffleSplit, applied twice: train against the rest, then val against test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/split-draw.h"

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
static void share_out(strata *s, const int64_t *sizes, int64_t draws, int64_t *out, dice *rng)
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
        dice_shuffle(rng, s->tied, ties);
        for (int64_t k = 0; k < ties; k++) {
            s->wanted[s->tied[k]] = -1;
            if (missing > 0) {
                out[s->tied[k]]++;
                missing--;
            }
        }
    }
}

static void divide(strata *s, dice rng)
{
    memset(s->sizes, 0, (size_t)s->classes * sizeof *s->sizes);
    for (int64_t i = 0; i < s->count; i++) s->sizes[s->truth[s->items[i]]]++;
    share_out(s, s->sizes, s->first, s->take, &rng);
    for (int32_t c = 0; c < s->classes; c++) s->sizes[c] -= s->take[c];
    share_out(s, s->sizes, s->count - s->first, s->left, &rng);

    int64_t head = 0, tail = 0;
    for (int32_t c = 0; c < s->classes; c++) {
        int64_t size = 0;
        for (int64_t i = 0; i < s->count; i++)
            if (s->truth[s->items[i]] == c) s->members[size++] = s->items[i];
        dice_shuffle(&rng, s->members, size);
        for (int64_t k = 0; k < size; k++) {
            if (k < s->take[c])
                s->head[head++] = s->members[k];
            else
                s->tail[tail++] = s->members[k];
        }
    }
    dice_shuffle(&rng, s->head, head);
    dice_shuffle(&rng, s->tail, tail);
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

static bool start_strata(strata *s, const drawing *d)
{
    size_t classes = (size_t)d->data->classes + 1, items = (size_t)d->pool.count + 1;
    *s = (strata){.truth = d->data->truth,
                  .classes = d->data->classes,
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

cru_status draw_stratified(drawing *d, cru_error *err)
{
    draw_pool(d, -1);
    strata s;
    cru_status status = CRU_OK;
    if (!start_strata(&s, d)) {
        status = cru_fail(err, CRU_NO_MEMORY, "no memory for a stratified split");
    } else {
        int64_t n = d->pool.count, train = (int64_t)floor(d->train * (double)n),
                val = (int64_t)floor(d->val * (double)n);
        s.items = d->pool.ids;
        s.count = n;
        s.first = train;
        divide(&s, dice_start(d->rng, d->seed, 0));
        memcpy(d->pool.ids, s.head, (size_t)train * sizeof *s.head);
        draw_take(d, &d->train_part, 0, train);

        memcpy(d->pool.ids, s.tail, (size_t)(n - train) * sizeof *s.tail);
        s.count = n - train;
        s.first = val;
        divide(&s, dice_start(d->rng, d->seed, 1));
        memcpy(d->pool.ids, s.head, (size_t)val * sizeof *s.head);
        memcpy(d->pool.ids + val, s.tail, (size_t)(s.count - val) * sizeof *s.tail);
        draw_take(d, &d->val_part, 0, val);
        draw_take(d, &d->test_part, val, s.count - val);
    }
    free_strata(&s);
    return status;
}
