// SPDX-License-Identifier: Apache-2.0
/* page.h: a report as one HTML page that needs nothing else. */
#ifndef CORE_REPORT_PAGE_H
#define CORE_REPORT_PAGE_H

#include "report/report.h"

/* A summary, an index, every table with its pictures, the configuration, and all trials for download. */
void page_write(const report *r, FILE *out);

/* The parts of a page: what stands before and behind everything, a table as a section under its heading (`more` is
 * markup below it, may be NULL), and a picture, which is left out where the data does not allow it. */
void page_open(const char *title, FILE *out);
void page_close(FILE *out);
typedef struct page_section {
    const char *id, *heading;
    const char *more;
    const plot_input *in; /* with `kind`, a picture; else NULL */
    const plot_kind *kind;
} page_section;
void page_table(const page_section *s, const table *t, FILE *out);

/* The parts of it that are about all trials: what, how many, what they cost, when and by which program; and the trials
 * themselves as JSON that the page's script makes a CSV of. */
void page_summary(const frame *f, FILE *out);
void page_trials(const frame *f, FILE *out);

/* Kept apart so that they can be read. */
extern const char page_css[];
extern const char page_script[];

#endif
