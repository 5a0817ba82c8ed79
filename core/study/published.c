// SPDX-License-Identifier: Apache-2.0
#include "study/published.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "config/strings.h"
#include "config/values.h"

enum { FIELDS = 64, LINES_MOST = 1000000 };

int64_t published_column(const published *p, const char *name)
{
    for (int64_t i = 0; i < p->column_count; i++)
        if (strcmp(p->columns[i], name) == 0) return i;
    return -1;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

typedef struct reading {
    cru_arena *arena;
    published *p;
    int64_t space, std, mark; /* room for lines; columns */
    bool words;               /* what is no number in the column of the mean is none */
    bool plain;               /* no column of a mean is asked for */
} reading;

static const char **copy_fields(cru_arena *arena, const char **fields, int64_t count)
{
    const char **copy = cru_arena_alloc(arena, count, sizeof *copy);
    for (int64_t i = 0; i < count; i++) copy[i] = string_copy(arena, fields[i]);
    return copy;
}

static const char *take_header(reading *r, const char **fields, int64_t count)
{
    published *p = r->p;
    p->columns = copy_fields(r->arena, fields, count);
    p->column_count = count;
    for (int64_t i = 0; i < count; i++)
        if (published_column(p, p->columns[i]) != i) return "a column stands twice in the header";
    p->mean = published_column(p, "mean");
    r->words = p->mean < 0; /* tables of datasets have a column value, with numbers and words */
    if (r->words) p->mean = published_column(p, "value");
    r->std = published_column(p, "std");
    r->mark = published_column(p, "mark");
    return p->mean < 0 && !r->plain ? "the header names no column mean or value" : NULL;
}

static bool read_value(const char *text, double *value)
{
    *value = NAN;
    return !*text || (values_number(text, value) && isfinite(*value));
}

static published_line *new_line(reading *r)
{
    published *p = r->p;
    if (p->count == r->space) {
        r->space = r->space ? 2 * r->space : 64;
        published_line *grown = cru_arena_alloc(r->arena, r->space, sizeof *grown);
        if (p->count) memcpy(grown, p->lines, (size_t)p->count * sizeof *grown);
        p->lines = grown;
    }
    return &p->lines[p->count++];
}

static const char *take_line(reading *r, const char **fields, int64_t count, int64_t number)
{
    if (count != r->p->column_count) return "the line has another number of fields than the header";
    if (r->p->count == LINES_MOST) return "the file has too many lines";
    published_line *line = new_line(r);
    *line = (published_line){
        .fields = copy_fields(r->arena, fields, count), .number = number, .mark = "", .mean = NAN, .std = NAN};
    if (r->plain) return NULL;
    if (r->mark >= 0) line->mark = line->fields[r->mark];
    if (!read_value(fields[r->p->mean], &line->mean)) {
        if (!r->words) return "the mean is not a number";
        line->mean = NAN;
    }
    if (r->std >= 0 && !read_value(fields[r->std], &line->std)) return "the std is not a number";
    line->open = !r->words && isnan(line->mean) && !*line->mark;
    return r->std >= 0 && line->std < 0 ? "the std is negative" : NULL;
}

static cru_status take_file(reading *r, FILE *file, cru_error *err)
{
    char *line = NULL;
    const char *fields[FIELDS];
    size_t size = 0;
    ssize_t length;
    cru_status status = CRU_OK;
    for (int64_t number = 1; !status && (length = getline(&line, &size, file)) >= 0; number++) {
        bool text = !memchr(line, '\0', (size_t)length) && string_is_utf8(line, (size_t)length);
        if (text && (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#')) continue;
        int64_t count = text ? csv_split(line, fields, FIELDS) : 0;
        const char *fault = !text                 ? "the line is not UTF-8 text"
                            : count < 0           ? "more than 64 fields"
                            : !r->p->column_count ? take_header(r, fields, count)
                                                  : take_line(r, fields, count, number);
        if (fault) status = cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %s", r->p->path, (long long)number, fault);
    }
    if (!status && ferror(file)) status = cru_fail(err, CRU_IO, "%s: %s", r->p->path, strerror(errno));
    if (!status && !r->p->column_count) status = cru_fail(err, CRU_BAD_INPUT, "%s: the file is empty", r->p->path);
    free(line);
    return status;
}

static cru_status read_file(reading *r, const char *path, cru_error *err)
{
    *r->p = (published){.path = string_copy(r->arena, path)};
    FILE *file = fopen(path, "r");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = take_file(r, file, err);
    fclose(file);
    return status;
}

cru_status published_read(cru_arena *arena, const char *path, published *out, cru_error *err)
{
    return read_file(&(reading){.arena = arena, .p = out}, path, err);
}

cru_status published_read_words(cru_arena *arena, const char *path, published *out, cru_error *err)
{
    return read_file(&(reading){.arena = arena, .p = out, .plain = true}, path, err);
}

/* ---- filtering ------------------------------------------------------------------------------------------- */

typedef struct condition {
    int64_t column;
    bool negated;
    const char *value;
} condition;

static cru_status read_condition(cru_arena *arena, const published *p, const char *text, condition *c, cru_error *err)
{
    const char *sign = strchr(text, '=');
    c->value = text;
    if (!sign && c->column < 0)
        return cru_fail(err, CRU_BAD_INPUT, "'%s' is not a condition; write column=value or column=a,b", text);
    if (!sign) return CRU_OK;
    size_t length = (size_t)(sign - text);
    c->negated = length > 0 && text[length - 1] == '!';
    length -= c->negated;
    while (length > 0 && strchr(" \t", text[length - 1])) length--;
    const char *name = string_copy_bytes(arena, text, length);
    c->value = sign + 1 + strspn(sign + 1, " \t");
    c->column = published_column(p, name);
    if (c->column >= 0) return CRU_OK;
    const char *near = cru_nearest(name, p->columns, (size_t)p->column_count);
    return cru_fail(err, CRU_BAD_INPUT, "%s has no column '%s'%s%s%s", p->path, name, near ? "; did you mean " : "",
                    near ? near : "", near ? "?" : "");
}

cru_status published_filter(cru_arena *arena, published *p, const char *where, cru_error *err)
{
    value_list pieces;
    cru_status status = *where ? values_split(arena, where, ',', &pieces, err) : CRU_OK;
    if (status || !*where) return status;
    condition c = {.column = -1};
    for (int64_t i = 0; i < pieces.count;) {
        bool *keep = cru_arena_alloc_zeroed(arena, p->count, sizeof *keep);
        do { /* a piece without a column is another value of the one before it */
            status = read_condition(arena, p, pieces.items[i], &c, err);
            if (status) return status;
            for (int64_t k = 0; k < p->count; k++) keep[k] |= strcmp(p->lines[k].fields[c.column], c.value) == 0;
        } while (++i < pieces.count && !strchr(pieces.items[i], '='));
        int64_t count = 0;
        for (int64_t k = 0; k < p->count; k++)
            if (keep[k] != c.negated) p->lines[count++] = p->lines[k];
        p->count = count;
    }
    return p->count ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "no line of %s fits '%s'", p->path, where);
}

/* ---- open cells ------------------------------------------------------------------------------------------ */

/* The lines of the column's first value once more, with another value. */
static void open_value(cru_arena *arena, published *p, int64_t column, const char *value)
{
    const char *first = p->lines[0].fields[column];
    int64_t count = p->count;
    published_line *lines = cru_arena_alloc(arena, 2 * count, sizeof *lines);
    memcpy(lines, p->lines, (size_t)count * sizeof *lines);
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(lines[i].fields[column], first) != 0) continue;
        const char **fields = cru_arena_alloc(arena, p->column_count, sizeof *fields);
        memcpy(fields, lines[i].fields, (size_t)p->column_count * sizeof *fields);
        fields[column] = value;
        lines[p->count++] = (published_line){
            .fields = fields, .number = lines[i].number, .mean = NAN, .std = NAN, .mark = "", .open = true};
    }
    p->lines = lines;
}

cru_status published_open(cru_arena *arena, published *p, const char *also, cru_error *err)
{
    value_list pieces = {0}, values;
    if (*also && !p->count) return cru_fail(err, CRU_BAD_INPUT, "%s has no line that open cells could repeat", p->path);
    cru_status status = *also ? values_split(arena, also, '|', &pieces, err) : CRU_OK;
    for (int64_t i = 0; !status && i < pieces.count; i++) {
        const char *colon = strchr(pieces.items[i], ':');
        const char *name = colon ? string_copy_bytes(arena, pieces.items[i], (size_t)(colon - pieces.items[i])) : "";
        int64_t column = published_column(p, name);
        if (column < 0)
            return cru_fail(err, CRU_BAD_INPUT, "'%s' is not of the form 'column: value, value' with a column of %s",
                            pieces.items[i], p->path);
        status = values_split(arena, colon + 1, ',', &values, err);
        for (int64_t k = 0; !status && k < values.count; k++) open_value(arena, p, column, values.items[k]);
    }
    return status;
}
