// SPDX-License-Identifier: Apache-2.0
/* Lines are taken apart here rather than by inih: as Debian builds it, inih cuts lines at 200 bytes and names of sections
 * at 50, neither of which a user should ever have to know; and most of what a line means (numbers of lines, sections
 * without keys, continuation, every fault instead of the first) was ours already. */
#include "config/lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/status.h>

#include "config/strings.h"

typedef struct reading {
    const char *at, *end;
    int32_t line;
    char *key, *value; /* the pair that may go on in the next line; NULL: none */
    int32_t pair_line;
    const line_visitor *visitor;
} reading;

static void fault(reading *r, const char *subject, const char *message)
{
    r->visitor->fault(r->visitor->user, subject, message, r->line);
}

static void flush_pair(reading *r)
{
    if (r->key) r->visitor->pair(r->visitor->user, r->key, r->value, r->pair_line);
    free(r->key);
    free(r->value);
    r->key = r->value = NULL;
}

static bool continues(const reading *r)
{
    size_t length = r->value ? strlen(r->value) : 0;
    return length > 0 && (r->value[length - 1] == ',' || r->value[length - 1] == '|');
}

static bool is_space(char c)
{
    return isspace((unsigned char)c);
}

static char *copy(const char *text, size_t length)
{
    char *out = strndup(text, length);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a line");
    return out;
}

/* ---- what a line is -------------------------------------------------------------------------------------- */

static bool is_comment(char c)
{
    return c == ';' || c == '#';
}

/* Removes a comment, which begins the text or follows a space, and the space around what is left. Returns where that
 * begins. */
static char *trim(char *text)
{
    while (is_space(*text)) text++;
    for (char *c = text; *c; c++)
        if (is_comment(*c) && (c == text || is_space(c[-1]))) *c = '\0';
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1])) text[--length] = '\0';
    return text;
}

/* NULL when the header is whole and alone on its line, else what is wrong with it. */
static const char *header_fault(const char *text)
{
    const char *close = strchr(text, ']');
    if (!close) return "a section needs a closing ]";
    for (const char *c = text; c < close; c++)
        if (is_comment(*c)) return "a section's name cannot hold a comment";
    const char *rest = close + 1;
    while (is_space(*rest)) rest++;
    return *rest && !is_comment(*rest) ? "nothing may follow a section's ] but a comment" : NULL;
}

static void take_header(reading *r, char *text)
{
    const char *wrong = header_fault(text);
    if (wrong) {
        fault(r, text, wrong);
        r->visitor->section(r->visitor->user, NULL, r->line);
        return;
    }
    *strchr(text, ']') = '\0';
    r->visitor->section(r->visitor->user, trim(text + 1), r->line);
}

static void extend_value(reading *r, const char *more)
{
    size_t before = strlen(r->value);
    char *value = realloc(r->value, before + strlen(more) + 2);
    if (!value) cru_panic(CRU_NO_MEMORY, "no memory for a line");
    value[before] = ' ';
    strcpy(value + before + 1, more);
    r->value = value;
}

/* "key = value" or "key: value", without its comment. */
static void take_pair(reading *r, char *text)
{
    char *sign = strpbrk(text, "=:");
    if (!sign) {
        fault(r, NULL, "expected [section] or key = value");
        return;
    }
    *sign = '\0';
    const char *key = trim(text), *value = trim(sign + 1);
    if (!*key) {
        fault(r, value, "a value without a key");
        return;
    }
    r->key = copy(key, strlen(key));
    r->value = copy(value, strlen(value));
    r->pair_line = r->line;
}

/* `text` is the line without surrounding space; it may be changed. */
static void take_line(reading *r, char *text, bool indented)
{
    if (!*text || is_comment(*text)) return;
    if (indented && continues(r)) {
        extend_value(r, trim(text));
        return;
    }
    flush_pair(r);
    if (*text == '[')
        take_header(r, text);
    else
        take_pair(r, trim(text));
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* The next line of the text, without surrounding space. */
static const char *pull(reading *r, size_t *length, bool *indented)
{
    const char *start = r->at, *stop = memchr(start, '\n', (size_t)(r->end - start));
    r->at = stop ? stop + 1 : r->end;
    if (!stop) stop = r->end;
    r->line++;
    const char *first = start;
    while (first < stop && is_space(*first)) first++;
    while (stop > first && is_space(stop[-1])) stop--;
    *indented = first > start;
    *length = (size_t)(stop - first);
    return first;
}

static void read_line(reading *r)
{
    size_t length;
    bool indented;
    const char *text = pull(r, &length, &indented);
    if (memchr(text, '\0', length)) {
        fault(r, NULL, "the line holds a NUL byte");
    } else if (!string_is_utf8(text, length)) {
        fault(r, NULL, "the line is not UTF-8 text; save the file as UTF-8");
    } else {
        char *line = copy(text, length);
        take_line(r, line, indented);
        free(line);
    }
}

void lines_read(const char *text, size_t size, const line_visitor *visitor)
{
    static const char utf8_mark[3] = "\xEF\xBB\xBF";
    reading r = {.at = text, .end = text + size, .visitor = visitor};
    if (size >= sizeof utf8_mark && memcmp(text, utf8_mark, sizeof utf8_mark) == 0) r.at += sizeof utf8_mark;
    while (r.at < r.end) read_line(&r);
    flush_pair(&r);
}
