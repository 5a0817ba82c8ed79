// SPDX-License-Identifier: Apache-2.0
/* page.h: a report as one HTML page that needs nothing else. */
#ifndef CORE_REPORT_PAGE_H
#define CORE_REPORT_PAGE_H

#include "report/report.h"

/* A summary, an index, every table with its pictures, the configuration, and all trials for download. */
void page_write(const report *r, FILE *out);

/* The parts of it that are about all trials: what, how many, what they cost, when and by which program; and the trials
 * themselves as JSON that the page's script makes a CSV of. */
void page_summary(const frame *f, FILE *out);
void page_trials(const frame *f, FILE *out);

/* Kept apart so that they can be read. */
extern const char page_css[];
extern const char page_script[];

#endif
