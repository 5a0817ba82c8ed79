// SPDX-License-Identifier: Apache-2.0
#include "gencat-model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measuring ------------------------------------------------------------------------------------------- */

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The share of each class among v's neighbours; zeros for an isolated node. */
static void neighbour_shares(const cru_data *base, int64_t v, double *share)
{
    const cru_csr *g = &base->graph;
    int64_t degree = g->offsets[v + 1] - g->offsets[v];
    memset(share, 0, (size_t)base->classes * sizeof *share);
    for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
        int32_t c = base->truth[g->ids[e]];
        if (c >= 0) share[c] += 1 / (double)degree;
    }
}

static void measure_classes(const cru_data *base, gencat_model *m, double *count, double *share)
{
    int64_t k = m->k;
    for (int64_t v = 0; v < m->n; v++)
        if (base->truth[v] >= 0) count[base->truth[v]]++;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t v = 0; v < m->n; v++) {
            int64_t a = base->truth[v];
            if (a < 0) continue;
            neighbour_shares(base, v, share);
            for (int64_t b = 0; b < k; b++) {
                double off = share[b] - m->mean[a * k + b];
                if (pass == 0)
                    m->deviation[a * k + b] += share[b] / count[a]; /* the mean, until the second pass */
                else
                    m->deviation[a * k + b] += off * off;
            }
        }
        if (pass == 0) {
            memcpy(m->mean, m->deviation, (size_t)(k * k) * sizeof *m->mean);
            memset(m->deviation, 0, (size_t)(k * k) * sizeof *m->deviation);
        }
    }
    double labelled = 0;
    for (int64_t a = 0; a < k; a++) labelled += count[a];
    for (int64_t a = 0; a < k; a++) {
        m->class_size[a] = labelled > 0 ? count[a] / labelled : 0;
        for (int64_t b = 0; b < k; b++) {
            double *deviation = &m->deviation[a * k + b];
            *deviation = count[a] > 1 ? sqrt(*deviation / (count[a] - 1)) : 0;
        }
    }
}

static void measure_attributes(const cru_data *base, gencat_model *m, const double *count)
{
    const cru_features *x = &base->x;
    for (int64_t v = 0; v < m->n; v++) {
        int64_t a = base->truth[v];
        if (a < 0) continue;
        int64_t start = x->dense ? 0 : x->sparse.offsets[v], end = x->dense ? m->d : x->sparse.offsets[v + 1];
        for (int64_t e = start; e < end; e++) {
            int64_t j = x->dense ? e : x->sparse.ids[e];
            double value = x->dense ? x->dense[v * m->d + e] : x->sparse.values ? x->sparse.values[e] : 1;
            m->attribute[j * m->k + a] += value / count[a];
        }
    }
}

cru_status gencat_measure(const cru_data *base, cru_data *data, gencat_model *m, cru_error *err)
{
    int64_t k = base->classes, n = base->nodes, d = base->x.cols;
    *m = (gencat_model){.k = k, .n = n, .d = d};
    m->mean = cru_data_alloc(data, k * k, sizeof *m->mean);
    m->deviation = cru_data_alloc(data, k * k, sizeof *m->deviation);
    m->class_size = cru_data_alloc(data, k, sizeof *m->class_size);
    m->attribute = cru_data_alloc(data, d * k, sizeof *m->attribute);
    m->degree = cru_data_alloc(data, n, sizeof *m->degree);
    double *count = cru_data_alloc(data, k, sizeof *count), *share = cru_data_alloc(data, k, sizeof *share);
    if (!m->mean || !m->deviation || !m->class_size || !m->attribute || !m->degree || !count || !share)
        return cru_fail(err, CRU_NO_MEMORY, "gencat: no memory to measure the base");
    measure_classes(base, m, count, share);
    measure_attributes(base, m, count);
    for (int64_t v = 0; v < n; v++) m->degree[v] = (double)(base->graph.offsets[v + 1] - base->graph.offsets[v]);
    qsort(m->degree, (size_t)n, sizeof *m->degree, descending);
    return CRU_OK;
}

/* ---- bending --------------------------------------------------------------------------------------------- */

static void adjust_row(gencat_model *m, int64_t a, double shift)
{
    int64_t k = m->k;
    double *mean = m->mean + a * k, *deviation = m->deviation + a * k, sum = 0, spread = 1.0 / (double)(k - 1);
    for (int64_t b = 0; b < k; b++) {
        mean[b] = fmax(b == a ? mean[b] - shift : mean[b] + shift * spread, 0);
        double before = b == a ? mean[b] + shift : mean[b] - 0.1 * spread; /* 0.1, not shift: as published */
        if (before != 0) deviation[b] *= mean[b] / before;
        sum += mean[b];
    }
    for (int64_t b = 0; b < k; b++) {
        if (sum > 0) mean[b] /= sum;
        deviation[b] = fmax(deviation[b], 0);
    }
}

void gencat_adjust(gencat_model *m, int64_t beta)
{
    if (beta == 0 || m->k < 2) return;
    for (int64_t a = 0; a < m->k; a++) adjust_row(m, a, 0.1 * (double)beta);
}

void gencat_reverse(const double *u, int64_t k, int64_t l, double *out)
{
    double sum = -u[l]; /* u[l] and not 1 - u[l]: as published */
    for (int64_t h = 0; h < k; h++) sum += 1 - u[h];
    double own = u[l];
    for (int64_t h = 0; h < k; h++) out[h] = h == l ? 1 - u[h] : (1 - u[h]) * own / sum;
}

void gencat_freeze(const double *u, int64_t k, double t, double *out)
{
    double sum = 0;
    for (int64_t h = 0; h < k; h++) {
        out[h] = pow(u[h], 1 / t);
        sum += out[h];
    }
    for (int64_t h = 0; h < k; h++) out[h] /= sum;
}

/* ---- fitting --------------------------------------------------------------------------------------------- */

typedef struct fitting {
    const gencat_model *m;
    const int32_t *label;
    const double *u;
    double *frozen, *turned, *total; /* k each: scratch */
} fitting;

static bool avoids_itself(const gencat_model *m, int64_t l)
{
    return m->mean[l * m->k + l] < 1 / (double)m->k;
}

/* How far the products of sharpened factors are from the wanted means of class l at temperature t. */
static double fit_loss(const fitting *f, int64_t l, double t)
{
    int64_t k = f->m->k, count = 0;
    memset(f->total, 0, (size_t)k * sizeof *f->total);
    for (int64_t i = 0; i < f->m->n; i++) {
        if (f->label[i] != l) continue;
        gencat_freeze(f->u + i * k, k, t, f->frozen);
        const double *tie = f->frozen;
        if (avoids_itself(f->m, l)) {
            gencat_reverse(f->frozen, k, l, f->turned);
            tie = f->turned;
        }
        for (int64_t h = 0; h < k; h++) f->total[h] += f->frozen[h] * tie[h];
        count++;
    }
    double loss = 0;
    for (int64_t h = 0; h < k && count > 0; h++) {
        double off = f->m->mean[l * k + h] - f->total[h] / (double)count;
        loss += off * off;
    }
    return loss;
}

static double best_temperature(const fitting *f, int64_t l)
{
    double best = 1, least = INFINITY;
    for (int step = 1; step < 100; step++) {
        double loss = fit_loss(f, l, 0.01 * step);
        if (loss < least) {
            least = loss;
            best = 0.01 * step;
        }
    }
    return best;
}

void gencat_fit(const gencat_model *m, const int32_t *label, double *u, double *tie)
{
    int64_t k = m->k;
    double *scratch = calloc(3 * (size_t)k, sizeof *scratch);
    if (!scratch) cru_panic(CRU_NO_MEMORY, "gencat: no memory for %lld classes", (long long)k);
    fitting f = {m, label, u, scratch, scratch + k, scratch + 2 * k};
    for (int64_t l = 0; l < k; l++) {
        double t = best_temperature(&f, l);
        for (int64_t i = 0; i < m->n; i++) {
            if (label[i] != l) continue;
            gencat_freeze(u + i * k, k, t, u + i * k);
            if (avoids_itself(m, l))
                gencat_reverse(u + i * k, k, l, tie + i * k);
            else
                memcpy(tie + i * k, u + i * k, (size_t)k * sizeof *tie);
        }
    }
    free(scratch);
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

void gencat_table(const gencat_model *m, const double *tie, int64_t a, int64_t cells, int32_t *table)
{
    double total = 0, step = 1 / (double)cells;
    for (int64_t i = 0; i < m->n; i++) total += tie[i * m->k + a];
    int64_t p = 0;
    double reached = m->n > 0 ? tie[a] / total : 1;
    for (int64_t cell = 0; cell < cells; cell++) {
        if (p < m->n - 1 && reached <= (double)cell * step) { /* at most one node further a cell */
            p++;
            reached += tie[p * m->k + a] / total;
        }
        table[cell] = (int32_t)p;
    }
}

/* || wanted - class_factor frozen ||^2 */
static double share_loss(const double *wanted, const double *class_factor, const double *frozen, int64_t k)
{
    double loss = 0;
    for (int64_t a = 0; a < k; a++) {
        double got = 0;
        for (int64_t b = 0; b < k; b++) got += class_factor[a * k + b] * frozen[b];
        loss += (wanted[a] - got) * (wanted[a] - got);
    }
    return loss;
}

void gencat_attributes(const gencat_model *m, const double *class_factor, double *share)
{
    enum { TEMPERATURES = 20 };
    int64_t k = m->k;
    double *scratch = calloc(2 * (size_t)k, sizeof *scratch), *wanted = scratch, *frozen = scratch + k;
    if (!scratch) cru_panic(CRU_NO_MEMORY, "gencat: no memory for %lld classes", (long long)k);
    for (int64_t j = 0; j < m->d; j++) {
        double sum = 0, least = INFINITY;
        for (int64_t a = 0; a < k; a++) sum += m->attribute[j * k + a];
        memset(share + j * k, 0, (size_t)k * sizeof *share);
        if (!(sum > 0)) continue;
        for (int64_t a = 0; a < k; a++) wanted[a] = m->attribute[j * k + a] / sum;
        int best = 0;
        for (int q = 0; q < TEMPERATURES; q++) {
            gencat_freeze(wanted, k, 0.1 + 0.05 * q, frozen);
            double loss = share_loss(wanted, class_factor, frozen, k);
            if (loss < least) {
                least = loss;
                best = q;
            }
        }
        /* The grid steps by 0.05, the temperature used by 0.1: as published. */
        gencat_freeze(wanted, k, 0.1 * (best + 1), share + j * k);
    }
    free(scratch);
}
