// SPDX-License-Identifier: Apache-2.0
#include "edges.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint16_t *class_codes(const cru_data *data, cru_error *err)
{
    if (data->classes >= UNKNOWN_CLASS) {
        cru_fail(err, CRU_UNSUPPORTED, "%d classes; up to %d can be compared", data->classes, UNKNOWN_CLASS - 1);
        return NULL;
    }
    uint16_t *codes = malloc((size_t)(data->nodes + 1) * sizeof *codes);
    if (!codes) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %lld nodes", (long long)data->nodes);
        return NULL;
    }
    for (int64_t v = 0; v < data->nodes; v++)
        codes[v] = data->truth[v] == CRU_UNLABELLED ? UNKNOWN_CLASS : (uint16_t)data->truth[v];
    return codes;
}

void *edge_records(int64_t count, size_t size, cru_error *err)
{
    enum { LARGE_PAGE = 1 << 21 };
    const size_t wanted = ((size_t)count + 1) * size, bytes = (wanted + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *records = wanted < LARGE_PAGE ? calloc(1, wanted) : aligned_alloc(LARGE_PAGE, bytes);
    if (!records) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %lld nodes", (long long)count);
        return NULL;
    }
    if (wanted < LARGE_PAGE) return records;
    madvise(records, bytes, MADV_HUGEPAGE); /* a wish; random access is slower without */
    return memset(records, 0, wanted);
}

int32_t edge_parts(const cru_csr *graph)
{
    return cru_csr_nnz(graph) < 1 << 20 ? 1 : omp_get_max_threads();
}

edge_scan edge_scan_rows(edge_scan all, int32_t part, int32_t parts)
{
    all.row = all.graph->rows * part / parts;
    all.row_end = all.graph->rows * (part + 1) / parts;
    all.source_end = (int32_t)all.graph->cols;
    return all;
}

edge_scan edge_scan_sources(edge_scan all, int32_t part, int32_t parts)
{
    all.row_end = all.graph->rows;
    all.source = (int32_t)(all.graph->cols * part / parts);
    all.source_end = (int32_t)(all.graph->cols * (part + 1) / parts);
    return all;
}
