// SPDX-License-Identifier: Apache-2.0
#include "clean/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/task.h>

static cru_status no_memory(cru_error *err)
{
    return cru_fail(err, CRU_NO_MEMORY, "no memory to weigh the labels");
}

cru_status evidence_create(int64_t items, int32_t classes, evidence **out, cru_error *err)
{
    const size_t n = (size_t)items + 1, cells = n * (size_t)classes;
    evidence *e = calloc(1, sizeof *e);
    *out = e;
    if (!e) return no_memory(err);
    e->items = items;
    e->classes = classes;
    e->rate = e->low = e->high = NAN;
    e->given = malloc(n * sizeof *e->given);
    e->q = calloc(cells, sizeof *e->q);
    e->order = calloc(n, sizeof *e->order);
    e->suspicion = calloc(n, sizeof *e->suspicion);
    e->suggested = calloc(n, sizeof *e->suggested);
    e->against = calloc(n, sizeof *e->against);
    e->confident = calloc((size_t)classes * (size_t)classes, sizeof *e->confident);
    if (!e->given || !e->q || !e->order || !e->suspicion || !e->suggested || !e->against || !e->confident) {
        evidence_destroy(e);
        *out = NULL;
        return no_memory(err);
    }
    for (int64_t i = 0; i < items; i++) e->given[i] = CRU_UNLABELLED;
    return CRU_OK;
}

void evidence_destroy(evidence *e)
{
    if (!e) return;
    for (int32_t m = 0; m < e->method_count; m++) {
        free(e->methods[m].name);
        free(e->methods[m].sum);
        free(e->methods[m].judged);
    }
    free(e->methods);
    free(e->given);
    free(e->q);
    free(e->order);
    free(e->suspicion);
    free(e->suggested);
    free(e->against);
    free(e->confident);
    free(e);
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* The method of that name, made when it is new; NULL: no memory. */
static evidence_method *method_of(evidence *e, const char *name)
{
    for (int32_t m = 0; m < e->method_count; m++)
        if (strcmp(e->methods[m].name, name) == 0) return &e->methods[m];
    evidence_method *grown = realloc(e->methods, (size_t)(e->method_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    e->methods = grown;
    evidence_method *m = &grown[e->method_count++];
    *m = (evidence_method){.name = strdup(name),
                           .sum = calloc((size_t)e->items * (size_t)e->classes + 1, sizeof *m->sum),
                           .judged = calloc((size_t)e->items + 1, sizeof *m->judged)};
    return m->name && m->sum && m->judged ? m : NULL;
}

static bool is_number_below(double value, int64_t bound)
{
    return value >= 0 && value < (double)bound && value == floor(value);
}

static bool is_sound(const evidence *e, const evidence_part *part, int64_t k)
{
    const double *p = part->probability + k * e->classes;
    if (!is_number_below(part->item[k], e->items) || !is_number_below(part->given[k], e->classes)) return false;
    for (int32_t c = 0; c < e->classes; c++)
        if (!(p[c] >= 0 && p[c] <= 1 + 1e-6)) return false;
    return true;
}

cru_status evidence_add(evidence *e, const evidence_part *part, cru_error *err)
{
    evidence_method *m = method_of(e, part->method);
    if (!m) return no_memory(err);
    for (int64_t k = 0; k < part->count; k++) {
        if (!is_sound(e, part, k))
            return cru_fail(err, CRU_BAD_INPUT, "what %s says of item %g is no probability of a class of this data",
                            part->method, part->item[k]);
        const int64_t i = (int64_t)part->item[k];
        e->given[i] = (int32_t)part->given[k];
        m->judged[i]++;
        for (int32_t c = 0; c < e->classes; c++) m->sum[i * e->classes + c] += part->probability[k * e->classes + c];
    }
    return CRU_OK;
}

/* ---- temperature ----------------------------------------------------------------------------------------- */

static const double floor_of_p = 1e-12; /* what a method calls impossible may still be so */

/* to = p^b, normalised; p is positive. */
static void sharpen(const double *p, int32_t classes, double b, double *to)
{
    double most = -INFINITY, total = 0;
    for (int32_t c = 0; c < classes; c++) most = fmax(most, b * log(p[c]));
    for (int32_t c = 0; c < classes; c++) total += to[c] = exp(b * log(p[c]) - most);
    for (int32_t c = 0; c < classes; c++) to[c] /= total;
}

/* Minus the log-likelihood of the given labels. */
static double surprise(const evidence *e, const evidence_method *m, double b, double *row)
{
    double sum = 0;
    for (int64_t i = 0; i < e->items; i++) {
        if (!m->judged[i]) continue;
        sharpen(m->sum + i * e->classes, e->classes, b, row);
        sum -= log(fmax(row[e->given[i]], 1e-300));
    }
    return sum;
}

/* The surprise is convex in b: golden-section search over log b, to 1e-4. */
static double fit_power(const evidence *e, const evidence_method *m, double *row)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double a = log(0.05), d = log(20), b = d - ratio * (d - a), c = a + ratio * (d - a);
    double at_b = surprise(e, m, exp(b), row), at_c = surprise(e, m, exp(c), row);
    while (d - a > 1e-4) {
        if (at_b <= at_c) {
            d = c, c = b, at_c = at_b, b = d - ratio * (d - a);
            at_b = surprise(e, m, exp(b), row);
        } else {
            a = b, b = c, at_b = at_c, c = a + ratio * (d - a);
            at_c = surprise(e, m, exp(c), row);
        }
    }
    return exp((a + d) / 2);
}

static int32_t largest(const double *row, int32_t classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < classes; c++)
        if (row[c] > row[best]) best = c;
    return best;
}

static void temper(const evidence *e, evidence_method *m, double *row)
{
    int64_t seen = 0, agreed = 0;
    for (int64_t i = 0; i < e->items; i++)
        for (int32_t c = 0; m->judged[i] && c < e->classes; c++) {
            double *p = &m->sum[i * e->classes + c];
            *p = fmax(*p / m->judged[i], floor_of_p);
        }
    m->power = fit_power(e, m, row);
    for (int64_t i = 0; i < e->items; i++) {
        if (!m->judged[i]) continue;
        sharpen(m->sum + i * e->classes, e->classes, m->power, row);
        memcpy(m->sum + i * e->classes, row, (size_t)e->classes * sizeof *row);
        seen++;
        agreed += largest(row, e->classes) == e->given[i];
    }
    m->agrees = seen ? (double)agreed / (double)seen : NAN;
}

/* ---- consensus ------------------------------------------------------------------------------------------- */

static void average(evidence *e, int64_t i)
{
    int32_t voices = 0;
    double *q = e->q + i * e->classes;
    for (int32_t m = 0; m < e->method_count; m++) {
        const double *p = e->methods[m].sum + i * e->classes;
        if (!e->methods[m].judged[i]) continue;
        voices++;
        e->against[i] += largest(p, e->classes) != e->given[i];
        for (int32_t c = 0; c < e->classes; c++) q[c] += p[c];
    }
    if (!voices) return;
    for (int32_t c = 0; c < e->classes; c++) q[c] /= voices;
    e->suspicion[i] = 1 - q[e->given[i]];
    e->suggested[i] = largest(q, e->classes);
    e->order[e->count++] = (int32_t)i;
}

typedef struct ranked {
    double suspicion;
    int32_t item;
} ranked;

static int by_suspicion(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->suspicion != y->suspicion) return x->suspicion > y->suspicion ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static cru_status rank_items(evidence *e, cru_error *err)
{
    ranked *list = malloc(((size_t)e->count + 1) * sizeof *list);
    if (!list) return no_memory(err);
    for (int64_t k = 0; k < e->count; k++) list[k] = (ranked){e->suspicion[e->order[k]], e->order[k]};
    qsort(list, (size_t)e->count, sizeof *list, by_suspicion);
    for (int64_t k = 0; k < e->count; k++) e->order[k] = list[k].item;
    free(list);
    return CRU_OK;
}

/* ---- how many -------------------------------------------------------------------------------------------- */

/* Wilson's interval of a share of n. */
static void interval(double share, int64_t n, double *low, double *high)
{
    const double z = 1.959963984540054, zz = z * z, m = (double)n;
    const double middle = (share + zz / (2 * m)) / (1 + zz / m);
    const double half = z / (1 + zz / m) * sqrt(share * (1 - share) / m + zz / (4 * m * m));
    *low = fmax(0, middle - half);
    *high = fmin(1, middle + half);
}

/* t_c; of a class that no label names it is out of reach. And how many items are labelled c. */
static void thresholds(const evidence *e, double *t, int64_t *labelled)
{
    for (int64_t k = 0; k < e->count; k++) {
        const int32_t i = e->order[k], c = e->given[i];
        t[c] += e->q[(int64_t)i * e->classes + c];
        labelled[c]++;
    }
    for (int32_t c = 0; c < e->classes; c++) t[c] = labelled[c] ? t[c] / (double)labelled[c] : INFINITY;
}

static void count_confident(evidence *e, const double *t)
{
    for (int64_t k = 0; k < e->count; k++) {
        const int32_t i = e->order[k];
        const double *q = e->q + (int64_t)i * e->classes;
        int32_t best = -1;
        for (int32_t c = 0; c < e->classes; c++)
            if (q[c] >= t[c] && (best < 0 || q[c] > q[best])) best = c;
        if (best < 0) continue;
        e->confident[(int64_t)e->given[i] * e->classes + best]++;
        e->counted++;
    }
}

/* Methods that do no better than to name the largest class know nothing of labels that are not. */
static void compare_with_guess(evidence *e, const int64_t *labelled)
{
    int64_t most = 0;
    double low, high;
    for (int32_t c = 0; c < e->classes; c++) most = labelled[c] > most ? labelled[c] : most;
    e->guess = (double)most / (double)e->count;
    for (int32_t m = 0; m < e->method_count; m++) {
        int64_t seen = 0;
        for (int64_t i = 0; i < e->items; i++) seen += e->methods[m].judged[i] > 0;
        if (!seen) continue;
        interval(e->methods[m].agrees, seen, &low, &high);
        e->learned |= low > e->guess;
    }
}

static void estimate(evidence *e)
{
    int64_t other = e->counted;
    for (int32_t c = 0; c < e->classes; c++) other -= e->confident[(int64_t)c * e->classes + c];
    if (!e->counted || !e->learned) return;
    e->rate = (double)other / (double)e->count;
    interval(e->rate, e->count, &e->low, &e->high);
    e->wrong = other;
}

cru_status evidence_conclude(evidence *e, cru_error *err)
{
    double *row = calloc((size_t)e->classes + 1, sizeof *row);
    int64_t *labelled = calloc((size_t)e->classes + 1, sizeof *labelled);
    cru_status status = row && labelled ? CRU_OK : no_memory(err);
    for (int32_t m = 0; !status && m < e->method_count; m++) temper(e, &e->methods[m], row);
    for (int64_t i = 0; !status && i < e->items; i++) average(e, i);
    if (!status && e->count == 0) status = cru_fail(err, CRU_BAD_INPUT, "no method has judged a labelled item");
    if (!status) status = rank_items(e, err);
    if (!status) {
        memset(row, 0, (size_t)e->classes * sizeof *row);
        thresholds(e, row, labelled);
        count_confident(e, row);
        compare_with_guess(e, labelled);
        estimate(e);
    }
    free(row);
    free(labelled);
    return status;
}

evidence_verdict evidence_judge(const evidence *e)
{
    if (isnan(e->rate)) return EVIDENCE_UNKNOWN;
    return e->low <= EVIDENCE_LITTLE ? EVIDENCE_FEW : EVIDENCE_MANY;
}

evidence_quality evidence_check(const evidence *e, const int32_t *truth, int64_t first)
{
    evidence_quality out = {.average_precision = NAN, .precision = NAN};
    double sum = 0;
    int64_t found = 0, looked = 0;
    for (int64_t k = 0; k < e->count; k++) {
        const int32_t i = e->order[k];
        if (truth[i] == CRU_UNLABELLED) continue;
        out.known++;
        const bool wrong = truth[i] != e->given[i];
        out.wrong += wrong;
        if (wrong) sum += (double)out.wrong / (double)out.known;
        if (k >= first) continue;
        looked++;
        found += wrong;
    }
    if (out.wrong) out.average_precision = sum / (double)out.wrong;
    if (looked) out.precision = (double)found / (double)looked;
    return out;
}
