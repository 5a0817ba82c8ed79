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

typedef struct reading {
    const char *path;
    mat_file *file;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    mat_matrix x, target, partial; /* all with a row an item */
} reading;

static cru_status get(const reading *r, const char *name, const char *other, mat_matrix *out)
{
    const char *found = mat_first(r->file, (const char *const[]){name, other, NULL});
    if (!found) return cru_fail(r->err, CRU_BAD_INPUT, "%s: has no variable '%s' or '%s'", r->path, name, other);
    return mat_read(r->file, found, r->arena, out, r->err);
}

/* Turns a table of labels so that it has a row an item; a square one is turned, as the original layout needs it. */
static cru_status stand_up(const reading *r, mat_matrix *m)
{
    if (m->cols == r->x.rows) *m = mat_transpose(m, r->arena);
    if (m->rows == r->x.rows && m->cols >= 1 && m->cols < NODE_MOST_CLASSES) return CRU_OK;
    return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld x %lld labels for %lld rows", m->name, (long long)m->rows,
                    (long long)m->cols, (long long)r->x.rows);
}

static cru_status read_tables(reading *r)
{
    cru_status status = get(r, "data", "features", &r->x);
    if (status == CRU_OK) status = get(r, "target", "logitlabels", &r->target);
    if (status == CRU_OK) status = get(r, "partial_target", "p_labels", &r->partial);
    if (status == CRU_OK) status = stand_up(r, &r->target);
    if (status == CRU_OK) status = stand_up(r, &r->partial);
    if (status != CRU_OK) return status;
    if (r->target.cols != r->partial.cols || r->x.rows > INT32_MAX || r->x.cols < 1)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: features, labels and candidate sets do not fit together", r->path);
    return CRU_OK;
}

static cru_status store_row(const reading *r, int64_t row)
{
    int64_t classes = r->target.cols, ones = 0, candidates = 0;
    for (int64_t c = 0; c < classes; c++) {
        if (mat_at(&r->target, row, c) != 0) {
            r->data->truth[row] = (int32_t)c;
            ones++;
        }
        if (mat_at(&r->partial, row, c) == 0) continue;
        r->data->candidates[row * classes + c] = 1;
        candidates++;
    }
    if (ones != 1)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: row %lld has %lld classes", r->target.name, (long long)row,
                        (long long)ones);
    if (candidates == 0)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: row %lld has no candidate", r->partial.name, (long long)row);
    return CRU_OK;
}

static cru_status store(const reading *r)
{
    int64_t rows = r->x.rows, classes = r->target.cols;
    cru_status status = generate_begin(r->data, CRU_ROWS, rows, classes, r->err);
    if (status != CRU_OK) return status;
    float *x = generate_dense(r->data, r->x.cols, r->err);
    r->data->candidates = cru_data_alloc(r->data, rows * classes, 1);
    if (!x || !r->data->candidates) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory", r->path);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < r->x.cols; j++) x[i * r->x.cols + j] = (float)mat_at(&r->x, i, j);
    for (int64_t i = 0; i < rows && status == CRU_OK; i++) status = store_row(r, i);
    generate_end(r->data);
    return status;
}

static cru_status load(const void *settings, const cru_source *source, cru_data *data, cru_error *err)
{
    (void)settings;
    reading r = {.data = data, .err = err};
    cru_status status = source_need(source, "rows", &r.path, err);
    if (status == CRU_OK) status = mat_open(r.path, &r.file, err);
    if (status != CRU_OK) return status;
    r.arena = cru_arena_create();
    status = r.arena ? read_tables(&r) : cru_fail(err, CRU_NO_MEMORY, "%s: no memory", r.path);
    if (status == CRU_OK) status = store(&r);
    mat_close(r.file);
    cru_arena_destroy(r.arena);
    return status;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET),
    .name = "mat-pll",
    .version = "1.0",
    .summary = "rows with candidate label sets in a MATLAB file",
    .vtable = &vtable,
};
