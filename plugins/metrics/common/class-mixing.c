#include "class-mixing.h"

#include <math.h>
#include <stdlib.h>

static void count_edges(class_mixing *m, const cru_data *data)
{
    const cru_csr *g = &data->graph;
    for (int64_t v = 0; v < g->rows; v++) {
        const int32_t to = data->truth[v];
        if (to == CRU_UNLABELLED) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t from = data->truth[g->ids[e]];
            if (g->ids[e] == v || from == CRU_UNLABELLED) continue;
            m->pairs[(int64_t)from * m->classes + to]++;
            m->received[to]++;
            m->edges++;
        }
    }
}

cru_status class_mixing_take(class_mixing *m, const cru_data *data, cru_error *err)
{
    const size_t classes = (size_t)data->classes;
    *m = (class_mixing){.classes = data->classes,
                        .pairs = calloc(classes * classes, sizeof *m->pairs),
                        .received = calloc(classes, sizeof *m->received)};
    if (!m->pairs || !m->received)
        return cru_fail(err, CRU_NO_MEMORY, "no memory for %d x %d classes", data->classes, data->classes);
    count_edges(m, data);
    return CRU_OK;
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

cru_status class_mixing_score(const cru_evidence *evidence, mixing_measure *measure, double *value, cru_error *err)
{
    class_mixing m;
    cru_status status = class_mixing_take(&m, evidence->data, err);
    if (!status) *value = m.edges ? measure(&m) : NAN;
    class_mixing_free(&m);
    return status;
}
