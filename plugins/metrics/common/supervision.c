// SPDX-License-Identifier: Apache-2.0
#include "supervision.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/scoring.h>

/* Bits of a node. */
enum { CORRECT = 1, INCORRECT = 2, BY_CORRECT = 4, BY_INCORRECT = 8 };

static void mark_training(uint8_t *marks, const cru_data *data)
{
    for (int64_t i = 0; i < data->split.train.count; i++) {
        const int32_t v = data->split.train.ids[i];
        if (data->truth[v] == CRU_UNLABELLED || data->labels[v] == CRU_UNLABELLED) continue;
        marks[v] |= data->labels[v] == data->truth[v] ? CORRECT : INCORRECT;
    }
}

static void mark_neighbours(uint8_t *marks, const cru_csr *g)
{
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t u = g->ids[e];
            if (u == v) continue;
            marks[v] |= (uint8_t)((marks[u] & (CORRECT | INCORRECT)) << 2);
            marks[u] |= (uint8_t)((marks[v] & (CORRECT | INCORRECT)) << 2);
        }
    }
}

static bool belongs(uint8_t mark, supervision_group group)
{
    switch (group) {
    case TRAIN_CORRECT:
        return mark & CORRECT;
    case TRAIN_INCORRECT:
        return mark & INCORRECT;
    case TEST_CORRECT:
        return mark & BY_CORRECT;
    case TEST_INCORRECT:
        return mark & BY_INCORRECT;
    case TEST_SUPERVISED:
        return mark & (BY_CORRECT | BY_INCORRECT);
    case TEST_UNSUPERVISED:
        return !(mark & (BY_CORRECT | BY_INCORRECT));
    }
    return false;
}

static double accuracy(const cru_judging *j, const uint8_t *marks, supervision_question q)
{
    const cru_data *data = j->data;
    const cru_ids items = q.group <= TRAIN_INCORRECT ? data->split.train : j->items;
    const int32_t *labels = q.observed ? data->labels : data->truth;
    int64_t right = 0, count = 0;
    for (int64_t i = 0; i < items.count; i++) {
        const int64_t v = items.ids[i];
        if (!belongs(marks[v], q.group) || labels[v] == CRU_UNLABELLED) continue;
        right += cru_best_class(j->scores + v * data->classes, data->classes) == labels[v];
        count++;
    }
    return count ? (double)right / (double)count : NAN;
}

cru_status supervision_score(const cru_judging *j, supervision_question question, double *value)
{
    const cru_data *data = j->data;
    uint8_t *marks = calloc((size_t)(data->nodes ? data->nodes : 1), 1);
    if (!marks) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld nodes", (long long)data->nodes);
    mark_training(marks, data);
    if (question.group > TRAIN_INCORRECT) mark_neighbours(marks, &data->graph);
    *value = accuracy(j, marks, question);
    free(marks);
    return CRU_OK;
}
