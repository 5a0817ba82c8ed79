// SPDX-License-Identifier: Apache-2.0
/* How gamma variables move with their shape, against quadrature of the density. */
#include <check.h>

#include "stats/gamma.c" /* hidden in the library */

enum { INTERVALS = 4000 };

/* Of y = ln x, where x is a gamma variable. */
static double density(double shape, double y)
{
    return exp(shape * y - exp(y) - lgamma(shape));
}

static double simpson(double shape, double from, double to)
{
    const double h = (to - from) / INTERVALS;
    double sum = density(shape, from) + density(shape, to);
    for (int i = 1; i < INTERVALS; i++) sum += (i % 2 ? 4 : 2) * density(shape, from + i * h);
    return sum * h / 3;
}

/* P(X > x) above the mean, where P(X < x) would lose digits; -P(X < x) below it. */
static double tail(double shape, double log_x)
{
    if (log_x > log(shape)) return simpson(shape, log_x, log(exp(log_x) + 60));
    return -simpson(shape, log_x - 40 / shape, log_x);
}

/* ln of the x whose tail is given; the tail falls with x on either side of the mean. */
static double log_quantile(double shape, double wanted, double low, double high)
{
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (tail(shape, middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ln x at constant probability, one step of the shape up and one down. */
static double slope_by_differences(double shape, double log_x)
{
    const double h = 1e-4 * shape, wanted = tail(shape, log_x), reach = 0.05 * (1 + fabs(log_x));
    const double up = log_quantile(shape + h, wanted, log_x - reach, log_x + reach);
    const double down = log_quantile(shape - h, wanted, log_x - reach, log_x + reach);
    return (up - down) / (2 * h);
}

static const double shapes[] = {0.01, 0.1, 0.7, 1, 2.5, 10};
static const double multiples[] = {0.2, 0.6, 1.3, 3}; /* of the mean */

START_TEST(slopes_are_those_of_constant_probability)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof multiples / sizeof *multiples; k++) {
            const double log_x = log(multiples[k] * shapes[i]), expected = slope_by_differences(shapes[i], log_x);
            ck_assert_double_eq_tol(gamma_slope(shapes[i], log_x), expected, 1e-3 * fabs(expected));
        }
}
END_TEST

/* P = g^a / Gamma(a + 1) for g -> 0, so ln g = (ln P + ln Gamma(a + 1)) / a */
START_TEST(slopes_of_vanishing_samples_need_only_their_logarithm)
{
    const double shape = 0.01, log_g = -5000;
    ck_assert_double_eq_tol(gamma_slope(shape, log_g), (gamma_digamma(1.01) - log_g) / shape, 1e-6);
}
END_TEST

START_TEST(slopes_far_above_the_mean_are_those_of_constant_probability)
{
    for (size_t i = 0; i < 4; i++) { /* both sides of where the series is given up */
        const double border = 16 + shapes[i] + 8 * sqrt(shapes[i]);
        for (int side = -1; side < 2; side += 2) {
            const double log_x = log(border + side), expected = slope_by_differences(shapes[i], log_x);
            ck_assert_double_eq_tol(gamma_slope(shapes[i], log_x), expected, 0.02 * fabs(expected));
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("gamma-slope");
    TCase *c = tcase_create("slopes");
    tcase_add_test(c, slopes_are_those_of_constant_probability);
    tcase_add_test(c, slopes_of_vanishing_samples_need_only_their_logarithm);
    tcase_add_test(c, slopes_far_above_the_mean_are_those_of_constant_probability);
    suite_add_tcase(s, c);
    return s;
}
