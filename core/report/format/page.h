// SPDX-License-Identifier: Apache-2.0
/* page.h: a report as one HTML page that needs nothing else. */
#ifndef CORE_REPORT_PAGE_H
#define CORE_REPORT_PAGE_H

#include "report/report.h"

void page_write(const report *r, FILE *out);

/* Kept apart so that they can be read. */
extern const char page_css[];
extern const char page_script[];

#endif
