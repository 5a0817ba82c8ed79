// SPDX-License-Identifier: Apache-2.0
#include "data/describe.h"

#include <stdlib.h>

#include <crucible/graph.h>

static int32_t bin_of(int64_t degree)
{
    int32_t bin = 0;
    while (degree > 0) {
        degree /= 2;
        bin++;
    }
    return bin;
}

void data_degree_bin(int32_t k, int64_t *from, int64_t *to)
{
    *from = k == 0 ? 0 : (int64_t)1 << (k - 1);
    *to = k == 0 ? 0 : 2 * *from - 1;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static cru_status describe_graph(const cru_data *data, data_summary *s, cru_error *err)
{
    const cru_csr *g = &data->graph;
    if (!g->offsets || g->rows == 0) return CRU_OK;
    int64_t *degree = calloc((size_t)g->rows, sizeof *degree);
    if (!degree) return cru_fail(err, CRU_NO_MEMORY, "no memory for degrees");
    s->arcs = cru_csr_nnz(g);
    s->symmetric = cru_graph_is_symmetric(g);
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            bool loop = g->ids[e] == v;
            s->loops += loop;
            degree[v] += !loop;
        }
        int32_t bin = bin_of(degree[v]);
        s->degree_bins[bin]++;
        if (bin >= s->bin_count) s->bin_count = bin + 1;
    }
    qsort(degree, (size_t)g->rows, sizeof *degree, ascending);
    s->isolated = s->degree_bins[0];
    s->degree_mean = (double)(s->arcs - s->loops) / (double)g->rows;
    s->degree_median = degree[g->rows / 2];
    s->degree_max = degree[g->rows - 1];
    free(degree);
    return CRU_OK;
}

/* How many of the official splits test each item. */
static int32_t *count_tests(const cru_data *data)
{
    int32_t *tests = calloc((size_t)data->items + 1, sizeof *tests);
    for (int32_t s = 0; tests && s < data->official_count; s++)
        for (int64_t i = 0; i < data->official[s].test.count; i++) tests[data->official[s].test.ids[i]]++;
    return tests;
}

static void describe_classes(const cru_data *data, data_summary *s)
{
    for (int64_t i = 0; i < data->items; i++) {
        if (data->truth[i] >= 0)
            s->class_counts[data->truth[i]]++;
        else
            s->unlabelled++;
    }
}

static void count_members(const uint8_t *set, int32_t truth, int32_t classes, data_summary *s)
{
    for (int32_t c = 0; c < classes; c++) {
        s->candidate_counts[c] += set[c] != 0;
        if (truth >= 0) s->flips[(int64_t)truth * classes + c] += set[c] != 0;
    }
}

/* Nobody learns from the sets of items that are only ever tested: often they are the true label alone. */
static cru_status describe_candidates(const cru_data *data, data_summary *s, cru_error *err)
{
    if (!data->candidates) return CRU_OK;
    const int32_t classes = data->classes;
    int64_t sets = 0, members = 0, wrong = 0;
    int32_t *tests = count_tests(data);
    s->candidate_counts = calloc((size_t)classes + 1, sizeof *s->candidate_counts);
    s->flips = calloc((size_t)classes * (size_t)classes + 1, sizeof *s->flips);
    int64_t *of_class = calloc((size_t)classes + 1, sizeof *of_class);
    if (!tests || !s->candidate_counts || !s->flips || !of_class) {
        free(tests);
        free(of_class);
        return cru_fail(err, CRU_NO_MEMORY, "no memory to count candidates");
    }
    for (int64_t i = 0; i < data->items; i++) {
        const uint8_t *set = data->candidates + i * data->classes;
        int64_t size = 0;
        for (int32_t c = 0; c < data->classes; c++) size += set[c] != 0;
        if (size == 0 || (data->official_count && tests[i] == data->official_count)) continue;
        sets++;
        members += size;
        wrong += data->truth[i] >= 0 && !set[data->truth[i]];
        count_members(set, data->truth[i], classes, s);
        if (data->truth[i] >= 0) of_class[data->truth[i]]++;
    }
    for (int64_t i = 0; i < (int64_t)classes * classes; i++) s->flips[i] /= (double)of_class[i / classes];
    free(tests);
    free(of_class);
    if (sets == 0) return CRU_OK;
    s->candidates_mean = (double)members / (double)sets;
    s->candidates_wrong = (double)wrong / (double)sets;
    return CRU_OK;
}

static void describe_sizes(const cru_data *data, data_summary *s)
{
    if (data->problem != CRU_GRAPHS || data->items == 0) return;
    s->size_mean = (double)data->nodes / (double)data->items;
    s->size_min = data->nodes;
    for (int64_t g = 0; g < data->items; g++) {
        int64_t size = data->graph_offsets[g + 1] - data->graph_offsets[g];
        if (size < s->size_min) s->size_min = size;
        if (size > s->size_max) s->size_max = size;
    }
}

cru_status data_summarise(const cru_data *data, data_summary *out, cru_error *err)
{
    *out = (data_summary){.class_counts = calloc((size_t)data->classes + 1, sizeof *out->class_counts)};
    if (!out->class_counts) return cru_fail(err, CRU_NO_MEMORY, "no memory for class counts");
    out->stored = data->x.dense ? data->x.rows * data->x.cols : cru_csr_nnz(&data->x.sparse);
    describe_classes(data, out);
    describe_sizes(data, out);
    cru_status status = describe_candidates(data, out, err);
    if (!status) status = describe_graph(data, out, err);
    if (status) data_summary_clear(out);
    return status;
}

void data_summary_clear(data_summary *s)
{
    free(s->class_counts);
    free(s->candidate_counts);
    free(s->flips);
    *s = (data_summary){0};
}
