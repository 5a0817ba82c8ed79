// SPDX-License-Identifier: Apache-2.0
/* Principal components: the leading singular vectors of the centred points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/embed.h>
#include <crucible/draft/linalg.h>
#include <crucible/embed.h>

#include "memory/heap.h"

static float *centred(const cru_dense *x)
{
    float *rows = heap_alloc(x->rows * x->cols, sizeof *rows);
    double *mean = heap_alloc(x->cols, sizeof *mean);
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->cols; j++) mean[j] += x->values[i * x->cols + j];
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->cols; j++)
            rows[i * x->cols + j] = (float)(x->values[i * x->cols + j] - mean[j] / (double)x->rows);
    free(mean);
    return rows;
}

/* Scores are u s; an axis is a column of v. */
static void write_scores(const cru_factors *f, int64_t found, cru_shape shape, int64_t k, float *out)
{
    for (int64_t c = 0; c < found; c++) {
        int64_t top = 0;
        for (int64_t j = 1; j < shape.cols; j++)
            if (fabsf(f->v[j * found + c]) > fabsf(f->v[top * found + c])) top = j;
        float scale = f->v[top * found + c] < 0 ? -f->s[c] : f->s[c];
        for (int64_t i = 0; i < shape.rows; i++) out[i * k + c] = scale * f->u[i * found + c];
    }
}

cru_status cru_pca(const cru_dense *x, int64_t k, cru_rng *rng, float *out, cru_error *err)
{
    int64_t n = x->rows, cols = x->cols, least = n < cols ? n : cols, found = k < least ? k : least;
    memset(out, 0, (size_t)(n * k) * sizeof *out);
    if (!found) return CRU_OK;
    float *rows = centred(x);
    cru_factors f = {heap_alloc(n * found, sizeof(float)), heap_alloc(found, sizeof(float)),
                     heap_alloc(cols * found, sizeof(float))};
    cru_features features = {.rows = n, .cols = cols, .dense = rows};
    cru_status status = cru_svd_truncated(&features, &(cru_svd_options){.k = found}, rng, &f, err);
    if (!status) write_scores(&f, found, (cru_shape){n, cols}, k, out);
    free(f.v);
    free(f.s);
    free(f.u);
    free(rows);
    return status;
}
