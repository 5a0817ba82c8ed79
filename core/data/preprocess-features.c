// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include <crucible/csr.h>

#include "data/preprocess.h"

/* ---- degrees as features --------------------------------------------------------------------------------- */

/* The code of every degree 0 .. most, and how many codes there are.
 *   exact:    the rank of d among the degrees that occur
 *   doubled:  how many of {2 d : d occurs} are below d; IGL-Bench counts an undirected edge twice when it collects the
 *             degrees and once when it looks them up, so that neighbouring degrees share a code
 *   constant: one code for all */
static int64_t degree_codes(const uint8_t *occurs, int64_t most, degree_rule rule, int32_t *code)
{
    int32_t below = 0;
    for (int64_t d = 0; d <= most; d++) {
        if (rule == DEGREE_CONSTANT) {
            code[d] = 0;
        } else if (rule == DEGREE_EXACT) {
            code[d] = below;
            below += occurs[d];
        } else {
            code[d] = below;
            below += d % 2 == 0 && occurs[d / 2];
        }
    }
    if (rule == DEGREE_CONSTANT) return 1;
    int64_t distinct = 0;
    for (int64_t d = 0; d <= most; d++) distinct += occurs[d];
    return rule == DEGREE_EXACT ? distinct : distinct + 1;
}

cru_status preprocess_degrees(cru_data *data, degree_rule rule, cru_error *err)
{
    if (rule == DEGREE_NONE) return CRU_OK;
    const cru_csr *g = &data->graph;
    int64_t most = 0;
    for (int64_t v = 0; v < g->rows; v++) {
        int64_t d = g->offsets[v + 1] - g->offsets[v];
        if (d > most) most = d;
    }
    uint8_t *occurs = cru_data_alloc(data, most + 1, 1);
    int32_t *code = cru_data_alloc(data, most + 1, sizeof *code);
    int64_t *offsets = cru_data_alloc(data, g->rows + 1, sizeof *offsets);
    int32_t *ids = cru_data_alloc(data, g->rows, sizeof *ids);
    if (!occurs || !code || !offsets || !ids) return cru_fail(err, CRU_NO_MEMORY, "no memory for degree features");
    for (int64_t v = 0; v < g->rows; v++) occurs[g->offsets[v + 1] - g->offsets[v]] = 1;
    int64_t width = degree_codes(occurs, most, rule, code);
    for (int64_t v = 0; v < g->rows; v++) {
        ids[v] = code[g->offsets[v + 1] - g->offsets[v]];
        offsets[v + 1] = v + 1;
    }
    data->x = (cru_features){.rows = g->rows, .cols = width};
    data->x.sparse = (cru_csr){.rows = g->rows, .cols = width, .offsets = offsets, .ids = ids};
    return CRU_OK;
}

/* ---- scaling --------------------------------------------------------------------------------------------- */

/* x_i <- x_i / (sum of x_i + epsilon), signed or of absolute values; a divisor of 0 leaves zeros. `in` NULL: all 1. */
static void scale_row(const float *in, float *out, int64_t count, const scaling *s)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++) {
        double x = in ? in[j] : 1;
        sum += s->rule == FEATURES_L1 ? fabs(x) : x;
    }
    double divisor = sum + s->epsilon;
    for (int64_t j = 0; j < count; j++) out[j] = divisor != 0 ? (float)((in ? in[j] : 1) / divisor) : 0;
}

/* Readers of word counts that keep only which words there are: x_ij <- 1 where it is positive. */
static void mark_row(const float *in, float *out, int64_t count)
{
    for (int64_t j = 0; j < count; j++) out[j] = !in || in[j] > 0 ? 1 : in[j];
}

static cru_status scale_rows(cru_data *data, const scaling *s, cru_error *err)
{
    cru_features *x = &data->x;
    int64_t cells = x->dense ? x->rows * x->cols : cru_csr_nnz(&x->sparse);
    float *out = cru_data_alloc(data, cells, sizeof *out);
    if (!out) return cru_fail(err, CRU_NO_MEMORY, "no memory for scaled features");
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t start = x->dense ? i * x->cols : x->sparse.offsets[i];
        int64_t count = x->dense ? x->cols : x->sparse.offsets[i + 1] - start;
        const float *in = x->dense ? x->dense + start : x->sparse.values ? x->sparse.values + start : NULL;
        if (s->rule == FEATURES_BINARY)
            mark_row(in, out + start, count);
        else
            scale_row(in, out + start, count, s);
    }
    if (x->dense)
        x->dense = out;
    else
        x->sparse.values = out;
    return CRU_OK;
}

/* A copy of the features as a dense matrix; NULL when it does not fit. */
static float *dense_copy(cru_data *data)
{
    const cru_features *x = &data->x;
    int64_t cells;
    if (__builtin_mul_overflow(x->rows, x->cols, &cells)) return NULL;
    float *out = cru_data_alloc(data, cells, sizeof *out);
    if (out && x->dense)
        memcpy(out, x->dense, (size_t)cells * sizeof *out);
    else if (out && x->sparse.offsets)
        cru_csr_to_dense(&x->sparse, out);
    return out;
}

/* What is taken off every column, and what it is then divided by. All passes go row by row. */
typedef struct columns {
    double *shift, *divisor;
} columns;

static columns standard_columns(cru_pool pool, const float *x, const cru_features *shape, const scaling *s)
{
    int64_t rows = shape->rows, cols = shape->cols;
    columns c = {cru_pool_alloc(pool, cols, sizeof(double)), cru_pool_alloc(pool, cols, sizeof(double))};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) c.shift[j] += x[i * cols + j];
    for (int64_t j = 0; j < cols; j++) c.shift[j] /= (double)rows;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            double off = x[i * cols + j] - c.shift[j];
            c.divisor[j] += off * off;
        }
    }
    double freedom = rows > s->ddof ? (double)(rows - s->ddof) : 1;
    for (int64_t j = 0; j < cols; j++) c.divisor[j] = sqrt(c.divisor[j] / freedom) + s->epsilon;
    return c;
}

static columns range_columns(cru_pool pool, const float *x, const cru_features *shape)
{
    int64_t rows = shape->rows, cols = shape->cols;
    columns c = {cru_pool_alloc(pool, cols, sizeof(double)), cru_pool_alloc(pool, cols, sizeof(double))};
    for (int64_t j = 0; j < cols; j++) c.shift[j] = c.divisor[j] = x[j]; /* lowest and highest so far */
    for (int64_t i = 1; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            c.shift[j] = fmin(c.shift[j], x[i * cols + j]);
            c.divisor[j] = fmax(c.divisor[j], x[i * cols + j]);
        }
    }
    for (int64_t j = 0; j < cols; j++) c.divisor[j] -= c.shift[j];
    return c;
}

static cru_status scale_columns(cru_data *data, const scaling *s, cru_error *err)
{
    int64_t rows = data->x.rows, cols = data->x.cols;
    float *x = dense_copy(data);
    if (!x) {
        return cru_fail(err, CRU_NO_MEMORY, "preprocess: no memory for %lld x %lld dense features", (long long)rows,
                        (long long)cols);
    }
    cru_pool pool = cru_data_pool(data);
    columns c =
        s->rule == FEATURES_STANDARDISE ? standard_columns(pool, x, &data->x, s) : range_columns(pool, x, &data->x);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            float *cell = &x[i * cols + j];
            *cell = c.divisor[j] != 0 ? (float)((*cell - c.shift[j]) / c.divisor[j]) : 0;
        }
    }
    data->x.dense = x;
    data->x.sparse = (cru_csr){0};
    return CRU_OK;
}

cru_status preprocess_scale(cru_data *data, const scaling *s, cru_error *err)
{
    if (data->x.cols == 0 || data->x.rows == 0) return CRU_OK;
    switch (s->rule) {
    case FEATURES_ROW_SUM:
    case FEATURES_L1:
    case FEATURES_BINARY:
        return scale_rows(data, s, err);
    case FEATURES_STANDARDISE:
    case FEATURES_MIN_MAX:
        return scale_columns(data, s, err);
    case FEATURES_NONE:
        break;
    }
    return CRU_OK;
}
