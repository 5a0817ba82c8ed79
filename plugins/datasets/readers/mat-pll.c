// SPDX-License-Identifier: Apache-2.0
/* mat-pll: rows with candidate label sets in a MATLAB file.
 *
 *   data, or features              rows x features
 *   target, or logitlabels         the true class, one-hot: classes x rows (or rows x classes in renamed copies)
 *   partial_target, or p_labels    the candidate sets, 0/1, of the same shape
 *
 * Each may be full or sparse. A row without candidates is an error: no method can learn from it. */
#include <crucible/crucible.h>

#include "generate.h"
#include "mat-file.h"
#include "node-data.h"
#include "source.h"

typedef struct table {
    const char *variable;
    mat_shape shape; /* as it is in the file */
    mat_matrix m;    /* with a row an item */
} table;

typedef struct reading {
    const char *path;
    mat_file *file;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    int64_t rows, classes;
    table x, target, partial;
} reading;

static cru_status find(const reading *r, const char *name, const char *other, table *t)
{
    t->variable = mat_first(r->file, (const char *const[]){name, other, NULL});
    if (!t->variable) return cru_fail(r->err, CRU_BAD_INPUT, "%s: has no variable '%s' or '%s'", r->path, name, other);
    return mat_look(r->file, t->variable, &t->shape, r->err);
}

/* Labels lie on their side in the original layout, so that a square table does, too. */
static bool lies(const reading *r, const mat_shape *labels)
{
    return labels->cols == r->rows;
}

static cru_status check_labels(const reading *r, const table *t)
{
    const mat_shape *s = &t->shape;
    const int64_t items = lies(r, s) ? s->cols : s->rows, classes = lies(r, s) ? s->rows : s->cols;
    if (items == r->rows && classes >= 1 && classes < NODE_MOST_CLASSES) return CRU_OK;
    return cru_fail(r->err, CRU_BAD_INPUT, "%s: %s: %lld x %lld labels for %lld rows", r->path, t->variable,
                    (long long)s->rows, (long long)s->cols, (long long)r->rows);
}

/* What the three tables claim to be is compared before any is read: rows of a sparse one cost no byte in the file. */
static cru_status find_tables(reading *r)
{
    cru_status status = find(r, "data", "features", &r->x);
    if (!status) status = find(r, "target", "logitlabels", &r->target);
    if (!status) status = find(r, "partial_target", "p_labels", &r->partial);
    if (status) return status;
    r->rows = r->x.shape.rows;
    status = check_labels(r, &r->target);
    if (!status) status = check_labels(r, &r->partial);
    if (status) return status;
    r->classes = lies(r, &r->target.shape) ? r->target.shape.rows : r->target.shape.cols;
    const mat_shape *partial = &r->partial.shape;
    const int64_t other = lies(r, partial) ? partial->rows : partial->cols;
    if (r->classes != other || r->rows > INT32_MAX || r->x.shape.cols < 1)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: features, labels and candidate sets do not fit together", r->path);
    return CRU_OK;
}

static cru_status read_labels(const reading *r, table *t)
{
    cru_status status = mat_read(r->file, t->variable, r->arena, &t->m, r->err);
    if (!status && lies(r, &t->shape)) t->m = mat_transpose(&t->m, r->arena);
    return status;
}

static cru_status store_truth(reading *r)
{
    cru_status status = read_labels(r, &r->target);
    for (int64_t i = 0; i < r->rows && !status; i++) {
        int64_t ones = 0;
        for (int64_t c = 0; c < r->classes; c++) {
            if (mat_at(&r->target.m, i, c) == 0) continue;
            r->data->truth[i] = (int32_t)c;
            ones++;
        }
        if (ones != 1)
            status = cru_fail(r->err, CRU_BAD_INPUT, "%s: row %lld has %lld classes", r->target.m.name, (long long)i,
                              (long long)ones);
    }
    return status;
}

static cru_status store_candidates(reading *r)
{
    cru_status status = read_labels(r, &r->partial);
    for (int64_t i = 0; i < r->rows && !status; i++) {
        int64_t candidates = 0;
        for (int64_t c = 0; c < r->classes; c++) {
            if (mat_at(&r->partial.m, i, c) == 0) continue;
            r->data->candidates[i * r->classes + c] = 1;
            candidates++;
        }
        if (candidates == 0)
            status = cru_fail(r->err, CRU_BAD_INPUT, "%s: row %lld has no candidate", r->partial.m.name, (long long)i);
    }
    return status;
}

static cru_status store_features(reading *r)
{
    cru_status status = mat_read(r->file, r->x.variable, r->arena, &r->x.m, r->err);
    float *x = !status ? generate_dense(r->data, r->x.m.cols, r->err) : NULL;
    if (!x) return status ? status : CRU_NO_MEMORY;
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = 0; j < r->x.m.cols; j++) x[i * r->x.m.cols + j] = (float)mat_at(&r->x.m, i, j);
    return CRU_OK;
}

/* Labels first: they are where a row that is only claimed shows itself, since every row has a class. */
static cru_status read_tables(reading *r)
{
    cru_status status = find_tables(r);
    if (!status) status = generate_begin(r->data, CRU_ROWS, r->rows, r->classes, r->err);
    if (status) return status;
    r->data->candidates = cru_data_alloc(r->data, r->rows * r->classes, 1);
    if (!r->data->candidates) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory", r->path);
    status = store_truth(r);
    if (!status) status = store_candidates(r);
    if (!status) status = store_features(r);
    if (!status) generate_end(r->data);
    return status;
}

static cru_status load(const cru_loading *l)
{
    reading r = {.data = l->data, .err = l->err};
    cru_status status = source_need(l->source, "rows", &r.path, l->err);
    if (!status) status = mat_open(r.path, &r.file, l->err);
    if (status) return status;
    r.arena = cru_arena_create();
    status = r.arena ? read_tables(&r) : cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", r.path);
    mat_close(r.file);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    .name = "mat-pll",
    .version = "1.0",
    .summary = "rows with candidate label sets in a MATLAB file",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
