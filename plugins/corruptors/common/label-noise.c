// SPDX-License-Identifier: Apache-2.0
#include "label-noise.h"

#include <math.h>

#include <crucible/pool.h>

const char *const noise_where_names[] = {"train", "train+val", "all", NULL};

const cru_param label_noise_params[] = {
    CRU_CHOICE(label_noise, where, NOISE_TRAIN_VAL, noise_where_names, "whose labels are redrawn"),
    CRU_STUDY_RNG_SETTINGS(label_noise, rng, 3000, 1),
    CRU_END,
};

const cru_param rate_noise_params[] = {
    CRU_FLOAT(rate_noise, rate, 0.3, 0, 1, "probability that a label changes"),
    CRU_GROUP(rate_noise, noise, label_noise_params),
    CRU_END,
};

static void mark(uint8_t *chosen, cru_ids part)
{
    for (int64_t i = 0; i < part.count; i++) chosen[part.ids[i]] = 1;
}

uint8_t *noise_chosen_items(cru_data *data, noise_where where)
{
    uint8_t *chosen = cru_pool_alloc(cru_data_pool(data), data->items, 1);
    mark(chosen, data->split.train);
    if (where != NOISE_TRAIN) mark(chosen, data->split.val);
    for (int64_t i = 0; where == NOISE_ALL && i < data->items; i++) chosen[i] = 1;
    return chosen;
}

enum { MOST_CLASSES = 100 }; /* above, a matrix is larger than the rest of the results */

void noise_report_labels(const cru_data *data, const uint8_t *chosen, cru_report *report)
{
    const int64_t classes = data->classes;
    const bool small = classes <= MOST_CLASSES;
    double count[MOST_CLASSES * MOST_CLASSES] = {0};
    int64_t items = 0, wrong = 0;
    for (int64_t i = 0; i < data->items; i++) {
        if (!chosen[i] || data->truth[i] == CRU_UNLABELLED || data->labels[i] == CRU_UNLABELLED) continue;
        items++;
        wrong += data->labels[i] != data->truth[i];
        if (small) count[data->truth[i] * classes + data->labels[i]]++;
    }
    cru_report_number(report, "noise_rate", items ? (double)wrong / (double)items : NAN);
    if (small) cru_report_vector(report, "confusion", count, classes * classes);
}

static cru_status check_labels(const cru_data *data, cru_error *err)
{
    if (data->candidates)
        return cru_fail(err, CRU_UNSUPPORTED, "label noise needs one label an item, and these are candidate sets");
    if (data->classes < 2) return cru_fail(err, CRU_UNSUPPORTED, "label noise needs at least two classes");
    return CRU_OK;
}

cru_status label_noise_start(const label_noise *s, const cru_damage *d, cru_study_rng *source)
{
    /* The noisy-label benchmark seeds NumPy with 3000 + the number of the run; the defaults of base and step say so. */
    static const cru_study noisygl = {.generator = CRU_STUDY_NUMPY, .base = 3000, .step = 1};
    const cru_study_draw draw = {&s->rng, &noisygl, d->data->seed, d->rng};
    cru_status status = check_labels(d->data, d->err);
    return status ? status : cru_study_rng_create(source, &draw, d->err);
}

void label_noise_redraw(const label_noise *s, const cru_damage *d, const noise_drawing *by)
{
    cru_data *data = d->data;
    uint8_t *chosen = noise_chosen_items(data, (noise_where)s->where);
    for (int64_t i = 0; i < data->items; i++) {
        const int32_t before = data->labels[i];
        if (before == CRU_UNLABELLED) continue;
        const int32_t after = by->draw(by->user, by->source, i, before);
        if (chosen[i]) data->labels[i] = after;
    }
    noise_report_labels(data, chosen, d->report);
}

static int32_t draw_from_row(void *user, cru_study_rng *source, int64_t item, int32_t label)
{
    const noise_matrix *m = user;
    (void)item;
    return cru_study_rng_class(source, m->p + (int64_t)label * m->classes, m->classes);
}

cru_status noise_matrix_start(noise_matrix *m, const cru_damage *d)
{
    const int64_t classes = d->data->classes;
    *m = (noise_matrix){.damage = d, .classes = d->data->classes};
    cru_status status = label_noise_start(d->settings, d, &m->source);
    if (!status) m->p = cru_pool_alloc(cru_data_pool(d->data), classes * classes, sizeof *m->p);
    return status;
}

cru_status noise_matrix_apply(noise_matrix *m)
{
    const cru_damage *d = m->damage;
    cru_study_rng_restart(&m->source);
    label_noise_redraw(d->settings, d, &(noise_drawing){&m->source, draw_from_row, m});
    if (m->classes <= MOST_CLASSES) cru_report_vector(d->report, "transition", m->p, (int64_t)m->classes * m->classes);
    return CRU_OK;
}
