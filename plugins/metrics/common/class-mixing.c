// SPDX-License-Identifier: Apache-2.0
#include "class-mixing.h"

#include <math.h>
#include <stdlib.h>

#include "edges.h"

typedef struct counting {
    const uint16_t *codes;
    int64_t classes, *pairs;
} counting;

static inline void count_pair(void *user, int64_t row, int32_t source)
{
    const counting *c = user;
    c->pairs[c->codes[source] * c->classes + c->codes[row]]++;
}

/* Each part counts for itself; the sum does not depend on how many there are. */
static cru_status count_pairs(class_mixing *m, const cru_data *data, cru_error *err)
{
    const int32_t parts = edge_parts(&data->graph);
    const int64_t pairs = (int64_t)m->classes * m->classes;
    uint16_t *codes = class_codes(data, err);
    int64_t *counts = calloc((size_t)(parts * pairs), sizeof *counts);
    const bool enough = codes && counts;
#pragma omp parallel for num_threads(parts)
    for (int32_t part = 0; part < parts; part++) {
        if (!enough) continue;
        const edge_scan scan = edge_scan_rows((edge_scan){.graph = &data->graph, .codes = codes}, part, parts);
        counting c = {codes, m->classes, counts + part * pairs};
        edges_visit(&scan, count_pair, &c);
    }
    for (int64_t k = 0; enough && k < parts * pairs; k++) m->pairs[k % pairs] += counts[k];
    free(codes);
    free(counts);
    return enough ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for %d x %d classes", m->classes, m->classes);
}

cru_status class_mixing_take(class_mixing *m, const cru_data *data, cru_error *err)
{
    const size_t classes = (size_t)data->classes;
    *m = (class_mixing){.classes = data->classes,
                        .pairs = calloc(classes * classes, sizeof *m->pairs),
                        .received = calloc(classes, sizeof *m->received)};
    if (!m->pairs || !m->received)
        return cru_fail(err, CRU_NO_MEMORY, "no memory for %d x %d classes", data->classes, data->classes);
    cru_status status = count_pairs(m, data, err);
    for (int64_t k = 0; k < (int64_t)(classes * classes); k++) {
        m->received[k % m->classes] += m->pairs[k];
        m->edges += m->pairs[k];
    }
    return status;
}

void class_mixing_free(class_mixing *m)
{
    free(m->pairs);
    free(m->received);
}

double class_mixing_share(const class_mixing *m, int32_t class)
{
    return m->received[class] ? (double)m->received[class] / (double)m->edges : 1e-8;
}

cru_status class_mixing_score(const cru_judging *j, mixing_measure *measure, double *value)
{
    class_mixing m;
    cru_status status = class_mixing_take(&m, j->data, j->err);
    if (!status) *value = m.edges ? measure(&m) : NAN;
    class_mixing_free(&m);
    return status;
}
