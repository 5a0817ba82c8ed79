// SPDX-License-Identifier: Apache-2.0
#include "gamer-table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv-table.h"
#include "decimal.h"
#include "names.h"

typedef struct reading {
    const csv_table *t;
    cru_arena *arena;
    gamer_table *out;
    cru_error *err;
} reading;

static cru_status fail(const reading *r, int64_t row, const char *what)
{
    return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: %s", r->t->path, (long long)r->t->line[row], what);
}

/* A number, or a date: its digits without the hyphens between them are one. */
static bool parse_cell(const char *text, double *value)
{
    char digits[64];
    size_t size = 0;
    if (strlen(text) >= sizeof digits) return false;
    for (const char *c = text; *c; c++)
        if (*c != '-' || c == text) digits[size++] = *c;
    digits[size] = 0;
    cursor at = {digits, digits + size, "", 1};
    return cursor_real(&at, value) && at.at == at.end;
}

/* Mean 0 and sample variance 1; a constant column becomes 0. */
static void standardise(const double *values, int64_t rows, int64_t step, float *out)
{
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < rows; i++) mean += values[i];
    mean /= (double)rows;
    for (int64_t i = 0; i < rows; i++) squares += (values[i] - mean) * (values[i] - mean);
    double deviation = rows > 1 ? sqrt(squares / (double)(rows - 1)) : 0;
    for (int64_t i = 0; i < rows; i++) out[i * step] = deviation > 0 ? (float)((values[i] - mean) / deviation) : 0;
}

/* Numbers in the order in which the names appear. */
static cru_status read_names(const reading *r, int64_t column, double *values)
{
    const int64_t rows = r->out->rows;
    name_ref *items = malloc((size_t)rows * sizeof *items);
    if (!items) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for names", r->t->path);
    for (int64_t i = 0; i < rows; i++) items[i] = (name_ref){csv_field(r->t, i + 1, column), i};
    names all = names_make(items, rows);
    int64_t *number = cru_arena_alloc(r->arena, all.count, sizeof *number), next = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t found = names_find(&all, csv_field(r->t, i + 1, column));
        if (all.items[found].place == i) number[found] = next++;
        values[i] = (double)number[found];
    }
    names_free(&all);
    return CRU_OK;
}

static cru_status read_column(const reading *r, int64_t column, double *values)
{
    if (strcmp(csv_field(r->t, 0, column), "language") == 0) return read_names(r, column, values);
    for (int64_t i = 0; i < r->out->rows; i++)
        if (!parse_cell(csv_field(r->t, i + 1, column), &values[i])) return fail(r, i + 1, "expected a number or date");
    return CRU_OK;
}

static cru_status read_labels(const reading *r, int64_t column, double *values)
{
    cru_status status = read_column(r, column, values);
    for (int64_t i = 0; i < r->out->rows && !status; i++) {
        if (values[i] != 0 && values[i] != 1) return fail(r, i + 1, "the class is neither 0 nor 1");
        r->out->labels[i] = (int32_t)values[i];
    }
    return status;
}

static cru_status read_all(const reading *r)
{
    gamer_table *out = r->out;
    int64_t id = csv_column(r->t, "numeric_id"), class = csv_column(r->t, "mature");
    out->rows = r->t->rows - 1;
    out->cols = r->t->cols - 2;
    if (id < 0 || class < 0 || out->rows < 1 || out->cols < 1)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: needs the columns numeric_id and mature, others, and rows",
                        r->t->path);
    double *values = cru_arena_alloc(r->arena, out->rows, sizeof *values);
    out->features = cru_arena_alloc(r->arena, out->rows * out->cols, sizeof *out->features);
    out->labels = cru_arena_alloc(r->arena, out->rows, sizeof *out->labels);
    cru_status status = read_labels(r, class, values);
    for (int64_t k = 0, next = 0; k < r->t->cols && !status; k++) {
        if (k == id || k == class) continue;
        status = read_column(r, k, values);
        if (!status) standardise(values, out->rows, out->cols, out->features + next++);
    }
    return status;
}

cru_status gamer_table_read(const char *path, cru_arena *arena, gamer_table *out, cru_error *err)
{
    csv_table t;
    cru_status status = csv_read(path, &t, err);
    if (status) return status;
    status = read_all(&(reading){&t, arena, out, err});
    csv_free(&t);
    return status;
}
