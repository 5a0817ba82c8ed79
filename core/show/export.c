// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/plot/learning.h"
#include "show/show.h"

/* ---- curves ---------------------------------------------------------------------------------------------- */

typedef struct gathered {
    const shown *e;
    learning_curve *items;
    int64_t count, now; /* the trial whose curves are visited */
    bool no_memory;
} gathered;

/* The two curves of a trial have the same epochs. */
static bool gather(void *user, const store_curve *curve)
{
    gathered *g = user;
    learning_curve *c = &g->items[g->count];
    const bool loss = strcmp(curve->name, "loss") == 0;
    if (!loss && strcmp(curve->name, "validation") != 0) return true;
    double *values = cru_arena_alloc(g->e->arena, curve->count, sizeof *values);
    memcpy(values, curve->values, (size_t)curve->count * sizeof *values);
    if (!c->epochs) {
        c->epochs = cru_arena_alloc(g->e->arena, curve->count, sizeof *c->epochs);
        memcpy(c->epochs, curve->epochs, (size_t)curve->count * sizeof *c->epochs);
        c->count = curve->count;
    }
    if (curve->count < c->count) c->count = curve->count;
    *(loss ? &c->loss : &c->validation) = values;
    return true;
}

static cru_status gather_all(store *s, const shown *e, gathered *g, cru_error *err)
{
    *g = (gathered){.e = e, .items = cru_arena_alloc_zeroed(e->arena, e->count, sizeof *g->items)};
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < e->count; i++) {
        if (e->chosen >= 0 && e->chosen != i) continue;
        g->items[g->count] = (learning_curve){.title = show_title(e, i), .series = e->trials[i].alias, .trial = i};
        status = store_each_curve(s, e->trials[i].key, gather, g, err);
        const learning_curve *c = &g->items[g->count];
        g->count += c->count > 0 && c->loss && c->validation;
    }
    if (!status && !g->count)
        status = cru_fail(err, CRU_UNSUPPORTED,
                          "%s: no learning curves were kept; run it with --set run.curves=yes --force", e->name);
    return status;
}

static void put_value(FILE *out, double value)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.9g", value);
}

cru_status show_curves_csv(store *s, const shown *e, FILE *out, cru_error *err)
{
    gathered g;
    cru_status status = gather_all(s, e, &g, err);
    if (status) return status;
    fputs("trial,title,epoch,loss,validation\n", out);
    for (int64_t i = 0; i < g.count; i++)
        for (int64_t k = 0; k < g.items[i].count; k++) {
            const learning_curve *c = &g.items[i];
            fprintf(out, "%lld,", (long long)c->trial);
            escape_csv(out, c->title);
            fprintf(out, ",%lld", (long long)c->epochs[k]);
            put_value(out, c->loss[k]);
            put_value(out, c->validation[k]);
            fputc('\n', out);
        }
    return CRU_OK;
}

cru_status show_curves_svg(store *s, const shown *e, FILE *out, cru_error *err)
{
    gathered g;
    cru_status status = gather_all(s, e, &g, err);
    if (!status) plot_learning(&(learning_plot){.title = e->name, .curves = g.items, .count = g.count}, out);
    return status;
}

/* ---- predictions and split ------------------------------------------------------------------------------- */

static cru_status need_trial(const shown *e, const char *what, cru_error *err)
{
    if (e->chosen >= 0) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s are of one trial: name it as %s:NUMBER", what, e->name);
}

static cru_status not_kept(const shown *e, const char *what, cru_error *err)
{
    return cru_fail(err, CRU_UNSUPPORTED,
                    "%s:%lld: %s not kept; run the experiment with --set run.predictions=yes --force (one seed "
                    "gives the same bits again)",
                    e->name, (long long)e->chosen, what);
}

cru_status show_predictions_csv(store *s, const shown *e, FILE *out, cru_error *err)
{
    float *scores = NULL;
    int64_t rows, cols;
    cru_status status = need_trial(e, "predictions", err);
    if (!status) status = store_get_scores(s, e->trials[e->chosen].key, &scores, &rows, &cols, err);
    if (status) return status;
    if (!scores) return not_kept(e, "its predictions were", err);
    fputs("item,predicted", out);
    for (int64_t c = 0; c < cols; c++) fprintf(out, ",score-%lld", (long long)c);
    for (int64_t i = 0; i < rows; i++) {
        int64_t best = 0;
        for (int64_t c = 1; c < cols; c++)
            if (scores[i * cols + c] > scores[i * cols + best]) best = c;
        fprintf(out, "\n%lld,%lld", (long long)i, (long long)best);
        for (int64_t c = 0; c < cols; c++) fprintf(out, ",%.9g", (double)scores[i * cols + c]);
    }
    fputc('\n', out);
    free(scores);
    return CRU_OK;
}

typedef struct split_writer {
    FILE *out;
    bool found;
} split_writer;

static bool write_parts(void *user, const store_vector *vector)
{
    static const char *const parts[] = {"train", "val", "test"};
    split_writer *w = user;
    if (strcmp(vector->name, STORE_SPLIT) != 0) return true;
    w->found = true;
    fputs("item,part\n", w->out);
    for (int64_t i = 0; i < vector->count; i++) {
        const char *between = "";
        fprintf(w->out, "%lld,", (long long)i);
        for (int p = 0; p < 3; p++) {
            if (!((int)vector->values[i] & 1 << p)) continue;
            fprintf(w->out, "%s%s", between, parts[p]);
            between = " ";
        }
        fputs(*between ? "\n" : "none\n", w->out);
    }
    return false;
}

cru_status show_split_csv(store *s, const shown *e, FILE *out, cru_error *err)
{
    split_writer w = {.out = out};
    cru_status status = need_trial(e, "splits", err);
    if (!status) status = store_each_vector(s, e->trials[e->chosen].key, write_parts, &w, err);
    return status || w.found ? status : not_kept(e, "its split was", err);
}
