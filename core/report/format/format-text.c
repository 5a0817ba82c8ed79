// SPDX-License-Identifier: Apache-2.0
/* format-text.c: a table for a terminal or a log. */
#include <math.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/format/words.h"

/* Widths of the pieces of one column: "81.23 ± 0.45 (3)*". */
typedef struct column {
    int64_t value, spread, tail, total;
} column;

typedef struct layout {
    const table *t;
    const text_style *style;
    int64_t label;      /* width of the first column */
    column *columns;    /* one per column of the table */
    int64_t *summaries; /* widths of the columns behind them, with the space before each */
} layout;

static void pad(FILE *out, int64_t count)
{
    for (int64_t i = 0; i < count; i++) fputc(' ', out);
}

static void put_left(FILE *out, const char *text, int64_t width)
{
    escape_text(out, text);
    pad(out, width - escape_width(text));
}

static void put_right(FILE *out, const char *text, int64_t width)
{
    pad(out, width - escape_width(text));
    escape_text(out, text);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What follows the numbers: place, significance, number of runs, reference. */
static void tail_text(const layout *l, const table_cell *cell, const cell_words *words, char *text, size_t size)
{
    static const char *const places[] = {"", "¹", "²"}, *const signs[SIGNS] = {"*", "†", "‡", "⁺"};
    char marks[32];
    words_of_signs(words, signs, marks, sizeof marks);
    snprintf(text, size, "%s%s%s%s%s%s", l->style->colour ? "" : places[cell->place], marks, words->runs[0] ? " " : "",
             words->runs, words->reference[0] ? " | " : "", words->reference);
}

static column measure(const layout *l, int64_t col)
{
    const table *t = l->t;
    column c = {0};
    for (int64_t r = 0; r < table_lines(t); r++) {
        cell_words words;
        char tail[160];
        const table_cell *cell = table_at(t, r, col);
        words_of_cell(t, cell, &words);
        tail_text(l, cell, &words, tail, sizeof tail);
        c.value = larger(c.value, escape_width(words.value));
        c.spread = larger(c.spread, escape_width(words.spread));
        c.tail = larger(c.tail, escape_width(tail));
    }
    c.total = c.value + (c.spread ? 3 + c.spread : 0) + c.tail;
    for (int64_t k = 0; k < t->col_key_count; k++) c.total = larger(c.total, escape_width(t->cols[col].parts[k]));
    return c;
}

static int64_t summary_width(const table *t, const table_summary *s)
{
    int64_t width = escape_width(s->label);
    for (int64_t r = 0; r < table_lines(t); r++) {
        char text[32];
        words_of_summary(t, s, r, text, sizeof text);
        width = larger(width, escape_width(text));
    }
    return 4 + width;
}

static void put_cell(const layout *l, const table_cell *cell, const column *c, FILE *out)
{
    cell_words words;
    char tail[160];
    words_of_cell(l->t, cell, &words);
    tail_text(l, cell, &words, tail, sizeof tail);
    int64_t inner = c->value + (c->spread ? 3 + c->spread : 0) + c->tail;
    pad(out, c->total - inner + c->value - escape_width(words.value));
    bool styled = l->style->colour && cell->place > 0;
    if (styled) fputs(cell->place == 1 ? "\033[1m" : "\033[4m", out);
    fputs(words.value, out);
    if (words.spread[0]) {
        fputs(" ± ", out);
        put_right(out, words.spread, c->spread);
    }
    if (styled) fputs("\033[0m", out);
    if (!words.spread[0] && c->spread) pad(out, 3 + c->spread);
    put_left(out, tail, c->tail);
}

/* One line per key; a part that repeats the one to its left, with all parts above equal, is left blank. */
static void put_heads(const layout *l, int64_t from, int64_t to, FILE *out)
{
    const table *t = l->t;
    for (int64_t k = 0; k < t->col_key_count; k++) {
        bool last = k + 1 == t->col_key_count;
        put_left(out, last ? t->row_keys[0] : "", l->label);
        for (int64_t c = from; c < to; c++) {
            bool same = c > from && !last;
            for (int64_t i = 0; same && i <= k; i++) same = !strcmp(t->cols[c].parts[i], t->cols[c - 1].parts[i]);
            fputs("  ", out);
            put_right(out, same ? "" : t->cols[c].parts[k], l->columns[c].total);
        }
        for (int64_t i = 0; last && to == t->col_count && i < t->summary_count; i++)
            put_right(out, t->summaries[i].label, l->summaries[i]);
        fputc('\n', out);
    }
}

static void put_block(const layout *l, int64_t from, int64_t to, FILE *out)
{
    const table *t = l->t;
    int64_t summaries = to == t->col_count ? t->summary_count : 0, width = l->label;
    put_heads(l, from, to, out);
    for (int64_t i = 0; i < summaries; i++) width += l->summaries[i];
    for (int64_t c = from; c < to; c++) width += 2 + l->columns[c].total;
    for (int64_t i = 0; i < width; i++) fputs("─", out);
    fputc('\n', out);
    for (int64_t r = 0; r < table_lines(t); r++) {
        if (table_opens_group(t, r)) {
            escape_text(out, t->rows[r].group);
            fputc('\n', out);
        }
        put_left(out, t->rows[r].label, l->label);
        for (int64_t c = from; c < to; c++) {
            fputs("  ", out);
            put_cell(l, table_at(t, r, c), &l->columns[c], out);
        }
        for (int64_t i = 0; i < summaries; i++) {
            char text[32];
            words_of_summary(t, &t->summaries[i], r, text, sizeof text);
            put_right(out, text, l->summaries[i]);
        }
        fputc('\n', out);
    }
}

/* The end of the block that starts at column `from`: as many as fit, at least one. */
static int64_t block_end(const layout *l, int64_t from)
{
    int64_t width = l->label, to = from;
    for (int64_t i = 0; i < l->t->summary_count; i++) width += l->summaries[i];
    while (to < l->t->col_count) {
        width += 2 + l->columns[to].total;
        if (l->style->width > 0 && width > l->style->width && to > from) break;
        to++;
    }
    return to;
}

void format_text(const table *t, const text_style *style, FILE *out)
{
    char line[1000];
    words_of_caption(t, line, sizeof line);
    fputs(style->colour ? "\033[1m" : "", out);
    escape_text(out, t->experiment);
    fprintf(out, "%s: ", style->colour ? "\033[0m" : "");
    escape_text(out, line);
    fputs("\n\n", out);
    layout l = {.t = t, .style = style, .label = escape_width(t->row_keys[0])};
    cru_arena *arena = cru_arena_create();
    if (!arena) return;
    l.columns = cru_arena_alloc(arena, t->col_count, sizeof *l.columns);
    for (int64_t r = 0; r < table_lines(t); r++) l.label = larger(l.label, escape_width(t->rows[r].label));
    for (int64_t c = 0; c < t->col_count; c++) l.columns[c] = measure(&l, c);
    l.summaries = cru_arena_alloc(arena, t->summary_count, sizeof *l.summaries);
    for (int64_t i = 0; i < t->summary_count; i++) l.summaries[i] = summary_width(t, &t->summaries[i]);
    for (int64_t from = 0, to; from < t->col_count; from = to) {
        to = block_end(&l, from);
        if (from > 0) fputc('\n', out);
        put_block(&l, from, to, out);
    }
    words_of_legend(t, line, sizeof line);
    bool places = !style->colour && words_have_places(t);
    fprintf(out, "\n%s%s%s\n", places ? "¹ best, ² second best" : "", places && line[0] ? "; " : "", line);
    cru_arena_destroy(arena);
}
