// SPDX-License-Identifier: Apache-2.0
#include "pick/race.h"

#include <math.h>
#include <stdlib.h>

#include "report/table/stats-compare.h"

const race_rung race_rungs[RACE_RUNGS] = {{1, 30}, {2, 100}, {5, 0}};

/* Insertion keeps the order of equal ones, and entries are few. */
void race_order(race_entry *entries, int64_t count, int64_t runs)
{
    for (int64_t i = 0; i < count; i++) {
        double sum = 0; /* a missing score makes it NAN */
        for (int64_t k = 0; k < runs; k++) sum += entries[i].scores[k];
        entries[i].mean = sum / (double)runs;
    }
    for (int64_t i = 1; i < count; i++) {
        const race_entry e = entries[i];
        int64_t k = i;
        for (; k > 0 && !isnan(e.mean) && !(entries[k - 1].mean >= e.mean); k--) entries[k] = entries[k - 1];
        entries[k] = e;
    }
}

int64_t race_finished(const race_entry *entries, int64_t count)
{
    int64_t good = 0;
    while (good < count && !isnan(entries[good].mean)) good++;
    return good;
}

int64_t race_survivors(const race_entry *entries, int64_t count)
{
    const int64_t good = race_finished(entries, count);
    int64_t wanted = (count + RACE_THIRD - 1) / RACE_THIRD;
    if (wanted < RACE_FINALISTS) wanted = RACE_FINALISTS;
    while (wanted < good && entries[wanted].mean == entries[wanted - 1].mean) wanted++;
    return wanted < good ? wanted : good;
}

int64_t race_repeats(int64_t labelled)
{
    return labelled < 200 ? 4 : labelled < 1000 ? 2 : 1;
}

void race_judge(race_entry *entries, int64_t count, int64_t runs, double ratio)
{
    double *p = calloc((size_t)count + 1, sizeof *p), *d = calloc((size_t)runs + 1, sizeof *d);
    if (!p || !d) cru_panic(CRU_NO_MEMORY, "no memory for a comparison");
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < runs; k++) d[k] = entries[0].scores[k] - entries[i].scores[k];
        p[i] = i > 0 && !isnan(entries[i].mean) ? stats_corrected_t(d, runs, ratio) : NAN;
    }
    stats_holm(p, count);
    for (int64_t i = 0; i < count; i++) {
        entries[i].p = p[i];
        entries[i].as_good = !isnan(entries[i].mean) && !(p[i] < 0.05); /* NAN: no run differs, or too few */
    }
    free(p);
    free(d);
}
