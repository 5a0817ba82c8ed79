// SPDX-License-Identifier: Apache-2.0
#include "drawing.h"

static bool make_room(drawing *w, cru_data *data)
{
    part *parts[] = {&w->train, &w->val, &w->test, &w->pool};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i]->ids = cru_data_alloc(data, data->items, sizeof *parts[i]->ids);
        if (!parts[i]->ids) return false;
    }
    w->used = cru_data_alloc(data, data->items, sizeof *w->used);
    return w->used != NULL;
}

cru_status drawing_start(drawing *w, const cru_dividing *job, const cru_study_settings *rng, const cru_study *study)
{
    *w = (drawing){.job = job, .data = job->data};
    const cru_study_draw draw = {rng, study, job->data->seed, job->rng};
    cru_status status = cru_study_rng_create(&w->rng, &draw, job->err);
    if (!status && !make_room(w, job->data)) status = cru_fail(job->err, CRU_NO_MEMORY, "no memory for a split");
    if (!status) drawing_again(w, 0);
    return status;
}

void drawing_again(drawing *w, uint64_t draw)
{
    cru_study_rng_reseed(&w->rng, w->rng.seed, cru_rng_stream(w->rng.seed, "split", draw));
}

void drawing_pool(drawing *w, int32_t label)
{
    w->pool.count = 0;
    for (int64_t i = 0; i < w->data->items; i++) {
        const int32_t truth = w->data->truth[i];
        if (!w->used[i] && (label == ANY_CLASS ? truth != CRU_UNLABELLED : truth == label))
            w->pool.ids[w->pool.count++] = (int32_t)i;
    }
}

void drawing_shuffle(drawing *w)
{
    cru_study_rng_shuffle(&w->rng, w->pool.ids, w->pool.count);
}

void drawing_take(drawing *w, part *to, int64_t start, int64_t count)
{
    for (int64_t k = start; k < start + count; k++) {
        to->ids[to->count++] = w->pool.ids[k];
        w->used[w->pool.ids[k]] = 1;
    }
}

void drawing_rest(drawing *w)
{
    drawing_pool(w, ANY_CLASS);
    drawing_take(w, &w->test, 0, w->pool.count);
}

cru_status drawing_finish(drawing *w)
{
    w->job->data->split = (cru_split){.train = {w->train.ids, w->train.count},
                                      .val = {w->val.ids, w->val.count},
                                      .test = {w->test.ids, w->test.count}};
    if (w->train.count > 0) return CRU_OK;
    return cru_fail(w->job->err, CRU_UNSUPPORTED, "nothing to train on among %lld items", (long long)w->data->items);
}

cru_status drawing_too_few(const drawing *w, const char *of, int64_t needed, int64_t found)
{
    return cru_fail(w->job->err, CRU_UNSUPPORTED, "%sneeds %lld items, found %lld", of, (long long)needed,
                    (long long)found);
}

cru_status drawing_start_shares(drawing *w, const cru_dividing *job, const share_settings *s, const cru_study *study)
{
    if (s->train + s->val > 1)
        return cru_fail(job->err, CRU_BAD_INPUT, "train = %g and val = %g leave nothing to test", s->train, s->val);
    cru_status status = drawing_start(w, job, &s->rng, study);
    if (!status) drawing_pool(w, ANY_CLASS);
    return status;
}
