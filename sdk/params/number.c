// SPDX-License-Identifier: Apache-2.0
#include "params/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *c)
{
    while (is_digit(*c)) c++;
    return c;
}

static const char *skip_blanks(const char *c)
{
    while (*c == ' ' || *c == '\t') c++;
    return c;
}

static const char *skip_sign(const char *c)
{
    return *c == '+' || *c == '-' ? c + 1 : c;
}

static bool is_int(const char *text)
{
    const char *digits = skip_sign(skip_blanks(text));
    const char *end = skip_digits(digits);
    return end > digits && *skip_blanks(end) == 0;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit somewhere before the exponent */
static bool is_float(const char *text)
{
    const char *whole = skip_sign(skip_blanks(text));
    const char *c = skip_digits(whole);
    bool any = c > whole;
    if (*c == '.') {
        const char *fraction = c + 1;
        c = skip_digits(fraction);
        any = any || c > fraction;
    }
    if (!any) return false;
    if (*c == 'e' || *c == 'E') {
        const char *exponent = skip_sign(c + 1);
        c = skip_digits(exponent);
        if (c == exponent) return false;
    }
    return *skip_blanks(c) == 0;
}

/* The C library hands out its built-in "C" locale here: nothing is allocated and it cannot fail. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

number_fault number_read(const char *text, double *value)
{
    if (!is_float(text)) return NUMBER_MALFORMED;
    double parsed = strtod_l(text, NULL, c_locale());
    if (!isfinite(parsed)) return NUMBER_TOO_LARGE;
    *value = parsed;
    return NUMBER_FINE;
}

number_fault number_read_int(const char *text, int64_t *value)
{
    if (!is_int(text)) return NUMBER_MALFORMED;
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    if (errno == ERANGE) return NUMBER_TOO_LARGE;
    *value = parsed;
    return NUMBER_FINE;
}

const char *number_text(double value, char text[NUMBER_TEXT])
{
    locale_t c = c_locale(), before = uselocale(c);
    if (!isfinite(value)) {
        snprintf(text, NUMBER_TEXT, "%s", value < 0 ? "-inf" : value > 0 ? "inf" : "nan");
    } else if (value == rint(value) && fabs(value) < 1e15) {
        snprintf(text, NUMBER_TEXT, "%.0f", value);
    } else {
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
            if (strtod_l(text, NULL, c) == value) break;
        }
    }
    uselocale(before);
    return text;
}
