// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include <crucible/scoring.h>

/* What one item earns. */
typedef double credit(const float *row, const uint8_t *set, int32_t classes);

static double mean_credit(const cru_covered *c, credit *earn)
{
    double sum = 0;
    int64_t seen = 0;
    for (int64_t i = 0; i < c->items.count; i++) {
        const int64_t at = (int64_t)c->items.ids[i] * c->classes;
        if (!memchr(c->candidates + at, 1, (size_t)c->classes)) continue;
        sum += earn(c->scores + at, c->candidates + at, c->classes);
        seen++;
    }
    return seen ? sum / (double)seen : NAN;
}

static double covered(const float *row, const uint8_t *set, int32_t classes)
{
    return set[cru_best_class(row, classes)];
}

double cru_covering_rate(const cru_covered *c)
{
    return mean_credit(c, covered);
}

typedef struct candidate_mass {
    double all, own; /* probability of the candidates; of the guess, when it is one */
} candidate_mass;

static candidate_mass mass_of(const float *row, const uint8_t *set, int32_t classes)
{
    const int32_t guess = cru_best_class(row, classes);
    const double log_sum = cru_log_sum_exp(row, classes);
    candidate_mass m = {0};
    for (int32_t k = 0; k < classes; k++)
        if (set[k]) m.all += exp((double)row[k] - log_sum);
    if (set[guess]) m.own = exp((double)row[guess] - log_sum);
    return m;
}

static double credit_of_code(const float *row, const uint8_t *set, int32_t classes)
{
    const candidate_mass m = mass_of(row, set, classes);
    return 1 - (m.all - m.own) / (m.all + 1e-12);
}

static double credit_of_paper(const float *row, const uint8_t *set, int32_t classes)
{
    const candidate_mass m = mass_of(row, set, classes);
    return m.all == 0 ? 0 : m.own / m.all; /* NaN stays NaN */
}

double cru_approximated_accuracy(const cru_covered *c, bool paper)
{
    return mean_credit(c, paper ? credit_of_paper : credit_of_code);
}
