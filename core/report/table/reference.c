// SPDX-License-Identifier: Apache-2.0
/* reference.c: published values beside our own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report/table/table.h"

enum { FIELDS = 64 };

typedef struct header {
    int row, col, mean, std, metric; /* positions; -1: not there */
} header;

static header read_header(const char **fields, int64_t count)
{
    header h = {-1, -1, -1, -1, -1};
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i], "row") == 0) h.row = i;
        if (strcmp(fields[i], "col") == 0) h.col = i;
        if (strcmp(fields[i], "mean") == 0) h.mean = i;
        if (strcmp(fields[i], "std") == 0) h.std = i;
        if (strcmp(fields[i], "metric") == 0) h.metric = i;
    }
    return h;
}

static int64_t find_head(const table_head *heads, int64_t count, const char *label)
{
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(heads[i].label, label) == 0) return i;
    }
    return -1;
}

static bool read_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    end += strspn(end, " ");
    return end != text && *end == '\0';
}

static void note(table *t, table_cell *cell, double mean, double std)
{
    cell->has_reference = true;
    cell->reference_mean = mean;
    cell->reference_std = std;
    double width = isnan(std) ? cell->spread * t->scale : std;
    cell->inside = fabs(cell->mean * t->scale - mean) <= t->reference_k * width;
    t->references = true;
}

/* NULL, or what is wrong with the line. */
static const char *take_line(table *t, const header *h, const char **fields, int64_t count)
{
    double mean, std = NAN;
    if (count < 0) return "too many fields";
    if (count <= h->row || count <= h->col || count <= h->mean) return "too few fields";
    if (h->metric >= 0 && h->metric < count && strcmp(fields[h->metric], t->metric) != 0) return NULL;
    if (!read_number(fields[h->mean], &mean)) return "the mean is not a number";
    bool has_std = h->std >= 0 && h->std < count && fields[h->std][0];
    if (has_std && !read_number(fields[h->std], &std)) return "the std is not a number";
    int64_t row = find_head(t->rows, t->row_count, fields[h->row]);
    int64_t col = find_head(t->cols, t->col_count, fields[h->col]);
    if (row >= 0 && col >= 0) note(t, table_at(t, row, col), mean, std);
    return NULL;
}

static cru_status take_file(table *t, FILE *file, const char *path, cru_error *err)
{
    char *line = NULL;
    const char *fields[FIELDS];
    size_t size = 0;
    header h = {0};
    bool have_header = false;
    cru_status status = CRU_OK;
    for (int64_t number = 1; !status && getline(&line, &size, file) >= 0; number++) {
        if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#') continue;
        const int64_t count = csv_split(line, fields, FIELDS);
        if (!have_header) {
            have_header = true;
            h = read_header(fields, count);
            if (h.row < 0 || h.col < 0 || h.mean < 0) {
                status = cru_fail(err, CRU_BAD_INPUT, "%s:%lld: the header must name row, col and mean", path,
                                  (long long)number);
            }
            continue;
        }
        const char *fault = take_line(t, &h, fields, count);
        if (fault) status = cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %s", path, (long long)number, fault);
    }
    if (!status && ferror(file)) status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    free(line);
    return status;
}

cru_status table_compare(table *t, const char *path, double k, cru_error *err)
{
    t->reference_k = k;
    FILE *file = fopen(path, "r");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = take_file(t, file, path, err);
    fclose(file);
    return status;
}
