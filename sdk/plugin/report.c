// SPDX-License-Identifier: Apache-2.0
#include <crucible/plugin.h>

void cru_report_vector(cru_report *report, const char *name, const double *values, int64_t count)
{
    if (report && report->sink.put) report->sink.put(report->sink.user, name, values, count);
}

void cru_report_matrix(cru_report *report, const char *name, const double *values, int64_t rows, int64_t cols)
{
    if (report && report->sink.put_matrix)
        report->sink.put_matrix(report->sink.user, name, values, rows, cols);
    else
        cru_report_vector(report, name, values, rows * cols);
}

void cru_report_number(cru_report *report, const char *name, double value)
{
    cru_report_vector(report, name, &value, 1);
}
