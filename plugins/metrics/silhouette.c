// SPDX-License-Identifier: Apache-2.0
/* silhouette: how well the learned representation of the judged items separates their true classes.
 *
 *     s_i = (b_i - a_i) / max(a_i, b_i)      a_i: mean distance to the others of its class
 *                                            b_i: mean distance to the nearest other class
 *
 * averaged over the items; 0 for the only item of a class. All distances are Euclidean and taken between all pairs, so
 * above `most` items a random sample of them stands for all. Not defined for one class, or without an embedding.
 *
 * With map = yes the items are laid out on a plane for `crucible plot map`, by t-SNE where the representation has more
 * than two dimensions (van der Maaten and Hinton, JMLR 2008). Reported are, for every item that is compared,
 *
 *     points (n x 2)      truth, predicted: classes
 *
 * Rousseeuw. Silhouettes: A Graphical Aid to the Interpretation and Validation of Cluster Analysis. JCAM 1987. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/embed.h>
#include <crucible/plugin.h>
#include <crucible/random.h>
#include <crucible/scoring.h>

typedef struct settings {
    int64_t most;
    bool map;
    double perplexity;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, most, 5000, 2, 100000, "items that are compared; more are sampled"),
    CRU_BOOL(settings, map, false, "report the items on a plane, for crucible plot map"),
    CRU_FLOAT(settings, perplexity, 30, 1, 1e4, "of its t-SNE"),
    CRU_END,
};

/* The items that are compared. */
typedef struct cloud {
    int64_t count, cols;
    int32_t classes;
    int32_t *ids;    /* count */
    float *rows;     /* count x cols */
    int32_t *labels; /* count */
    int64_t *members;
    double *sums; /* room for one number a class */
} cloud;

static void cloud_free(cloud *c)
{
    free(c->ids);
    free(c->rows);
    free(c->labels);
    free(c->members);
    free(c->sums);
}

/* Judged items whose truth is known, at most `most` of them, in `ids`. */
static int64_t choose(const cru_judging *j, int64_t most, int32_t *ids)
{
    int64_t count = 0;
    for (int64_t i = 0; i < j->items.count; i++)
        if (j->data->truth[j->items.ids[i]] != CRU_UNLABELLED) ids[count++] = j->items.ids[i];
    if (count <= most) return count;
    cru_rng rng = cru_rng_stream(j->data->seed, "silhouette", 0);
    cru_rng_shuffle(&rng, ids, count);
    return most;
}

static cru_status cloud_take(cloud *c, const cru_judging *j, int64_t most)
{
    const cru_data *data = j->data;
    *c = (cloud){.cols = j->embedding_cols, .classes = data->classes};
    c->ids = malloc((size_t)(j->items.count + 1) * sizeof *c->ids);
    if (c->ids) {
        c->count = choose(j, most, c->ids);
        c->rows = malloc((size_t)(c->count * c->cols + 1) * sizeof *c->rows);
        c->labels = malloc((size_t)(c->count + 1) * sizeof *c->labels);
        c->members = calloc((size_t)c->classes, sizeof *c->members);
        c->sums = malloc((size_t)c->classes * sizeof *c->sums);
    }
    if (!c->ids || !c->rows || !c->labels || !c->members || !c->sums)
        return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld embeddings", (long long)c->count);
    for (int64_t i = 0; i < c->count; i++) {
        memcpy(c->rows + i * c->cols, j->embedding + c->ids[i] * c->cols, (size_t)c->cols * sizeof *c->rows);
        c->labels[i] = data->truth[c->ids[i]];
        c->members[c->labels[i]]++;
    }
    return CRU_OK;
}

static double distance(const float *a, const float *b, int64_t cols)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < cols; k++) sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(sum);
}

static double silhouette_of(const cloud *c, int64_t i)
{
    const int32_t own = c->labels[i];
    double nearest = INFINITY;
    if (c->members[own] == 1) return 0;
    memset(c->sums, 0, (size_t)c->classes * sizeof *c->sums);
    for (int64_t k = 0; k < c->count; k++)
        c->sums[c->labels[k]] += distance(c->rows + i * c->cols, c->rows + k * c->cols, c->cols);
    for (int32_t other = 0; other < c->classes; other++)
        if (other != own && c->members[other]) nearest = fmin(nearest, c->sums[other] / (double)c->members[other]);
    const double within = c->sums[own] / (double)(c->members[own] - 1), larger = fmax(within, nearest);
    return larger > 0 ? (nearest - within) / larger : 0;
}

static double mean_silhouette(const cloud *c)
{
    double sum = 0;
    if (c->count == 0 || c->members[c->labels[0]] == c->count) return NAN; /* nothing, or one class */
    for (int64_t i = 0; i < c->count; i++) sum += silhouette_of(c, i);
    return sum / (double)c->count;
}

/* ---- the map --------------------------------------------------------------------------------------------------- */

enum { MAP_LEAST = 4 };

static cru_status lay_out(const cloud *c, const cru_judging *j, float *map)
{
    if (c->cols > 2) {
        const settings *s = j->settings;
        cru_rng rng = cru_rng_stream(j->data->seed, "silhouette", 1);
        return cru_tsne(&(cru_dense){c->count, c->cols, c->rows}, &(cru_tsne_options){.perplexity = s->perplexity},
                        &rng, map, j->err);
    }
    for (int64_t i = 0; i < 2 * c->count; i++) map[i] = i % 2 < c->cols ? c->rows[i / 2 * c->cols + i % 2] : 0;
    return CRU_OK;
}

static cru_status report_map(const cloud *c, const cru_judging *j)
{
    const int32_t classes = j->data->classes;
    if (c->count < MAP_LEAST) return CRU_OK;
    float *map = malloc((size_t)(2 * c->count) * sizeof *map);
    double *numbers = malloc((size_t)(4 * c->count) * sizeof *numbers);
    cru_status status = map && numbers ? lay_out(c, j, map)
                                       : cru_fail(j->err, CRU_NO_MEMORY, "no memory for %ld places", (long)c->count);
    if (!status) {
        double *truth = numbers + 2 * c->count, *predicted = truth + c->count;
        for (int64_t i = 0; i < 2 * c->count; i++) numbers[i] = (double)map[i];
        for (int64_t i = 0; i < c->count; i++) {
            truth[i] = c->labels[i];
            predicted[i] = cru_best_class(j->scores + (int64_t)c->ids[i] * classes, classes);
        }
        cru_report_matrix(j->report, "points", numbers, c->count, 2);
        cru_report_vector(j->report, "truth", truth, c->count);
        cru_report_vector(j->report, "predicted", predicted, c->count);
    }
    free(map);
    free(numbers);
    return status;
}

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    cloud c;
    *value = NAN;
    if (!j->embedding) return CRU_OK;
    cru_status status = cloud_take(&c, j, s->most);
    if (!status) *value = mean_silhouette(&c);
    if (!status && s->map) status = report_map(&c, j);
    cloud_free(&c);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_EMBEDDING, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "silhouette",
    .version = "1.0",
    .summary = "how well the learned representation separates the true classes",
    .citation = "Rousseeuw. Silhouettes: A Graphical Aid to the Interpretation and Validation of Cluster Analysis. "
                "Journal of Computational and Applied Mathematics 1987.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
