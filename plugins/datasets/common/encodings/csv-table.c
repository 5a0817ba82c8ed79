// SPDX-License-Identifier: Apache-2.0
#include "csv-table.h"

#include <stdlib.h>
#include <string.h>

#include "text-file.h"

static cru_status fail_at(const csv_table *t, int64_t line, const char *what, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %s", t->path, (long long)line, what);
}

static char find_delimiter(const char *line)
{
    for (const char *d = "\t,; "; *d; d++)
        if (strchr(line, *d)) return *d;
    return ',';
}

static cru_status add_field(csv_table *t, int64_t count, char *field, cru_error *err)
{
    int64_t index = t->rows * t->cols + count;
    if (index == t->room) {
        int64_t room = t->room > 0 ? 2 * t->room : 256;
        char **fields = realloc(t->field, (size_t)room * sizeof *fields);
        if (!fields) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the table", t->path);
        t->field = fields;
        t->room = room;
    }
    t->field[index] = field;
    return CRU_OK;
}

/* Takes the quotes off a field, which shrinks in place. Returns what follows the closing quote; NULL: there is none. */
static char *unquote(char *field)
{
    char *out = field;
    for (char *in = field + 1; *in; in++) {
        if (*in == '"' && *++in != '"') {
            *out = 0;
            return in;
        }
        *out++ = *in;
    }
    return NULL;
}

/* Cuts one line, which ends in a NUL, into fields: a row at the end of the table. */
static cru_status cut_line(csv_table *t, char *line, char delimiter, int64_t number, cru_error *err)
{
    int64_t count = 0;
    for (char *at = line; at;) {
        char *field = at, *stop;
        if (*field == '"') {
            stop = unquote(field);
            if (!stop) return fail_at(t, number, "a quoted field does not end on its line", err);
            if (*stop && *stop != delimiter) return fail_at(t, number, "text follows a closing quote", err);
        } else {
            stop = field + strcspn(field, (char[]){delimiter, 0});
        }
        at = *stop ? stop + 1 : NULL;
        *stop = 0;
        if (t->rows > 0 && count == t->cols) return fail_at(t, number, "more fields than in the first line", err);
        cru_status status = add_field(t, count++, field, err);
        if (status) return status;
    }
    if (t->rows == 0) t->cols = count;
    return count == t->cols ? CRU_OK : fail_at(t, number, "fewer fields than in the first line", err);
}

static cru_status note_row(csv_table *t, int64_t number, cru_error *err)
{
    if ((t->rows & (t->rows - 1)) == 0) { /* none or a power of two: the room is used up */
        int64_t *lines = realloc(t->line, (size_t)(t->rows > 0 ? 2 * t->rows : 1) * sizeof *lines);
        if (!lines) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the table", t->path);
        t->line = lines;
    }
    t->line[t->rows++] = number;
    return CRU_OK;
}

static cru_status cut_text(csv_table *t, size_t size, cru_error *err)
{
    char delimiter = 0, *end = t->text + size;
    int64_t number = 0;
    for (char *line = t->text, *next; line < end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        number++;
        if (memchr(line, 0, (size_t)(stop - line))) return fail_at(t, number, "a NUL byte in a text file", err);
        if (stop > line && stop[-1] == '\r') stop--;
        *stop = 0;
        if (!*line || *line == '#') continue;
        if (!delimiter) delimiter = find_delimiter(line);
        cru_status status = cut_line(t, line, delimiter, number, err);
        if (!status) status = note_row(t, number, err);
        if (status) return status;
    }
    return CRU_OK;
}

/* Cuts the text, which lies in the table's arena. */
static cru_status start(byte_string text, csv_table *t, cru_error *err)
{
    t->text = text.bytes;
    cru_status status = cut_text(t, text.size, err);
    if (status) csv_free(t);
    return status;
}

static cru_status begin(const char *path, csv_table *t, cru_error *err)
{
    *t = (csv_table){.path = path, .memory = cru_arena_create()};
    return t->memory ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the table", path);
}

cru_status csv_read(const char *path, csv_table *t, cru_error *err)
{
    byte_string text;
    cru_status status = begin(path, t, err);
    if (!status) status = text_file_read(t->memory, path, UNPACK_ALL, &text, err);
    if (!status) return start(text, t, err);
    csv_free(t);
    return status;
}

cru_status csv_parse(const char *text, size_t size, const char *path, csv_table *t, cru_error *err)
{
    cru_status status = begin(path, t, err);
    if (status) return status;
    byte_string copy = {cru_arena_try(t->memory, (int64_t)size + 1, 1), size};
    if (!copy.bytes) {
        csv_free(t);
        return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the table", path);
    }
    if (size > 0) memcpy(copy.bytes, text, size);
    return start(copy, t, err);
}

void csv_free(csv_table *t)
{
    cru_arena_destroy(t->memory);
    free(t->field);
    free(t->line);
    *t = (csv_table){0};
}

int64_t csv_column(const csv_table *t, const char *name)
{
    for (int64_t c = 0; t->rows > 0 && c < t->cols; c++)
        if (strcmp(csv_field(t, 0, c), name) == 0) return c;
    return -1;
}
