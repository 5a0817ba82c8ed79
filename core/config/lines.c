// SPDX-License-Identifier: Apache-2.0
#include "config/lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include <crucible/status.h>

#include "config/strings.h"

/* inih keeps a section's name in 50 bytes and cuts what is longer. */
enum { LONGEST_SECTION = 49 };

typedef enum line_kind { LINE_IDLE, LINE_SECTION, LINE_PAIR, LINE_CONTINUATION } line_kind;

/* inih pulls lines with next_line and pushes what it understood into take. `kind` tells take what next_line fed last;
 * if it is still set at the next pull, inih could make nothing of the line. */
typedef struct reading {
    const char *at, *end;
    int32_t line;
    line_kind kind;
    bool mark_section; /* the header was fed; inih stays silent about it until a key follows, so feed an empty one */
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

/* ---- feeding --------------------------------------------------------------------------------------------- */

static bool is_comment(char c)
{
    return c == ';' || c == '#';
}

/* The header is whole, short enough and alone on its line. `text` is a copy without its newline. */
static bool check_header(reading *r, const char *text)
{
    const char *close = strchr(text, ']');
    if (!close) {
        fault(r, text, "a section needs a closing ]");
        return false;
    }
    if (close - text - 1 > LONGEST_SECTION) {
        fault(r, text, "the section's name is longer than 49 bytes");
        return false;
    }
    if (memchr(text, ';', (size_t)(close - text)) || memchr(text, '#', (size_t)(close - text))) {
        fault(r, text, "a section's name cannot hold a comment");
        return false;
    }
    const char *rest = close + 1;
    while (isspace((unsigned char)*rest)) rest++;
    if (*rest && !is_comment(*rest)) {
        fault(r, text, "nothing may follow a section's ] but a comment");
        return false;
    }
    return true;
}

/* Decides what the trimmed line in `text` is. False: inih shall see an empty line instead. */
static bool classify(reading *r, const char *text, bool indented)
{
    if (!*text || is_comment(*text)) return false;
    if (indented && continues(r)) {
        r->kind = LINE_CONTINUATION;
        return true;
    }
    flush_pair(r);
    if (*text != '[') {
        r->kind = LINE_PAIR;
        return true;
    }
    r->mark_section = check_header(r, text);
    if (!r->mark_section) r->visitor->section(r->visitor->user, NULL, r->line);
    return r->mark_section;
}

/* The next line of the text, without surrounding space; its length may be larger than inih can take. */
static const char *pull(reading *r, size_t *length, bool *indented)
{
    const char *start = r->at, *stop = memchr(start, '\n', (size_t)(r->end - start));
    r->at = stop ? stop + 1 : r->end;
    if (!stop) stop = r->end;
    r->line++;
    const char *first = start;
    while (first < stop && isspace((unsigned char)*first)) first++;
    while (stop > first && isspace((unsigned char)stop[-1])) stop--;
    *indented = first > start;
    *length = (size_t)(stop - first);
    return first;
}

static char *next_line(char *buffer, int size, void *user)
{
    reading *r = user;
    if (r->kind == LINE_PAIR || r->kind == LINE_CONTINUATION) fault(r, NULL, "expected [section] or key = value");
    r->kind = LINE_IDLE;
    if (r->mark_section) {
        r->mark_section = false;
        r->kind = LINE_SECTION;
        return strcpy(buffer, "=\n");
    }
    if (r->at == r->end) return NULL;

    size_t length;
    bool indented, fed = false;
    const char *text = pull(r, &length, &indented);
    if (memchr(text, '\0', length)) {
        fault(r, NULL, "the line holds a NUL byte");
    } else if (!string_is_utf8(text, length)) {
        fault(r, NULL, "the line is not UTF-8 text; save the file as UTF-8");
    } else if (length > 0 && !is_comment(*text) && length + 3 > (size_t)size) {
        fault(r, NULL, "the line is longer than 197 bytes; end it with a comma and go on in an indented line");
    } else if (length > 0 && !is_comment(*text)) {
        memcpy(buffer + 1, text, length); /* inih takes a leading space for a continuation */
        buffer[length + 1] = '\0';
        fed = classify(r, buffer + 1, indented);
        buffer[0] = ' ';
        if (fed && r->kind != LINE_CONTINUATION) memmove(buffer, buffer + 1, length + 1);
    }
    if (!fed) buffer[0] = '\0';
    return strcat(buffer, "\n");
}

/* ---- taking ---------------------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    char *out = strdup(text);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a line");
    return out;
}

/* inih knows ; as an inline comment, we treat # alike. */
static void cut_comment(char *value)
{
    for (char *c = value; *c; c++) {
        if (*c == '#' && (c == value || isspace((unsigned char)c[-1]))) *c = '\0';
        if (!*c) break;
    }
    size_t length = strlen(value);
    while (length > 0 && isspace((unsigned char)value[length - 1])) value[--length] = '\0';
}

static void extend_value(reading *r, const char *more)
{
    size_t before = strlen(r->value);
    char *value = realloc(r->value, before + strlen(more) + 2);
    if (!value) cru_panic(CRU_NO_MEMORY, "no memory for a line");
    value[before] = ' ';
    strcpy(value + before + 1, more);
    cut_comment(value);
    r->value = value;
}

static void take_section(reading *r, const char *title)
{
    char *trimmed = copy(title + strspn(title, " \t"));
    cut_comment(trimmed);
    r->visitor->section(r->visitor->user, trimmed, r->line);
    free(trimmed);
}

static int take(void *user, const char *section, const char *key, const char *value)
{
    reading *r = user;
    line_kind kind = r->kind;
    r->kind = LINE_IDLE;
    if (kind == LINE_SECTION) {
        take_section(r, section);
    } else if (kind == LINE_CONTINUATION) {
        extend_value(r, value);
    } else if (!*key) {
        fault(r, value, "a value without a key");
    } else {
        r->key = copy(key);
        r->value = copy(value);
        cut_comment(r->value);
        r->pair_line = r->line;
    }
    return 1;
}

void lines_read(const char *text, size_t size, const line_visitor *visitor)
{
    static const char utf8_mark[3] = "\xEF\xBB\xBF";
    reading r = {.at = text, .end = text + size, .visitor = visitor};
    if (size >= sizeof utf8_mark && memcmp(text, utf8_mark, sizeof utf8_mark) == 0) r.at += sizeof utf8_mark;
    ini_parse_stream(next_line, &r, take, &r);
    flush_pair(&r);
}
