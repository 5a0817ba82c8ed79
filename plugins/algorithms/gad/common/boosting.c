// SPDX-License-Identifier: Apache-2.0
#include "boosting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xgboost/c_api.h>

const char *const boosting_booster_names[] = {"gbtree", "dart", NULL};

/* XGBoost's functions return 0, or -1 and leave a message. */
static bool worked(cru_ctx *ctx, int result)
{
    if (result) cru_ctx_fail(ctx, CRU_FAILED, "XGBoost: %s", XGBGetLastError());
    return result == 0;
}

static bool set(cru_ctx *ctx, boosting booster, const char *name, const char *value)
{
    return worked(ctx, XGBoosterSetParam(booster, name, value));
}

static bool set_number(cru_ctx *ctx, boosting booster, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return set(ctx, booster, name, text);
}

static bool set_up(cru_ctx *ctx, boosting booster, const boosting_settings *s, const boosting_table *table)
{
    const int32_t classes = table->samples->classes;
    return set(ctx, booster, "booster", boosting_booster_names[s->booster]) &&
           set(ctx, booster, "tree_method", table->tree_method) &&
           set(ctx, booster, "objective", classes == 2 ? "binary:logistic" : "multi:softprob") &&
           (classes == 2 || set_number(ctx, booster, "num_class", classes)) &&
           set_number(ctx, booster, "verbosity", 0) && set_number(ctx, booster, "nthread", cru_ctx_threads(ctx)) &&
           set_number(ctx, booster, "base_score", 0.5) && set_number(ctx, booster, "eta", s->eta) &&
           set_number(ctx, booster, "max_depth", (double)s->depth) && set_number(ctx, booster, "lambda", s->lambda) &&
           set_number(ctx, booster, "subsample", s->subsample);
}

static bool make_matrix(cru_ctx *ctx, const cru_dense *x, DMatrixHandle *matrix)
{
    return worked(ctx, XGDMatrixCreateFromMat_omp(x->values, (bst_ulong)x->rows, (bst_ulong)x->cols, NAN, matrix,
                                                  cru_ctx_threads(ctx)));
}

static bool add_targets(cru_ctx *ctx, const cru_samples *samples, DMatrixHandle matrix)
{
    const int64_t rows = samples->x.rows;
    float *labels = cru_ctx_alloc(ctx, rows, sizeof *labels);
    for (int64_t i = 0; i < rows; i++) labels[i] = (float)samples->labels[i];
    if (!worked(ctx, XGDMatrixSetFloatInfo(matrix, "label", labels, (bst_ulong)rows))) return false;
    return !samples->weights || worked(ctx, XGDMatrixSetFloatInfo(matrix, "weight", samples->weights, (bst_ulong)rows));
}

boosting boosting_grow(cru_ctx *ctx, const boosting_settings *s, const boosting_table *table)
{
    DMatrixHandle matrix = NULL;
    BoosterHandle booster = NULL;
    bool good = make_matrix(ctx, table->x, &matrix) && add_targets(ctx, table->samples, matrix) &&
                worked(ctx, XGBoosterCreate(&matrix, 1, &booster)) && set_up(ctx, booster, s, table);
    for (int64_t k = 0; good && k < s->rounds; k++) good = worked(ctx, XGBoosterUpdateOneIter(booster, (int)k, matrix));
    XGDMatrixFree(matrix);
    return booster;
}

void boosting_score(cru_ctx *ctx, boosting booster, const cru_dense *x, int32_t classes, float *scores)
{
    enum { MARGIN = 1 };
    DMatrixHandle matrix = NULL;
    bst_ulong count = 0;
    const float *margin = NULL;
    bool good =
        make_matrix(ctx, x, &matrix) && worked(ctx, XGBoosterPredict(booster, matrix, MARGIN, 0, 0, &count, &margin));
    if (good && classes > 2) memcpy(scores, margin, (size_t)(x->rows * classes) * sizeof *scores);
    for (int64_t i = 0; good && classes == 2 && i < x->rows; i++) scores[2 * i] = 0, scores[2 * i + 1] = margin[i];
    XGDMatrixFree(matrix);
}

void boosting_destroy(boosting booster)
{
    XGBoosterFree(booster);
}
