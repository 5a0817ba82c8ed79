// SPDX-License-Identifier: Apache-2.0
/* inih splits lines into sections, keys and values. As Debian builds it, it cuts lines at 200 bytes and names of
 * sections at 50, which no user should have to know: it is fed whole lines in pieces, a long value as one line and
 * indented ones below it, which it hands on as more of the same key. Comments are cut before, for they may stand across
 * pieces; a section's name is remembered here, for inih speaks of a section only when a key follows. */
#include "config/lines.h"

#include <ctype.h>
#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/status.h>

#include "base/printable.h"
#include "config/strings.h"

enum { LONGEST_KEY = 150 }; /* a piece must hold it */

/* Stands at the ends of a piece, so that inih sees no space or comment sign there. */
enum { GUARD = '\x1f' };

typedef struct reading {
    const char *at, *end;
    int32_t line;
    char *fed;         /* the line being fed, trimmed and without comment; NULL: none */
    const char *left;  /* what inih has not seen of it */
    bool more;         /* the next piece goes on with the last value */
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

static void extend_value(reading *r, const char *more, size_t length)
{
    const size_t before = strlen(r->value);
    char *value = realloc(r->value, before + length + 1);
    if (!value) cru_panic(CRU_NO_MEMORY, "no memory for a line");
    memcpy(value + before, more, length);
    value[before + length] = '\0';
    r->value = value;
}

/* ---- feeding --------------------------------------------------------------------------------------------- */

/* `text` is a line without surrounding space, which may be changed. True: inih shall see it from r->left on. */
static bool take_line(reading *r, char *text, bool indented)
{
    if (!*text || is_comment(*text)) return false;
    r->more = indented && continues(r);
    if (r->more) {
        extend_value(r, " ", 1);
        r->left = trim(text);
        return true;
    }
    flush_pair(r);
    if (*text == '[') {
        take_header(r, text);
        return false;
    }
    char *sign = strpbrk(trim(text), "=:");
    r->left = text;
    if (!sign) {
        fault(r, NULL, "expected [section] or key = value");
    } else if (sign == r->left) {
        fault(r, sign + 1 + strspn(sign + 1, " \t"), "a value without a key");
    } else if (sign - r->left > LONGEST_KEY) {
        fault(r, NULL, "a key of more than 150 bytes");
    } else {
        if (is_comment(sign[1])) sign[1] = '\0';
        return true;
    }
    return false;
}

/* The next piece of the line in at most `size` bytes with its NUL. */
static char *feed(reading *r, char *buffer, int size)
{
    const size_t most = (size_t)size - 5, length = strlen(r->left), piece = length < most ? length : most;
    char *out = buffer;
    if (r->more) {
        *out++ = ' ';
        *out++ = GUARD;
    }
    memcpy(out, r->left, piece);
    out += piece;
    *out++ = GUARD;
    *out = '\0';
    r->left += piece;
    return buffer;
}

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

static bool read_line(reading *r)
{
    size_t length;
    bool indented;
    const char *text = pull(r, &length, &indented);
    if (memchr(text, '\0', length)) {
        fault(r, NULL, "the line holds a NUL byte");
        return false;
    }
    if (!string_is_utf8(text, length)) {
        fault(r, NULL, "the line is not UTF-8 text; save the file as UTF-8");
        return false;
    }
    if (!printable_is(text, length, true)) {
        fault(r, NULL, "the line holds a control character");
        return false;
    }
    r->fed = copy(text, length);
    return take_line(r, r->fed, indented);
}

static char *next_piece(char *buffer, int size, void *user)
{
    reading *r = user;
    if (r->left && !*r->left) r->left = NULL;
    while (!r->left) {
        free(r->fed);
        r->fed = NULL;
        if (r->at == r->end) return NULL;
        if (!read_line(r)) r->left = NULL;
    }
    return feed(r, buffer, size);
}

/* ---- taking ---------------------------------------------------------------------------------------------- */

static int take(void *user, const char *section, const char *key, const char *value)
{
    reading *r = user;
    (void)section;
    const size_t length = strlen(value) - 1; /* without the guard at the end */
    if (r->more) {
        extend_value(r, value + 1, length - 1);
        return 1;
    }
    r->key = copy(key, strlen(key));
    r->value = copy(value, length);
    r->pair_line = r->line;
    r->more = true;
    return 1;
}

void lines_read(const char *text, size_t size, const line_visitor *visitor)
{
    static const char utf8_mark[3] = "\xEF\xBB\xBF";
    reading r = {.at = text, .end = text + size, .visitor = visitor};
    if (size >= sizeof utf8_mark && memcmp(text, utf8_mark, sizeof utf8_mark) == 0) r.at += sizeof utf8_mark;
    ini_parse_stream(next_piece, &r, take, &r);
    flush_pair(&r);
    free(r.fed);
}
