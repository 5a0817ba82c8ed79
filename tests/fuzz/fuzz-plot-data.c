// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a file for a picture: the first one chooses CSV, NPY or JSON; it is read or refused with one line, and
 * what was read can be drawn. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/plot-data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"f.csv", "f.npy", "f.json"};
    plot_data *d = NULL;
    cru_error err = {0};
    if (size == 0) return 0;
    cru_status status = plot_data_parse(names[bytes[0] % 3], (const char *)bytes + 1, size - 1, &d, &err);
    if ((status == CRU_OK) != (d != NULL)) abort();
    if (status != CRU_OK && (!err.text[0] || strchr(err.text, '\n'))) abort();
    double sum = 0; /* everything that is said to be there can be read */
    for (int64_t i = 0; d && i < d->rows * d->cols; i++) sum += (double)d->values[i];
    for (int64_t i = 0; d && d->truth.ids && i < d->rows; i++) sum += (double)strlen(d->class_names[d->truth.ids[i]]);
    for (int32_t h = 0; d && h < d->histogram_count; h++)
        for (int64_t i = 0; i < d->histograms[h].count; i++) sum += (double)strlen(d->histograms[h].names[i]);
    if (sum == 1e300) puts("");
    plot_data_destroy(d);
    return 0;
}
