// SPDX-License-Identifier: Apache-2.0
/* The counts that a card promises, against the data that came out of its files. */

#include "data/card.h"

typedef struct promise {
    const char *what;
    int64_t expected, found;
} promise;

cru_status card_check(const card *c, const cru_data *data, cru_error *err)
{
    static const cru_split none;
    const cru_split *official = data->official_count > 0 ? &data->official[0] : &none;
    const card_expect *e = &c->expect;
    const promise promises[] = {
        {"items", e->items, data->items},
        {"nodes", e->nodes, data->nodes},
        {"edges", e->edges, cru_csr_nnz(&data->graph)},
        {"features", e->features, data->x.cols},
        {"classes", e->classes, data->classes},
        {"graphs", e->graphs, data->problem == CRU_GRAPHS ? data->items : 1},
        {"official splits", e->official, data->official_count},
        {"training items in the first official split", e->train, official->train.count},
        {"validation items in the first official split", e->val, official->val.count},
        {"test items in the first official split", e->test, official->test.count},
    };
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const promise *p = &promises[i];
        if (p->expected >= 0 && p->expected != p->found) {
            return cru_fail(err, CRU_BAD_INPUT, "%s: the card expects %lld %s, the files hold %lld", c->path,
                            (long long)p->expected, p->what, (long long)p->found);
        }
    }
    return CRU_OK;
}
