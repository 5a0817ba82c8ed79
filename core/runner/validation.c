#include "runner/validation.h"

#include <math.h>
#include <stdlib.h>

typedef struct scored {
    double score;
    bool positive;
} scored;

static const float *row_of(const validation *v, int64_t i)
{
    return v->scores + (int64_t)v->ids.ids[i] * v->classes;
}

static int32_t highest(const float *row, int32_t classes)
{
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

static double log_sum_exp(const float *row, int32_t classes)
{
    double top = row[highest(row, classes)], sum = 0;
    for (int32_t k = 0; k < classes; k++) sum += exp(row[k] - top);
    return top + log(sum);
}

double validation_accuracy(const validation *v)
{
    int64_t right = 0, seen = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        seen++;
        right += highest(row_of(v, i), v->classes) == label;
    }
    return seen ? (double)right / (double)seen : NAN;
}

double validation_loss(const validation *v)
{
    double sum = 0;
    int64_t seen = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        const float *row = row_of(v, i);
        seen++;
        sum += log_sum_exp(row, v->classes) - row[label];
    }
    return seen ? sum / (double)seen : NAN;
}

static int by_falling_score(const void *a, const void *b)
{
    double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x < y) - (x > y);
}

/* The labelled rows, highest score first. NULL when there are none, when a score is NaN, or when memory is short. */
static scored *ranking(const validation *v, int64_t *count, int64_t *positives)
{
    scored *list = malloc((size_t)(v->ids.count + 1) * sizeof *list);
    *count = *positives = 0;
    for (int64_t i = 0; list && i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        const float *row = row_of(v, i);
        double score = v->classes == 2 ? (double)row[1] - (double)row[0] : (double)row[1];
        if (isnan(score)) {
            free(list);
            return NULL;
        }
        list[(*count)++] = (scored){score, label == 1};
        *positives += label == 1;
    }
    if (list) qsort(list, (size_t)*count, sizeof *list, by_falling_score);
    return list;
}

/* Moves `i` past the group of equal scores that starts there; returns the positives in it. */
static int64_t tie_group(const scored *list, int64_t count, int64_t *i)
{
    int64_t first = *i, positives = 0;
    while (*i < count && list[*i].score == list[first].score) positives += list[(*i)++].positive;
    return positives;
}

double validation_auc(const validation *v)
{
    int64_t count, positives;
    if (v->classes < 2) return NAN;
    scored *list = ranking(v, &count, &positives);
    if (!list || positives == 0 || positives == count) {
        free(list);
        return NAN;
    }
    /* Every negative counts the positives above it, and half of those beside it. */
    double area = 0;
    int64_t above = 0;
    for (int64_t i = 0; i < count;) {
        int64_t first = i, hits = tie_group(list, count, &i);
        area += (double)(i - first - hits) * ((double)above + 0.5 * (double)hits);
        above += hits;
    }
    free(list);
    return area / ((double)positives * (double)(count - positives));
}

double validation_auprc(const validation *v)
{
    int64_t count, positives;
    if (v->classes < 2) return NAN;
    scored *list = ranking(v, &count, &positives);
    if (!list || positives == 0) {
        free(list);
        return NAN;
    }
    double sum = 0;
    int64_t found = 0;
    for (int64_t i = 0; i < count;) {
        int64_t hits = tie_group(list, count, &i);
        found += hits;
        sum += (double)hits / (double)positives * (double)found / (double)i;
    }
    free(list);
    return sum;
}

double validation_covering(const validation *v)
{
    if (!v->ids.count) return NAN;
    int64_t covered = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        const uint8_t *set = v->candidates + (int64_t)v->ids.ids[i] * v->classes;
        covered += set[highest(row_of(v, i), v->classes)] != 0;
    }
    return (double)covered / (double)v->ids.count;
}

double validation_approximated(const validation *v, bool paper)
{
    if (!v->ids.count) return NAN;
    double sum = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        const float *row = row_of(v, i);
        const uint8_t *set = v->candidates + (int64_t)v->ids.ids[i] * v->classes;
        int32_t choice = highest(row, v->classes);
        double normal = log_sum_exp(row, v->classes), mass = 0;
        for (int32_t k = 0; k < v->classes; k++)
            if (set[k]) mass += exp(row[k] - normal);
        double own = set[choice] ? exp(row[choice] - normal) : 0;
        if (paper)
            sum += mass > 0 ? own / mass : 0;
        else
            sum += 1 - (mass - own) / (mass + 1e-12);
    }
    return sum / (double)v->ids.count;
}

bool validation_finite(const float *scores, int64_t count)
{
    /* x - x is 0 for finite x and NaN otherwise; summing lets the compiler use vector registers. */
    float sum = 0;
    for (int64_t i = 0; i < count; i++) sum += scores[i] - scores[i];
    return sum == 0;
}
