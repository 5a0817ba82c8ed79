// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "config/strings.h"
#include "report/table/stats.h"
#include "study/claims.h"

enum { BOUND_MOST = 64, COMBINATIONS_MOST = 1000000, RUNS_MOST = 100000 };

/* One key with the value that it has at the moment. */
typedef struct bound {
    const char *key, *value;
} bound;

typedef struct checking {
    cru_arena *arena;
    const claim *claim;
    claim_side side;
    const layout *const *tables;
    int64_t table_count;
    bound bound[BOUND_MOST];
    int64_t bound_count;
    int64_t run; /* of ours: the runs with this pair number; -1: the means */
    const char *missing;
    cru_error *err;
    cru_status status;
} checking;

static double fail(checking *c, const char *format, const char *what)
{
    if (!c->status) {
        const char *text = string_format(c->arena, format, what);
        c->status = cru_fail(c->err, CRU_BAD_INPUT, "%s:%d: %s: %s", c->claim->place.file, c->claim->place.line,
                             c->claim->name, text);
    }
    return NAN;
}

/* ---- cells ----------------------------------------------------------------------------------------------- */

static bool has_key(const layout *l, const char *key)
{
    return layout_value(l, 0, 0, key) != NULL;
}

static bool known_key(const checking *c, const char *key)
{
    for (int64_t i = 0; i < c->table_count; i++)
        if (has_key(c->tables[i], key)) return true;
    return false;
}

/* The inner condition on a key replaces the outer one. */
static bool replaced(const checking *c, int64_t at)
{
    for (int64_t i = at + 1; i < c->bound_count; i++)
        if (strcmp(c->bound[i].key, c->bound[at].key) == 0) return true;
    return false;
}

static bool cell_fits(const checking *c, const layout *l, int64_t row, int64_t col, const char *metric)
{
    const char *own = layout_value(l, row, col, "metric");
    if (own && strcmp(own, metric) != 0) return false;
    for (int64_t i = 0; i < c->bound_count; i++) {
        const char *value = layout_value(l, row, col, c->bound[i].key);
        if (value && !replaced(c, i) && !layout_same(value, c->bound[i].value)) return false;
    }
    return l->wanted[row * l->t->col_count + col];
}

static double value_of(const checking *c, const table_cell *cell)
{
    if (c->side == CLAIM_PUBLISHED) return cell->has_reference ? cell->reference_mean : NAN;
    if (c->run < 0) return cell->mean;
    for (int64_t i = 0; i < cell->run_count; i++)
        if (cell->runs[i].pair == c->run) return cell->runs[i].value;
    return NAN;
}

static const char *describe(const checking *c, const char *metric)
{
    const char *text = string_format(c->arena, "%s[", metric), *comma = "";
    for (int64_t i = 0; i < c->bound_count; i++) {
        if (replaced(c, i)) continue;
        text = string_format(c->arena, "%s%s%s=%s", text, comma, c->bound[i].key, c->bound[i].value);
        comma = ", ";
    }
    return string_format(c->arena, "%s]", text);
}

/* The one cell of the first table that has it; several tables may print the same. */
static double find_cell(checking *c, const char *metric)
{
    double found = NAN;
    bool any = false;
    for (int64_t t = 0; t < c->table_count && isnan(found); t++) {
        const layout *l = c->tables[t];
        int64_t cells = 0;
        for (int64_t r = 0; r < l->t->row_count; r++)
            for (int64_t k = 0; k < l->t->col_count; k++) {
                if (!cell_fits(c, l, r, k, metric)) continue;
                cells++;
                found = value_of(c, table_at(l->t, r, k));
            }
        any |= cells > 0;
        if (cells > 1) return fail(c, "%s names several cells; add conditions", describe(c, metric));
    }
    if (!any && !c->missing) c->missing = describe(c, metric);
    if (isnan(found) && !c->missing) c->missing = describe(c, metric);
    return found;
}

static bool push(checking *c, const char *key, const char *value)
{
    if (!known_key(c, key)) {
        fail(c, "none of its tables has the key '%s'", key);
        return false;
    }
    if (c->bound_count == BOUND_MOST) {
        fail(c, "%s", "too many conditions");
        return false;
    }
    c->bound[c->bound_count++] = (bound){key, value};
    return true;
}

static bool known_metric(const checking *c, const char *metric)
{
    for (int64_t t = 0; t < c->table_count; t++) {
        const layout *l = c->tables[t];
        for (int64_t r = 0; r < l->t->row_count; r++)
            for (int64_t k = 0; k < l->t->col_count; k++) {
                const char *own = layout_value(l, r, k, "metric");
                if (!own || strcmp(own, metric) == 0) return true;
            }
    }
    return false;
}

static double cell_value(checking *c, const claim_term *t)
{
    int64_t before = c->bound_count;
    if (!known_metric(c, t->metric)) return fail(c, "none of its tables has the metric '%s'", t->metric);
    for (int64_t i = 0; i < t->condition_count; i++)
        if (!push(c, t->conditions[i].key, t->conditions[i].values[0])) return NAN;
    double value = find_cell(c, t->metric);
    c->bound_count = before;
    return value;
}

/* ---- terms ----------------------------------------------------------------------------------------------- */

/* All values that the tables have for a key. */
static value_list all_values(const checking *c, const char *key)
{
    value_list out = {0};
    int64_t most = 0;
    for (int pass = 0; pass < 2; pass++) {
        const char **items = pass ? cru_arena_alloc(c->arena, most, sizeof *items) : NULL;
        for (int64_t t = 0; t < c->table_count; t++) {
            const layout *l = c->tables[t];
            const layout_key *keys[] = {l->row_keys, l->col_keys, l->fixed};
            int64_t counts[] = {l->row_key_count, l->col_key_count, l->fixed_count};
            for (int k = 0; k < 3; k++)
                for (int64_t i = 0; i < counts[k]; i++) {
                    if (strcmp(keys[k][i].name, key) != 0) continue;
                    most += pass ? 0 : keys[k][i].value_count;
                    for (int64_t v = 0; pass && v < keys[k][i].value_count; v++) {
                        bool seen = false;
                        for (int64_t s = 0; s < out.count; s++) seen |= layout_same(items[s], keys[k][i].values[v]);
                        if (!seen) items[out.count++] = keys[k][i].values[v];
                    }
                }
        }
        out.items = items;
    }
    return out;
}

static value_list values_of(const checking *c, const claim_key *k)
{
    return k->count ? (value_list){k->values, k->count} : all_values(c, k->key);
}

static double evaluate(checking *c, const claim_term *t);

/* Over what is known; a value that is missing is noted. */
static double over(checking *c, const claim_term *t)
{
    value_list values = values_of(c, &t->over);
    double sum = 0, best = NAN;
    int64_t before = c->bound_count, count = 0;
    for (int64_t i = 0; i < values.count; i++) {
        if (!push(c, t->over.key, values.items[i])) return NAN;
        double value = evaluate(c, t->left);
        c->bound_count = before;
        if (isnan(value)) continue;
        sum += value;
        count++;
        if (isnan(best) || (t->op == CLAIM_MIN ? value < best : value > best)) best = value;
    }
    return !count ? NAN : t->op == CLAIM_MEAN ? sum / (double)count : best;
}

static double evaluate(checking *c, const claim_term *t)
{
    if (c->status) return NAN;
    switch (t->op) {
    case CLAIM_NUMBER:
        return t->number;
    case CLAIM_CELL:
        return cell_value(c, t);
    case CLAIM_NEGATE:
        return -evaluate(c, t->left);
    case CLAIM_ADD:
        return evaluate(c, t->left) + evaluate(c, t->right);
    case CLAIM_SUBTRACT:
        return evaluate(c, t->left) - evaluate(c, t->right);
    case CLAIM_MULTIPLY:
        return evaluate(c, t->left) * evaluate(c, t->right);
    case CLAIM_DIVIDE:
        return evaluate(c, t->left) / evaluate(c, t->right);
    default:
        return over(c, t);
    }
}

static bool related(double a, double b, claim_relation relation)
{
    switch (relation) {
    case CLAIM_LESS:
        return a < b;
    case CLAIM_LESS_EQUAL:
        return a <= b;
    case CLAIM_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

/* ---- combinations ---------------------------------------------------------------------------------------- */

typedef struct counting {
    claim_result *out;
    double *gaps; /* of the test: right - left of every run, in the direction of the claim */
    int64_t gap_count;
} counting;

static void add_runs(checking *c, counting *n, int64_t most)
{
    const claim_comparison *first = c->claim->holds;
    bool less = first->relation == CLAIM_LESS || first->relation == CLAIM_LESS_EQUAL;
    const char *missing = c->missing;
    for (c->run = 0; c->run < most && n->gap_count < RUNS_MOST; c->run++) {
        double gap = evaluate(c, first->right) - evaluate(c, first->left);
        if (!isnan(gap)) n->gaps[n->gap_count++] = less ? gap : -gap;
    }
    c->run = -1;
    c->missing = missing;
}

static int64_t most_runs(const checking *c)
{
    int64_t most = 0;
    for (int64_t t = 0; t < c->table_count; t++)
        for (int64_t i = 0; i < c->tables[t]->t->row_count * c->tables[t]->t->col_count; i++) {
            const table_cell *cell = &c->tables[t]->t->cells[i];
            for (int64_t k = 0; k < cell->run_count; k++)
                if (cell->runs[k].pair >= most) most = cell->runs[k].pair + 1;
        }
    return most;
}

/* One combination of `for`. */
static void check_one(checking *c, counting *n)
{
    const char *before = c->missing;
    bool known = true, holds = true;
    for (const claim_comparison *q = c->claim->holds; q; q = q->next) {
        double a = evaluate(c, q->left), b = evaluate(c, q->right);
        known &= !isnan(a) && !isnan(b);
        holds &= known && related(a, b, q->relation);
    }
    n->out->combinations++;
    n->out->known += known;
    n->out->holding += holds;
    if (known && c->missing != before && c->side == CLAIM_PUBLISHED) c->missing = before; /* a mean over the others */
    if (known && n->gaps) add_runs(c, n, most_runs(c));
}

static void check_all(checking *c, counting *n, int64_t depth)
{
    if (c->status || n->out->combinations > COMBINATIONS_MOST) return;
    if (depth == c->claim->binding_count) {
        check_one(c, n);
        return;
    }
    const claim_key *k = &c->claim->bindings[depth];
    value_list values = values_of(c, k);
    int64_t before = c->bound_count;
    for (int64_t i = 0; i < values.count && !c->status; i++) {
        if (push(c, k->key, values.items[i])) check_all(c, n, depth + 1);
        c->bound_count = before;
    }
    if (!values.count) push(c, k->key, "");
}

static claim_verdict decide(const checking *c, const counting *n)
{
    const claim_result *r = n->out;
    if (r->known == 0 || (c->side == CLAIM_OURS && r->missing)) return CLAIM_OPEN;
    bool enough = (double)r->holding >= c->claim->share * (double)r->known - 1e-9;
    if (!enough) return CLAIM_FAILS;
    if (!n->gaps) return CLAIM_HOLDS;
    if (r->few) return CLAIM_OPEN;
    return r->p < c->claim->p && stats_mean(n->gaps, n->gap_count) > 0 ? CLAIM_HOLDS : CLAIM_FAILS;
}

cru_status claim_check(cru_arena *arena, const claim *claim_, claim_side side, const layout *const *tables,
                       int64_t count, claim_result *out, cru_error *err)
{
    checking c = {
        .arena = arena, .claim = claim_, .side = side, .tables = tables, .table_count = count, .run = -1, .err = err};
    counting n = {.out = out};
    *out = (claim_result){.p = NAN};
    if (side == CLAIM_OURS && !isnan(claim_->p)) n.gaps = cru_arena_alloc(arena, RUNS_MOST, sizeof *n.gaps);
    check_all(&c, &n, 0);
    if (c.status) return c.status;
    out->missing = c.missing;
    if (n.gaps) {
        out->p = n.gap_count > 1 ? stats_wilcoxon(n.gaps, n.gap_count) : NAN;
        out->few = ldexp(1, (int)(1 - (n.gap_count > 1000 ? 1000 : n.gap_count))) >= claim_->p;
    }
    out->verdict = decide(&c, &n);
    return CRU_OK;
}
