// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"
#include "config/strings.h"
#include "study/claims.h"

enum { DEPTH_MOST = 64, CONDITIONS_MOST = 16, LONGEST_TEXT = 4000, LARGEST_FILE = 4 << 20 };

/* ---- words ----------------------------------------------------------------------------------------------- */

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_BAD } token_kind;

typedef struct token {
    token_kind kind;
    const char *text; /* of a word; the sign itself; what is wrong */
    double number;
    int64_t column; /* from 1 */
} token;

typedef struct parser {
    cru_arena *arena;
    const char *start, *at;
    token now;
    int depth;
    const char *fault; /* the first one */
    int64_t fault_column;
} parser;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* - + / belong to a word only between letters and digits: "auu-legacy", "cr/resnet", but "a - b". */
static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]) || (n > 0 && at[n] && strchr("-+/", at[n]) && is_word(at[n + 1]) && is_word(at[n - 1]))) n++;
    return n;
}

static void fail(parser *p, const char *format, const char *what)
{
    if (p->fault) return;
    p->fault = string_format(p->arena, format, what);
    p->fault_column = p->now.column;
}

static token read_quoted(parser *p, token t)
{
    const char *end = strchr(p->at + 1, '"');
    if (!end) return (token){.kind = TOKEN_BAD, .text = "a quote that does not end", .column = t.column};
    t.kind = TOKEN_WORD;
    t.text = string_copy_bytes(p->arena, p->at + 1, (size_t)(end - p->at - 1));
    p->at = end + 1;
    return t;
}

static void next(parser *p)
{
    while (*p->at && strchr(" \t", *p->at)) p->at++;
    token t = {.column = p->at - p->start + 1};
    size_t length = word_length(p->at);
    if (!*p->at) {
        t.kind = TOKEN_END;
        t.text = "the end";
    } else if (*p->at == '"') {
        t = read_quoted(p, t);
    } else if (length) {
        t.text = string_copy_bytes(p->arena, p->at, length);
        t.kind = values_number(t.text, &t.number) && isfinite(t.number) ? TOKEN_NUMBER : TOKEN_WORD;
        p->at += length;
    } else {
        bool two = strchr("<>", *p->at) && p->at[1] == '=';
        t.kind = strchr("<>+-*/()[]=,;%", *p->at) ? TOKEN_SIGN : TOKEN_BAD;
        t.text =
            t.kind == TOKEN_BAD ? "a sign that has no meaning here" : string_copy_bytes(p->arena, p->at, two ? 2 : 1);
        p->at += two ? 2 : 1;
    }
    p->now = t;
    if (t.kind == TOKEN_BAD) fail(p, "%s", t.text);
}

static bool is_sign(const parser *p, const char *sign)
{
    return p->now.kind == TOKEN_SIGN && strcmp(p->now.text, sign) == 0;
}

static bool is_name(const parser *p, const char *name)
{
    return p->now.kind == TOKEN_WORD && strcmp(p->now.text, name) == 0;
}

static bool take_sign(parser *p, const char *sign)
{
    if (!is_sign(p, sign)) return false;
    next(p);
    return true;
}

static void expect_sign(parser *p, const char *sign)
{
    if (!take_sign(p, sign)) fail(p, "expected %s", sign);
}

/* A word or a number, as it is written. */
static const char *take_value(parser *p)
{
    const char *text = p->now.text;
    if (p->now.kind != TOKEN_WORD && p->now.kind != TOKEN_NUMBER) {
        fail(p, "expected a value, not %s", text);
        return "";
    }
    next(p);
    return text;
}

static const char *take_key(parser *p)
{
    const char *text = p->now.text;
    if (p->now.kind != TOKEN_WORD) {
        fail(p, "expected a key, not %s", text);
        return "";
    }
    next(p);
    return text;
}

/* ---- terms ----------------------------------------------------------------------------------------------- */

static claim_term *parse_sum(parser *p);

static claim_term *new_term(parser *p, claim_op op, claim_term *left, claim_term *right)
{
    claim_term *t = cru_arena_alloc_zeroed(p->arena, 1, sizeof *t);
    t->op = op;
    t->left = left;
    t->right = right;
    return t;
}

/* "= a", "in a b c" or "in all"; nothing, where that may be, is "in all". */
static claim_key parse_values(parser *p, const char *key, bool must)
{
    claim_key k = {.key = key};
    const char **values = cru_arena_alloc(p->arena, (int64_t)strlen(p->start) + 1, sizeof *values);
    k.values = values;
    if (take_sign(p, "=")) {
        values[k.count++] = take_value(p);
    } else if (is_name(p, "in")) {
        next(p);
        bool all = is_name(p, "all");
        do {
            values[k.count++] = take_value(p);
        } while (!p->fault && (p->now.kind == TOKEN_WORD || p->now.kind == TOKEN_NUMBER));
        if (all && k.count == 1) k.count = 0;
    } else if (must) {
        fail(p, "expected = or in, not %s", p->now.text);
    }
    return k;
}

static claim_term *parse_cell(parser *p, const char *metric)
{
    claim_term *t = new_term(p, CLAIM_CELL, NULL, NULL);
    t->metric = metric;
    t->conditions = cru_arena_alloc_zeroed(p->arena, CONDITIONS_MOST, sizeof *t->conditions);
    if (!take_sign(p, "[")) return t;
    do {
        if (t->condition_count == CONDITIONS_MOST) {
            fail(p, "%s", "too many conditions");
            break;
        }
        claim_key k = {.key = take_key(p), .count = 1};
        const char **value = cru_arena_alloc(p->arena, 1, sizeof *value);
        expect_sign(p, "=");
        *value = take_value(p);
        k.values = value;
        t->conditions[t->condition_count++] = k;
    } while (!p->fault && take_sign(p, ","));
    expect_sign(p, "]");
    return t;
}

static claim_term *parse_over(parser *p, claim_op op)
{
    expect_sign(p, "(");
    claim_term *t = new_term(p, op, parse_sum(p), NULL);
    if (!is_name(p, "over")) fail(p, "expected over, not %s", p->now.text);
    if (!p->fault) next(p);
    t->over = parse_values(p, take_key(p), false);
    expect_sign(p, ")");
    return t;
}

static claim_term *parse_factor(parser *p)
{
    static const char *const functions[] = {"mean", "min", "max"};
    if (p->now.kind == TOKEN_NUMBER) {
        claim_term *t = new_term(p, CLAIM_NUMBER, NULL, NULL);
        t->number = p->now.number;
        next(p);
        return t;
    }
    if (take_sign(p, "-")) {
        if (++p->depth > DEPTH_MOST) fail(p, "%s", "too deep");
        claim_term *t = new_term(p, CLAIM_NEGATE, p->fault ? NULL : parse_factor(p), NULL);
        p->depth--;
        return t;
    }
    if (take_sign(p, "(")) {
        claim_term *t = parse_sum(p);
        expect_sign(p, ")");
        return t;
    }
    const char *word = take_key(p);
    for (int i = 0; i < 3; i++)
        if (strcmp(word, functions[i]) == 0 && is_sign(p, "(")) return parse_over(p, (claim_op)(CLAIM_MEAN + i));
    return parse_cell(p, word);
}

static claim_term *parse_product(parser *p)
{
    claim_term *t = parse_factor(p);
    while (!p->fault && (is_sign(p, "*") || is_sign(p, "/"))) {
        claim_op op = is_sign(p, "*") ? CLAIM_MULTIPLY : CLAIM_DIVIDE;
        next(p);
        t = new_term(p, op, t, parse_factor(p));
    }
    return t;
}

static claim_term *parse_sum(parser *p)
{
    if (++p->depth > DEPTH_MOST) {
        fail(p, "%s", "too deep");
        p->depth--;
        return NULL;
    }
    claim_term *t = parse_product(p);
    while (!p->fault && (is_sign(p, "+") || is_sign(p, "-"))) {
        claim_op op = is_sign(p, "+") ? CLAIM_ADD : CLAIM_SUBTRACT;
        next(p);
        t = new_term(p, op, t, parse_product(p));
    }
    p->depth--;
    return t;
}

static claim_comparison *parse_comparison(parser *p)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    claim_comparison *c = cru_arena_alloc_zeroed(p->arena, 1, sizeof *c);
    c->left = parse_sum(p);
    int found = -1;
    for (int i = 0; i < 4; i++)
        if (is_sign(p, signs[i])) found = i;
    if (found < 0) fail(p, "expected <, <=, > or >=, not %s", p->now.text);
    if (p->fault) return c;
    c->relation = (claim_relation)found;
    next(p);
    c->right = parse_sum(p);
    return c;
}

static claim_comparison *parse_claim(parser *p)
{
    claim_comparison *first = parse_comparison(p), *last = first;
    while (!p->fault && is_name(p, "and")) {
        next(p);
        last = last->next = parse_comparison(p);
    }
    if (p->now.kind != TOKEN_END) fail(p, "expected and or the end, not %s", p->now.text);
    return first;
}

static void parse_bindings(parser *p, claim *c)
{
    c->bindings = cru_arena_alloc_zeroed(p->arena, CONDITIONS_MOST, sizeof *c->bindings);
    do {
        if (c->binding_count == CONDITIONS_MOST) fail(p, "%s", "too many keys");
        if (p->fault) return;
        c->bindings[c->binding_count++] = parse_values(p, take_key(p), true);
    } while (!p->fault && take_sign(p, ","));
    if (p->now.kind != TOKEN_END) fail(p, "expected a comma or the end, not %s", p->now.text);
}

/* "p < 0.05" */
static void parse_test(parser *p, claim *c)
{
    if (!is_name(p, "p")) fail(p, "expected p < NUMBER, not %s", p->now.text);
    if (!p->fault) next(p);
    expect_sign(p, "<");
    if (p->now.kind != TOKEN_NUMBER || !(p->now.number > 0 && p->now.number < 1))
        fail(p, "%s", "expected a number between 0 and 1");
    c->p = p->now.number;
    if (!p->fault) next(p);
    if (p->now.kind != TOKEN_END) fail(p, "expected the end, not %s", p->now.text);
}

/* "all" or "90%" */
static void parse_needs(parser *p, claim *c)
{
    if (is_name(p, "all")) {
        next(p);
    } else {
        c->share = p->now.number / 100;
        if (p->now.kind != TOKEN_NUMBER || !(c->share > 0 && c->share <= 1))
            fail(p, "%s", "expected all or a share as 90%");
        if (!p->fault) next(p);
        expect_sign(p, "%");
    }
    if (p->now.kind != TOKEN_END) fail(p, "expected the end, not %s", p->now.text);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

typedef struct reading {
    cru_arena *arena;
    const char *path;
    claim_list *list;
    int64_t space;
    bool opened; /* some section was */
    claim *now;  /* NULL: none, or a broken header */
    diagnostics *diags;
} reading;

static config_place place_at(const reading *r, int32_t line)
{
    return (config_place){.file = r->path, .line = line, .order = 1};
}

static void on_section(void *user, const char *title, int32_t line)
{
    reading *r = user;
    config_place place = place_at(r, line);
    r->now = NULL;
    r->opened = true;
    if (!title) return;
    const char *name = strncmp(title, "claim", 5) == 0 ? title + 5 + strspn(title + 5, " \t") : "";
    if (!*name || (title[5] != ' ' && title[5] != '\t') || name[strcspn(name, " \t")]) {
        diagnostics_add(r->diags, &place, title, "expected [claim NAME]");
        return;
    }
    for (int64_t i = 0; i < r->list->count; i++)
        if (strcmp(r->list->items[i].name, name) == 0)
            diagnostics_add(r->diags, &place, title, "the claim of line %d has this name",
                            r->list->items[i].place.line);
    if (r->list->count == r->space) {
        r->space = r->space ? 2 * r->space : 16;
        claim *grown = cru_arena_alloc(r->arena, r->space, sizeof *grown);
        if (r->list->count) memcpy(grown, r->list->items, (size_t)r->list->count * sizeof *grown);
        r->list->items = grown;
    }
    r->now = &r->list->items[r->list->count++];
    *r->now = (claim){.name = string_copy(r->arena, name), .says = "", .place = place, .share = 1, .p = NAN};
}

static void parse_value(reading *r, const char *key, const char *value, const config_place *place)
{
    claim *c = r->now;
    parser p = {.arena = r->arena, .start = value, .at = value};
    if (strlen(value) > LONGEST_TEXT) {
        diagnostics_add(r->diags, place, key, "longer than %d bytes", LONGEST_TEXT);
        return;
    }
    next(&p);
    if (strcmp(key, "holds") == 0) {
        c->text = value;
        c->holds = parse_claim(&p);
    } else if (strcmp(key, "for") == 0) {
        parse_bindings(&p, c);
    } else if (strcmp(key, "test") == 0) {
        parse_test(&p, c);
    } else {
        parse_needs(&p, c);
    }
    if (p.fault) diagnostics_add(r->diags, place, key, "column %lld: %s", (long long)p.fault_column, p.fault);
}

static void on_pair(void *user, const char *key, const char *value, int32_t line)
{
    static const char *const keys[] = {"says", "holds", "for", "needs", "test", "source"};
    reading *r = user;
    config_place place = place_at(r, line);
    cru_error err = {0};
    if (!r->opened) diagnostics_add(r->diags, &place, key, "stands before the first [claim NAME]");
    if (!r->now) return;
    size_t known = 0;
    while (known < 6 && strcmp(keys[known], key) != 0) known++;
    const char *copy = string_copy(r->arena, value);
    if (known == 6) {
        const char *near = cru_nearest(key, keys, 6);
        diagnostics_add(r->diags, &place, key, "unknown key of a claim%s%s%s", near ? "; did you mean " : "",
                        near ? near : "", near ? "?" : "");
    } else if (known == 0) {
        r->now->says = copy;
    } else if (known == 5) {
        if (values_split(r->arena, copy, ',', &r->now->sources, &err) != CRU_OK)
            diagnostics_add(r->diags, &place, key, "%s", err.text);
    } else {
        parse_value(r, key, copy, &place);
    }
}

static void on_fault(void *user, const char *subject, const char *message, int32_t line)
{
    reading *r = user;
    config_place place = place_at(r, line);
    diagnostics_add(r->diags, &place, subject, "%s", message);
}

cru_status claims_parse(cru_arena *arena, const char *path, const char *text, size_t size, claim_list *out,
                        diagnostics *diags)
{
    int64_t before = diags->count;
    reading r = {.arena = arena, .path = path, .list = out, .diags = diags};
    *out = (claim_list){0};
    lines_read(text, size, &(line_visitor){&r, on_section, on_pair, on_fault});
    for (int64_t i = 0; i < out->count; i++) {
        const claim *c = &out->items[i];
        if (!c->text) diagnostics_add(diags, &c->place, c->name, "says nothing that could hold; add holds = ...");
        if (!c->sources.count) diagnostics_add(diags, &c->place, c->name, "names no table; add source = table-1");
    }
    if (diags->count == before) return CRU_OK;
    diagnostics_sort(diags);
    return CRU_BAD_INPUT;
}

cru_status claims_read(cru_arena *arena, const char *path, claim_list *out, diagnostics *diags)
{
    config_place place = {.file = path, .order = 1};
    FILE *file = fopen(path, "rb");
    char *buffer = file ? malloc(LARGEST_FILE) : NULL;
    size_t size = buffer ? fread(buffer, 1, LARGEST_FILE, file) : 0;
    *out = (claim_list){0};
    if (file) fclose(file);
    if (!buffer || size == LARGEST_FILE) {
        diagnostics_add(diags, &place, NULL, "cannot be read: %s", file ? "too large" : strerror(errno));
        free(buffer);
        return CRU_BAD_INPUT;
    }
    const char *text = string_copy_bytes(arena, buffer, size);
    free(buffer);
    return claims_parse(arena, string_copy(arena, path), text, size, out, diags);
}
