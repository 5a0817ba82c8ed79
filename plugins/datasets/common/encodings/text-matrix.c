// SPDX-License-Identifier: Apache-2.0
#include "text-matrix.h"

#include <omp.h>
#include <string.h>

#include "decimal.h"

static int64_t count_columns(cursor c)
{
    int64_t cols = 0;
    for (double value; cursor_more(&c) && c.line == 1 && cursor_real(&c, &value); cols++) cursor_skip(&c, ",");
    return cols;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == '\n';
}

/* "7" and "0.0", which are most of the numbers in the files that are large; others are left to cursor_real. */
static bool short_decimal(cursor *c, double *out)
{
    const char *at = c->at;
    if (!is_digit(at[0])) return false;
    if (is_separator(at[1])) {
        *out = at[0] - '0';
        c->at += 1;
        return true;
    }
    if (at[1] != '.' || !is_digit(at[2]) || !is_separator(at[3])) return false;
    *out = (10 * (at[0] - '0') + (at[2] - '0')) / 10.0;
    c->at += 3;
    return true;
}

/* One blank or comma between two numbers; whatever else there may be is left to cursor_skip. */
static void skip_separator(cursor *c)
{
    if ((*c->at == ' ' || *c->at == ',') && is_digit(c->at[1]))
        c->at++;
    else
        cursor_skip(c, ",");
}

static cru_status read_row(cursor *c, int64_t cols, float *row, cru_error *err)
{
    if (!cursor_more(c)) return cursor_fail(c, "a row is missing", err);
    for (int64_t j = 0; j < cols; j++, skip_separator(c)) {
        double value;
        if (!short_decimal(c, &value) && !cursor_real(c, &value)) return cursor_fail(c, "expected a number", err);
        row[j] = (float)value;
    }
    return cursor_at_line_end(c) ? CRU_OK : cursor_fail(c, "more numbers than in the first line", err);
}

/* A part of the text, whole lines, for one thread. */
typedef struct part {
    cursor c;
    int64_t lines, rows; /* rows: lines that are not blank */
    cru_error err;
} part;

/* Cuts the text at ends of lines into parts of about the same size; how many there are. */
static int cut(const cursor *text, int most, part *parts)
{
    const char *at = text->at;
    int count = 0;
    for (; count < most && at < text->end; count++) {
        const int64_t share = (text->end - at) / (most - count);
        const char *stop = memchr(at + share, '\n', (size_t)(text->end - at - share));
        const char *end = stop && count < most - 1 ? stop + 1 : text->end;
        parts[count] = (part){.c = {.at = at, .end = end, .path = text->path, .line = 1}};
        at = end;
    }
    return count;
}

static void count_rows(part *p)
{
    cursor c = p->c;
    for (; cursor_more(&c); cursor_next_line(&c)) p->rows++;
    p->lines = c.line - 1;
}

static void read_part(part *p, int64_t cols, float *numbers)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; i < p->rows && !status; i++) status = read_row(&p->c, cols, numbers + i * cols, &p->err);
}

/* Rows are counted first, so that every thread knows where its own go. */
static cru_status read_rows(const cursor *text, const text_matrix *shape, float *numbers, cru_error *err)
{
    enum { MOST = 64 };
    part parts[MOST];
    const int threads = omp_get_max_threads();
    const int count = cut(text, threads < MOST ? threads : MOST, parts);
    int64_t first[MOST + 1] = {0}, line = 1;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < count; i++) count_rows(&parts[i]);
    for (int i = 0; i < count; i++) {
        first[i + 1] = first[i] + parts[i].rows;
        parts[i].c.line = line;
        line += parts[i].lines;
    }
    if (first[count] != shape->rows)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld rows, expected %lld", text->path, (long long)first[count],
                        (long long)shape->rows);
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < count; i++) read_part(&parts[i], shape->cols, numbers + first[i] * shape->cols);
    for (int i = 0; i < count; i++)
        if (parts[i].err.status) return cru_fail(err, parts[i].err.status, "%s", parts[i].err.text);
    return CRU_OK;
}

cru_status text_matrix_read(cru_arena *arena, const char *path, int64_t rows, text_matrix *out, cru_error *err)
{
    blob file;
    cru_status status = blob_read(arena, path, &file, err);
    if (status) return status;
    const cursor c = {(const char *)file.bytes, (const char *)file.bytes + file.size, path, 1};
    int64_t cols = count_columns(c), cells;
    if (__builtin_mul_overflow(cols, rows, &cells) || cells > file.size)
        return cru_fail(err, CRU_BAD_INPUT, "%s: too short for %lld rows like its first", path, (long long)rows);
    float *numbers = cru_arena_alloc(arena, cells, sizeof *numbers);
    *out = (text_matrix){numbers, rows, cols};
    return read_rows(&c, out, numbers, err);
}
