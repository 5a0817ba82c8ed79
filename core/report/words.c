#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *mark_text(table_mark mark)
{
    static const char *const texts[] = {[TABLE_OOM] = "OOM", [TABLE_OOT] = "OOT", [TABLE_ERR] = "ERR"};
    return mark == TABLE_VALUE || mark == TABLE_MISSING ? "—" : texts[mark];
}

void words_of_cell(const table *t, const table_cell *cell, cell_words *words)
{
    *words = (cell_words){0};
    if (cell->mark != TABLE_VALUE) {
        snprintf(words->value, sizeof words->value, "%s", mark_text(cell->mark));
        return;
    }
    snprintf(words->value, sizeof words->value, "%.*f", t->digits, cell->mean * t->scale);
    if (!isnan(cell->spread)) {
        snprintf(words->spread, sizeof words->spread, "%.*f", t->digits, cell->spread * t->scale);
    }
    if (cell->run_count != t->full_runs) {
        snprintf(words->runs, sizeof words->runs, "(%lld)", (long long)cell->run_count);
    }
    words->worse = cell->p < t->alpha;
    if (cell->has_reference) {
        double gap = cell->mean * t->scale - cell->reference_mean;
        snprintf(words->reference, sizeof words->reference, "%.*f %+.*f %s", t->digits, cell->reference_mean, t->digits,
                 gap, cell->inside ? "in" : "out");
    }
}

void words_of_average(const table *t, int64_t row, char *text, size_t size)
{
    double average = t->averages[row];
    if (isnan(average))
        snprintf(text, size, "—");
    else
        snprintf(text, size, "%.*f", t->digits, average * t->scale);
}

void words_of_rank(double rank, char *text, size_t size)
{
    if (isnan(rank)) {
        snprintf(text, size, "—");
    } else {
        snprintf(text, size, "%.2f", rank);
    }
}

const char *words_of_spread(report_spread spread)
{
    static const char *const names[] = {"std", "population std", "standard error", "population standard error"};
    return names[spread];
}

static void append(char *text, size_t size, const char *piece)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? "; " : "", piece);
}

void words_of_caption(const table *t, char *text, size_t size)
{
    if (t->caption) {
        snprintf(text, size, "%s", t->caption);
        return;
    }
    snprintf(text, size, "%s%s: mean ± %s of %lld run%s, %s is better", t->metric, t->scale == 100 ? " in %" : "",
             words_of_spread(t->spread), (long long)t->full_runs, t->full_runs == 1 ? "" : "s",
             t->lower_is_better ? "lower" : "higher");
    char piece[120], least[32] = "";
    if (t->tried[0] < t->tried[1]) snprintf(least, sizeof least, "%lld to ", (long long)t->tried[0]);
    snprintf(piece, sizeof piece, "settings chosen on validation data among %s%lld", least, (long long)t->tried[1]);
    if (t->tried[1]) append(text, size, piece);
}

/* Which marks appear in the table. */
typedef struct marks_used {
    bool worse, runs, kind[TABLE_MISSING + 1];
} marks_used;

static marks_used find_marks(const table *t)
{
    marks_used used = {0};
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        const table_cell *cell = &t->cells[i];
        used.kind[cell->mark] = true;
        used.worse |= cell->p < t->alpha;
        used.runs |= cell->mark == TABLE_VALUE && cell->run_count != t->full_runs;
    }
    return used;
}

void words_of_legend(const table *t, char *text, size_t size)
{
    marks_used used = find_marks(t);
    char piece[160];
    text[0] = '\0';
    snprintf(piece, sizeof piece, "* worse than the best of its column (paired Wilcoxon%s, Holm, p < %g)",
             t->unpaired ? ", or Welch without pairs" : "", t->alpha);
    if (used.worse) append(text, size, piece);
    if (used.runs) append(text, size, "(n) runs where they are not as many");
    if (used.kind[TABLE_OOM]) append(text, size, "OOM out of memory");
    if (used.kind[TABLE_OOT]) append(text, size, "OOT out of time");
    if (used.kind[TABLE_ERR]) append(text, size, "ERR failed");
    if (used.kind[TABLE_MISSING]) append(text, size, "— not run");
    snprintf(piece, sizeof piece, "published value, difference, in or out of %g published std", t->reference_k);
    if (t->references) append(text, size, piece);
}
