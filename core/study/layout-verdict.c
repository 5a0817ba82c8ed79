// SPDX-License-Identifier: Apache-2.0
/* Which cells are inside the margin, which are best, and how many runs a cell usually has. */
#include <math.h>
#include <string.h>

#include "study/layout-making.h"

static void judge(making *m)
{
    table *t = m->out->t;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        const bool known = cell->mark == TABLE_VALUE;
        m->out->places += m->out->wanted[i];
        m->out->filled += m->out->wanted[i] && known;
        if (!cell->has_reference || isnan(cell->reference_mean)) continue;
        m->out->measured += known;
        cell->unjudged |= cell->reference_mark != NULL;
        double std = isnan(cell->reference_std) ? cell->spread : cell->reference_std;
        double width = fmax(t->reference_points, isnan(std) ? 0 : t->reference_k * std);
        cell->inside = known && fabs(cell->mean - cell->reference_mean) <= width * (1 + 1e-9);
        if (!known || cell->unjudged) continue;
        m->out->judged++;
        m->out->inside += cell->inside;
    }
}

static bool has_method(const axis *x)
{
    for (int64_t i = 0; i < x->count; i++)
        if (x->keys[i].match && strcmp(x->keys[i].match->key, "alias") == 0) return true;
    return false;
}

static bool is_method(const axis_key *k)
{
    return k->match && strcmp(k->match->key, "alias") == 0;
}

/* Whether two rows (or columns) differ in nothing but the method; without methods there, whether they are comparable at
 * all. */
static bool comparable(const axis *x, int64_t a, int64_t b)
{
    bool methods = has_method(x);
    for (int64_t i = 0; methods && i < x->count; i++)
        if (!is_method(&x->keys[i]) && x->values[a][i] != x->values[b][i]) return false;
    return true;
}

/* Best and second best of the cells that are comparable with the first of them; `step` apart. */
static void mark_line(const axis *x, int64_t start, table_cell *first, int64_t step, bool lower)
{
    double best = NAN, second = NAN;
    for (int64_t i = start; i < x->size; i++) {
        double mean = first[i * step].mark == TABLE_VALUE && comparable(x, start, i) ? first[i * step].mean : NAN;
        if (isnan(mean)) continue;
        bool better = isnan(best) || (lower ? mean < best : mean > best);
        if (better) {
            second = best;
            best = mean;
        } else if (mean != best && (isnan(second) || (lower ? mean < second : mean > second))) {
            second = mean;
        }
    }
    for (int64_t i = start; i < x->size; i++) {
        table_cell *cell = &first[i * step];
        if (cell->mark == TABLE_VALUE && comparable(x, start, i))
            cell->place = cell->mean == best ? 1 : cell->mean == second ? 2 : 0;
    }
}

static void mark_lines(const axis *x, table_cell *first, int64_t step, bool lower)
{
    for (int64_t start = 0; start < x->size; start++) {
        bool leads = true;
        for (int64_t i = 0; i < start && leads; i++) leads = !comparable(x, i, start);
        if (leads) mark_line(x, start, first, step, lower);
    }
}

static void mark_places(making *m)
{
    table *t = m->out->t;
    int64_t how = m->a->settings.marks;
    if (*m->a->settings.ranks) table_rank(m->arena, t); /* its places give way to those of the lines that are marked */
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) t->cells[i].place = 0;
    if (how == ARTEFACT_MARKS_AUTO)
        how = has_method(&m->cols)   ? ARTEFACT_MARKS_ROWS
              : has_method(&m->rows) ? ARTEFACT_MARKS_COLS
                                     : ARTEFACT_MARKS_NONE;
    for (int64_t r = 0; how == ARTEFACT_MARKS_ROWS && r < t->row_count; r++)
        mark_lines(&m->cols, table_at(t, r, 0), 1, t->lower_is_better);
    for (int64_t c = 0; how == ARTEFACT_MARKS_COLS && c < t->col_count; c++)
        mark_lines(&m->rows, table_at(t, 0, c), t->col_count, t->lower_is_better);
}

/* The number of runs that most cells have is not printed with them. */
static int64_t usual_runs(const making *m)
{
    const table *t = m->out->t;
    int64_t best = 0, best_count = 0;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        int64_t runs = t->cells[i].run_count, count = 0;
        if (runs == 0 || runs == best) continue;
        for (int64_t k = 0; k < t->row_count * t->col_count; k++) count += t->cells[k].run_count == runs;
        if (count > best_count || (count == best_count && runs > best)) {
            best = runs;
            best_count = count;
        }
    }
    return best;
}

void verdict_make(making *m)
{
    judge(m);
    mark_places(m);
    m->out->t->full_runs = usual_runs(m);
}
