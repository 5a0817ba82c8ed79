// SPDX-License-Identifier: Apache-2.0
#include "report/format/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/table/stats-compare.h"

static const char *mark_text(table_mark mark)
{
    static const char *const texts[] = {
        [TABLE_OOM] = "OOM", [TABLE_OOT] = "OOT", [TABLE_ERR] = "ERR", [TABLE_UNDEFINED] = "n/a"};
    return mark == TABLE_VALUE || mark == TABLE_MISSING ? "—" : texts[mark];
}

/* "81.50 −0.27 in" */
static void reference_words(const table *t, const table_cell *cell, char *text, size_t size)
{
    const bool damaged = cell->reference_mark && strcmp(cell->reference_mark, "damaged") == 0;
    char value[40] = "", gap[60] = "";
    if (!cell->has_reference || t->published == TABLE_OFF) return;
    if (isnan(cell->reference_mean))
        snprintf(value, sizeof value, "%s", damaged || !cell->reference_mark ? "?" : cell->reference_mark);
    else
        snprintf(value, sizeof value, "%.*f%s", t->digits, cell->reference_mean, damaged ? "?" : "");
    if (cell->mark == TABLE_VALUE && !isnan(cell->reference_mean))
        snprintf(gap, sizeof gap, "%+.*f%s", t->digits, cell->mean * t->scale - cell->reference_mean,
                 cell->unjudged ? ""
                 : cell->inside ? " in"
                                : " out");
    bool both = t->published == TABLE_SIDE || !gap[0];
    snprintf(text, size, "%s%s%s", both ? value : "", both && gap[0] ? " " : "", gap);
}

void words_of_cell(const table *t, const table_cell *cell, cell_words *words)
{
    *words = (cell_words){0};
    reference_words(t, cell, words->reference, sizeof words->reference);
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
    double gain = t->lower_is_better ? cell->against_mean - cell->mean : cell->mean - cell->against_mean;
    words->sign[SIGN_WORSE] = cell->p < t->alpha;
    words->sign[SIGN_BELOW_BEST] = cell->below == TABLE_BELOW_BEST;
    words->sign[SIGN_BELOW_ALL] = cell->below == TABLE_BELOW_ALL;
    words->sign[SIGN_GAINED] = gain > 0 && cell->against_p < t->alpha;
}

void words_of_signs(const cell_words *words, const char *const texts[SIGNS], char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < SIGNS; i++) {
        int n = words->sign[i] && used < size ? snprintf(text + used, size - used, "%s", texts[i]) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
}

void words_of_summary(const table *t, const table_summary *summary, int64_t row, char *text, size_t size)
{
    double value = summary->values[row];
    if (isnan(value))
        snprintf(text, size, "—");
    else if (summary->kind == SUMMARY_RANK)
        snprintf(text, size, "%.2f", value);
    else if (summary->kind == SUMMARY_RELATIVE)
        snprintf(text, size, "%+.1f", value);
    else if (summary->kind == SUMMARY_TALLY)
        snprintf(text, size, "%lld/%lld/%lld", (long long)summary->tally[row][0], (long long)summary->tally[row][1],
                 (long long)summary->tally[row][2]);
    else
        snprintf(text, size, summary->kind == SUMMARY_GAIN ? "%+.*f" : "%.*f", t->digits, value * t->scale);
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
    char piece[120], least[32] = "", taken[120] = "";
    if (t->minus) snprintf(taken, sizeof taken, " less that of %.80s, run by run", t->minus);
    snprintf(text, size, "%s%s%s: mean ± %s of %lld run%s, %s is better", t->metric, t->scale == 100 ? " in %" : "",
             taken, words_of_spread(t->spread), (long long)t->full_runs, t->full_runs == 1 ? "" : "s",
             t->lower_is_better ? "lower" : "higher");
    if (t->tried[0] < t->tried[1]) snprintf(least, sizeof least, "%lld to ", (long long)t->tried[0]);
    snprintf(piece, sizeof piece, "settings chosen on %s data among %s%lld", t->by_test ? "TEST" : "validation", least,
             (long long)t->tried[1]);
    if (t->tried[1]) append(text, size, piece);
}

/* Which marks and signs appear in the table. */
typedef struct marks_used {
    bool runs, kind[TABLE_MISSING + 1], sign[SIGNS];
} marks_used;

static marks_used find_marks(const table *t)
{
    marks_used used = {0};
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        const table_cell *cell = &t->cells[i];
        cell_words words;
        words_of_cell(t, cell, &words);
        used.kind[cell->mark] = true;
        used.runs |= words.runs[0] != '\0';
        for (int k = 0; k < SIGNS; k++) used.sign[k] |= words.sign[k];
    }
    return used;
}

/* What the star means. */
static void words_of_test(const table *t, char *text, size_t size)
{
    char test[80] = "paired Wilcoxon";
    if (t->overlap > 0) snprintf(test, sizeof test, "t test corrected for overlapping splits, ratio %g", t->overlap);
    if (t->minus)
        snprintf(text, size, "* differs from %.80s (%s, Holm over the rows, p < %g)", t->minus, test, t->alpha);
    else
        snprintf(text, size, "* worse than the best of its column (%s%s, Holm, p < %g)", test,
                 t->unpaired ? ", or Welch without pairs" : "", t->alpha);
}

const char *words_of_few_runs(const table *t, char *text, size_t size)
{
    text[0] = '\0';
    const double least = stats_wilcoxon_least(t->pairs[0]) * (double)t->pairs[1];
    if (t->pairs[1] == 0 || t->overlap > 0 || t->unpaired || least < t->alpha) return text;
    snprintf(text, size, "%lld paired runs cannot show a difference: the smallest p of Wilcoxon's test is %.3g",
             (long long)t->pairs[0], stats_wilcoxon_least(t->pairs[0]));
    size_t used = strlen(text);
    if (t->pairs[1] > 1)
        snprintf(text + used, size - used, ", %.3g with Holm over %lld", fmin(1, least), (long long)t->pairs[1]);
    used = strlen(text);
    snprintf(text + used, size - used, "; it takes %lld", (long long)stats_wilcoxon_needed(t->alpha, t->pairs[1]));
    return text;
}

bool words_have_places(const table *t)
{
    for (int64_t i = 0; i < t->row_count * t->col_count; i++)
        if (t->cells[i].place > 0) return true;
    return false;
}

void words_of_legend(const table *t, char *text, size_t size)
{
    marks_used used = find_marks(t);
    char piece[300];
    text[0] = '\0';
    words_of_test(t, piece, sizeof piece);
    if (used.sign[SIGN_WORSE]) append(text, size, piece);
    if (words_of_few_runs(t, piece, sizeof piece)[0]) append(text, size, piece);
    if (used.sign[SIGN_BELOW_BEST]) append(text, size, "† worse than the best baseline");
    if (used.sign[SIGN_BELOW_ALL]) append(text, size, "‡ worse than all baselines");
    snprintf(piece, sizeof piece, "⁺ better than in '%s' (Welch, p < %g)", t->against ? t->against : "", t->alpha);
    if (used.sign[SIGN_GAINED]) append(text, size, piece);
    snprintf(piece, sizeof piece, "Imp. mean gain on '%s'", t->against ? t->against : "");
    if (t->against) append(text, size, piece);
    if (t->extra_rows)
        append(text, size,
               "rel. % mean gain on the best baseline in per cent of it, W/T/L columns won, tied, lost to it");
    if (used.runs) append(text, size, "(n) runs where they are not as many");
    if (used.kind[TABLE_OOM]) append(text, size, "OOM out of memory");
    if (used.kind[TABLE_OOT]) append(text, size, "OOT out of time");
    if (used.kind[TABLE_ERR]) append(text, size, "ERR failed");
    if (t->new_splits) {
        append(text, size, t->new_splits);
        const size_t length = strlen(text);
        snprintf(text + length, size - length, " with a split of its own instead of that of [split]");
    }
    if (used.kind[TABLE_UNDEFINED]) append(text, size, "n/a the metric is not defined here");
    if (used.kind[TABLE_MISSING]) append(text, size, t->caption && !t->references ? "— not defined" : "— not run");
    char points[60] = "";
    if (t->reference_points > 0) snprintf(points, sizeof points, "the larger of %g points and ", t->reference_points);
    snprintf(piece, sizeof piece, "%sdifference, in or out of %s%g published std",
             t->published == TABLE_SIDE ? "published value, " : "", points, t->reference_k);
    if (t->references && t->published != TABLE_OFF) append(text, size, piece);
    if (t->note) append(text, size, t->note);
}
