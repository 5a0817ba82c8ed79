// SPDX-License-Identifier: Apache-2.0
#include "report/format/escape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

typedef struct substitute {
    char from;
    const char *to;
} substitute;

static void put_with(FILE *out, const char *text, const substitute *table, size_t count)
{
    for (size_t length; *text; text += length) {
        const char *to = NULL;
        bool control = false;
        for (size_t i = 0; i < count && !to; i++) {
            if (table[i].from == *text) to = table[i].to;
        }
        length = printable_step(text, strnlen(text, 4), false, &control);
        if (to) {
            fputs(to, out);
        } else {
            fwrite(control ? " " : text, 1, control ? 1 : length, out);
        }
    }
}

void escape_text(FILE *out, const char *text)
{
    put_with(out, text, NULL, 0);
}

void escape_markdown(FILE *out, const char *text)
{
    static const substitute table[] = {{'\\', "\\\\"}, {'|', "\\|"}, {'*', "\\*"},  {'_', "\\_"},  {'`', "\\`"},
                                       {'[', "\\["},   {']', "\\]"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}};
    put_with(out, text, table, sizeof table / sizeof *table);
}

void escape_latex(FILE *out, const char *text)
{
    static const substitute table[] = {{'\\', "\\textbackslash{}"},
                                       {'{', "\\{"},
                                       {'}', "\\}"},
                                       {'$', "\\$"},
                                       {'&', "\\&"},
                                       {'#', "\\#"},
                                       {'_', "\\_"},
                                       {'%', "\\%"},
                                       {'~', "\\textasciitilde{}"},
                                       {'^', "\\textasciicircum{}"},
                                       {'<', "\\textless{}"},
                                       {'>', "\\textgreater{}"},
                                       {'"', "\\textquotedbl{}"},
                                       {'|', "\\textbar{}"}};
    put_with(out, text, table, sizeof table / sizeof *table);
}

void escape_html(FILE *out, const char *text)
{
    static const substitute table[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    put_with(out, text, table, sizeof table / sizeof *table);
}

/* A spreadsheet takes a cell that begins so for a formula, and runs it; numbers may begin so. */
static bool looks_like_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text)) return false;
    strtod(text, &end);
    return end == text || *end;
}

void escape_csv(FILE *out, const char *text)
{
    const char *guard = looks_like_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(guard, out);
        escape_text(out, text);
        return;
    }
    static const substitute table[] = {{'"', "\"\""}};
    fprintf(out, "\"%s", guard);
    put_with(out, text, table, 1);
    fputc('"', out);
}

/* ---- width ----------------------------------------------------------------------------------------------- */

static uint32_t next_code(const unsigned char **text)
{
    const unsigned char *p = *text;
    int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t code = more == 3 ? *p & 7u : more == 2 ? *p & 15u : more == 1 ? *p & 31u : *p;
    for (p++; more > 0 && (*p & 0xc0) == 0x80; more--) code = code << 6 | (*p++ & 63u);
    *text = p;
    return code;
}

static int width_of(uint32_t code)
{
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}};
    if (code >= 0x300 && code <= 0x36f) return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (code >= wide[i][0] && code <= wide[i][1]) return 2;
    }
    return 1;
}

int64_t escape_width(const char *text)
{
    int64_t width = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;) width += width_of(next_code(&p));
    return width;
}
