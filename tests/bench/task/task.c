// SPDX-License-Identifier: Apache-2.0
/* crucible-bench-task DATASET FOLDER [sparse]: the data of a benchmark as .npy files, for the loops in PyTorch.
 *
 * What the data has: features are x.npy (rows x cols), or indptr, indices, data and shape with `sparse` where they are
 * stored so; graphs are pairs.npy (2 x arcs), labels.npy, and where there are any candidates.npy (items x classes) and
 * graphs.npy (the first node of every graph, and one more). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "data/data.h"
#include "loader/loader.h"

enum { HEADER = 128, LEAD = 10 }; /* bytes of a .npy file before its values; magic, version, length before its text */

typedef struct array {
    const char *name, *type; /* numpy's name of the type */
    const void *values;
    int64_t rows, cols; /* cols 0: a vector */
    size_t size;        /* of a value */
} array;

static cru_status write_array(const char *folder, const array *a, cru_error *err)
{
    char path[4096], text[HEADER] = "\x93NUMPY\x01", shape[64];
    snprintf(path, sizeof path, "%s/%s.npy", folder, a->name);
    snprintf(shape, sizeof shape, a->cols ? "%lld, %lld" : "%lld,", (long long)a->rows, (long long)a->cols);
    text[LEAD - 2] = HEADER - LEAD;
    const int used =
        snprintf(text + LEAD, HEADER - LEAD, "{'descr': '%s', 'fortran_order': False, 'shape': (%s)}", a->type, shape);
    memset(text + LEAD + used, ' ', HEADER - LEAD - (size_t)used);
    text[HEADER - 1] = '\n';
    const size_t count = (size_t)(a->rows * (a->cols ? a->cols : 1));
    FILE *file = fopen(path, "wb");
    const int written = file && fwrite(text, HEADER, 1, file) == 1 && fwrite(a->values, a->size, count, file) == count;
    if ((file && fclose(file)) || !written) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    return CRU_OK;
}

/* The values of the cells that are stored, 1 where a matrix has none. */
static const float *values_of(cru_data *data, const cru_csr *m)
{
    if (m->values) return m->values;
    const int64_t count = cru_csr_nnz(m);
    float *ones = cru_data_alloc(data, count + 1, sizeof *ones);
    for (int64_t i = 0; ones && i < count; i++) ones[i] = 1;
    return ones;
}

static cru_status write_features(cru_data *data, const char *folder, int sparse, cru_error *err)
{
    const cru_csr *x = &data->x.sparse;
    const int64_t shape[] = {data->x.rows, data->x.cols};
    if (data->x.dense) {
        const array a = {"x", "<f4", data->x.dense, shape[0], shape[1], sizeof(float)};
        return write_array(folder, &a, err);
    }
    const float *values = values_of(data, x);
    if (!values) return cru_fail(err, CRU_NO_MEMORY, "no memory for features");
    if (!sparse) {
        float *dense = cru_data_alloc(data, shape[0] * shape[1], sizeof *dense);
        if (!dense) return cru_fail(err, CRU_NO_MEMORY, "no memory for features");
        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++) dense[i * shape[1] + x->ids[e]] = values[e];
        const array a = {"x", "<f4", dense, shape[0], shape[1], sizeof(float)};
        return write_array(folder, &a, err);
    }
    const int64_t count = cru_csr_nnz(x);
    const array parts[] = {{"indptr", "<i8", x->offsets, shape[0] + 1, 0, sizeof(int64_t)},
                           {"indices", "<i4", x->ids, count, 0, sizeof(int32_t)},
                           {"data", "<f4", values, count, 0, sizeof(float)},
                           {"shape", "<i8", shape, 2, 0, sizeof(int64_t)}};
    cru_status status = CRU_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++) status = write_array(folder, &parts[i], err);
    return status;
}

static cru_status write_graph(cru_data *data, const char *folder, cru_error *err)
{
    const cru_csr *g = &data->graph;
    const int64_t count = cru_csr_nnz(g);
    int32_t *pairs = cru_data_alloc(data, 2 * count + 1, sizeof *pairs);
    if (!pairs) return cru_fail(err, CRU_NO_MEMORY, "no memory for edges");
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
            pairs[e] = (int32_t)i;
            pairs[count + e] = g->ids[e];
        }
    const array a = {"pairs", "<i4", pairs, 2, count, sizeof *pairs};
    return write_array(folder, &a, err);
}

static cru_status write_data(cru_data *data, const char *folder, int sparse, cru_error *err)
{
    const array labels = {"labels", "<i4", data->labels, data->items, 0, sizeof(int32_t)};
    const array sets = {"candidates", "|u1", data->candidates, data->items, data->classes, 1};
    const array graphs = {"graphs", "<i8", data->graph_offsets, data->items + 1, 0, sizeof(int64_t)};
    cru_status status = data->x.cols ? write_features(data, folder, sparse, err) : CRU_OK;
    if (!status && data->graph.offsets) status = write_graph(data, folder, err);
    if (!status && data->labels) status = write_array(folder, &labels, err);
    if (!status && data->candidates) status = write_array(folder, &sets, err);
    return !status && data->graph_offsets ? write_array(folder, &graphs, err) : status;
}

int main(int count, char **words)
{
    if (count < 3 || (count > 3 && strcmp(words[3], "sparse"))) {
        fprintf(stderr, "usage: %s DATASET FOLDER [sparse]\n", words[0]);
        return 2;
    }
    cru_error err = {0};
    registry *plugins = NULL;
    cru_data *data = NULL;
    cru_status status = loader_scan(NULL, &plugins, NULL, &err);
    const data_request request = {.name = words[1], .plugins = plugins};
    if (!status) status = data_open(&request, &data, &err);
    if (!status) status = write_data(data, words[2], count > 3, &err);
    if (status) fprintf(stderr, "%s: %s\n", words[0], err.text);
    cru_data_destroy(data);
    registry_destroy(plugins);
    return status != CRU_OK;
}
