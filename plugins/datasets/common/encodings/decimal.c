// SPDX-License-Identifier: Apache-2.0
#include "decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal whose digits fit 2^53 and whose power of ten is exact as a double: one rounding, hence the right one.
 * NULL when the number is not that simple. */
static const char *simple_decimal(const char *at, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    uint64_t digits = 0;
    int count = 0, places = 0;
    for (; is_digit(*at) && count < 17; at++, count++) digits = 10 * digits + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; is_digit(*at) && count < 17; at++, count++, places++) digits = 10 * digits + (uint64_t)(*at - '0');
    bool word = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
    if (count == 0 || is_digit(*at) || word || digits > (uint64_t)1 << 53) return NULL;
    double value = (double)digits / power[places];
    *out = negative ? -value : value;
    return at;
}

bool cursor_real(cursor *c, double *out)
{
    char first = *c->at;
    if (!is_digit(first) && first != '-' && first != '+' && first != '.') return false;
    const char *stop = simple_decimal(c->at, out);
    if (!stop) {
        char *end;
        *out = strtod(c->at, &end);
        stop = end;
    }
    if (stop == c->at || stop > c->end || !isfinite(*out)) return false;
    c->at = stop;
    return true;
}

bool cursor_whole(cursor *c, int64_t *out)
{
    const char *at = c->at;
    bool negative = *at == '-';
    if (negative) at++;
    int64_t number = 0;
    const char *first = at;
    for (; is_digit(*at); at++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *at - '0', &number))
            return false;
    if (at == first || at > c->end) return false;
    if (*at == '.') {
        at++;
        while (*at == '0') at++;
        if (is_digit(*at)) return false;
    }
    *out = negative ? -number : number;
    c->at = at;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A NUL follows the text, and it is no blank: no need to look for the end. */
void cursor_skip(cursor *c, const char *separators)
{
    while (is_blank(*c->at)) c->at++;
    for (; *separators; separators++) {
        if (*c->at != *separators) continue;
        c->at++;
        break;
    }
    while (is_blank(*c->at)) c->at++;
}

bool cursor_at_line_end(const cursor *c)
{
    return c->at >= c->end || *c->at == '\n';
}

bool cursor_next_line(cursor *c)
{
    const char *stop = c->at < c->end ? memchr(c->at, '\n', (size_t)(c->end - c->at)) : NULL;
    c->at = stop ? stop + 1 : c->end;
    if (stop) c->line++;
    return c->at < c->end;
}

bool cursor_more(cursor *c)
{
    while (c->at < c->end) {
        cursor_skip(c, "");
        if (!cursor_at_line_end(c)) return true;
        cursor_next_line(c);
    }
    return false;
}

cru_status cursor_fail(const cursor *c, const char *what, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %s", c->path, (long long)c->line, what);
}
