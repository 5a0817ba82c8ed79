// SPDX-License-Identifier: Apache-2.0
/* report-options.h: the options that `report` and `plot` share. */
#ifndef CORE_CLI_REPORT_OPTIONS_H
#define CORE_CLI_REPORT_OPTIONS_H

#include "cli/cli.h"
#include "report/report.h"

typedef struct report_options {
    const char *rows, *cols, *over, *metric, *spread, *alpha, *digits, *minus, *out;
    const char *reference, *k, *curves, *curve_scale, *groups, *baselines, *against; /* of report alone */
    const char *x, *size, *cliques, *vector; /* of plot; the last one of report, too */
    bool tabled;                             /* of report: the vector as a table */
    const char *rope, *overlap;              /* of report alone */
    bool ordinal, compare;
    cli_words dbs, experiments, where, data; /* data: of report alone */
    bool tried, average, latest;
} report_options;

enum { REPORT_OPTIONS_MAX = 40 };

/* Writes a verb's own options and the shared ones into `all` and returns it. */
const cli_option *report_options_table(report_options *options, const cli_option *own,
                                       cli_option all[REPORT_OPTIONS_MAX]);

/* Opens the stores that --db names, or results.db, for reading. Returns CLI_OK, or another exit code after a
 * message. */
int report_options_open(const cli_words *dbs, store **stores);
void report_options_close(store **stores, int count);

/* Opens the store and makes the report. Returns CLI_OK, or another exit code after a message. */
int report_options_make(const report_options *options, report **out);

#endif
