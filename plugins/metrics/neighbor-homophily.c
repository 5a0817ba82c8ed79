// SPDX-License-Identifier: Apache-2.0
/* neighbor-homophily: how mixed the neighbourhoods of a class are, weighted by class size.
 *
 *     A^k: one row a node of class k, the shares of the classes among its neighbours (0 when it has none)
 *     sigma: singular values of A^k, without zeros, scaled to sum 1
 *     H = sum_k n_k / N  (- sum sigma ln sigma / ln C)
 *
 * Low where the nodes of a class have one kind of neighbourhood; studies plot 1 - H (complement = true). The singular
 * values come from the C x C matrix of scalar products, so memory stays O(nodes x classes). Not defined for a single
 * class, or without a labelled node.
 *
 * Chen, Chen, Guo, Gao, Jin, Shang. Exploiting Neighbor Effect: Conv-Agnostic GNN Framework for Graphs with
 * Heterophily. TNNLS 2023. */
#include <math.h>
#include <stdlib.h>

#include <crucible/linalg.h>

#include "neighbours.h"

typedef struct settings {
    bool complement;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, complement, false, "1 - H, which is high where neighbourhoods tell the class"),
    CRU_END,
};

typedef struct mixture {
    int32_t classes;
    int64_t nodes;    /* with a label */
    int64_t *members; /* of each class */
    double *products; /* for each class the classes x classes matrix of scalar products of columns of A^k */
    double *values;   /* room for eigenvalues */
} mixture;

static void mixture_free(mixture *m)
{
    free(m->members);
    free(m->products);
    free(m->values);
}

/* Adds the node's row of shares to the products of its class. */
static void add_node(mixture *m, const int32_t *row, int32_t class)
{
    double *products = m->products + (int64_t) class * m->classes * m->classes;
    int64_t degree = 0;
    m->members[class]++;
    m->nodes++;
    for (int32_t c = 0; c < m->classes; c++) degree += row[c];
    for (int32_t a = 0; a < m->classes; a++) {
        if (row[a] == 0) continue;
        const double share = (double)row[a] / (double)degree / (double)degree;
        for (int32_t b = 0; b < m->classes; b++) products[a * m->classes + b] += share * (double)row[b];
    }
}

static cru_status mixture_take(mixture *m, const cru_data *data, cru_error *err)
{
    const size_t classes = (size_t)data->classes;
    int32_t *counts = neighbour_histograms(data, err);
    *m = (mixture){.classes = data->classes,
                   .members = calloc(classes, sizeof *m->members),
                   .products = calloc(classes * classes * classes, sizeof *m->products),
                   .values = malloc(classes * sizeof *m->values)};
    const bool enough = counts && m->members && m->products && m->values;
    for (int64_t v = 0; enough && v < data->nodes; v++)
        if (data->truth[v] != CRU_UNLABELLED) add_node(m, counts + v * data->classes, data->truth[v]);
    free(counts);
    if (!enough) return cru_fail(err, CRU_NO_MEMORY, "no memory for %d classes", data->classes);
    return CRU_OK;
}

/* - sum sigma ln sigma / ln C of one class; eigenvalues that are only rounding count as 0. */
static cru_status entropy_of(mixture *m, int32_t class, double *entropy, cru_error *err)
{
    const int64_t n = m->classes;
    cru_status status = cru_eigen_symmetric(m->products + (int64_t) class * n * n, n, m->values, err);
    double sum = 0, weighted = 0;
    if (status) return status;
    const double least = 1e-14 * m->values[n - 1];
    for (int64_t i = 0; i < n; i++) {
        if (m->values[i] <= least || m->values[i] <= 0) continue;
        const double sigma = sqrt(m->values[i]);
        sum += sigma;
        weighted += sigma * log(sigma);
    }
    *entropy = sum > 0 ? (log(sum) - weighted / sum) / log((double)n) : 0; /* of sigma / sum */
    return CRU_OK;
}

static cru_status score(const cru_judging *j, double *value)
{
    mixture m;
    double sum = 0;
    cru_status status = mixture_take(&m, j->data, j->err);
    for (int32_t c = 0; c < m.classes && m.classes > 1 && m.nodes && !status; c++) {
        double entropy;
        status = entropy_of(&m, c, &entropy, j->err);
        if (!status) sum += (double)m.members[c] / (double)m.nodes * entropy;
    }
    *value = m.classes < 2 || m.nodes == 0 ? NAN : ((const settings *)j->settings)->complement ? 1 - sum : sum;
    mixture_free(&m);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "neighbor-homophily",
    .version = "1.0",
    .summary = "how mixed the neighbourhoods of a class are (entropy; low is identifiable)",
    .citation = "Chen, Chen, Guo, Gao, Jin, Shang. Exploiting Neighbor Effect: Conv-Agnostic GNN Framework for Graphs "
                "with Heterophily. TNNLS 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
