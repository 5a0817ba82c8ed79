// SPDX-License-Identifier: Apache-2.0
/* The numbers of a task, as they stand in its image. */
#ifndef CRU_TASK_PARTS_FACTS_H
#define CRU_TASK_PARTS_FACTS_H

#include <stdint.h>

typedef struct task_facts {
    int64_t problem, items, nodes, classes;
    int64_t relations;
    int64_t rows, cols, channels, height, width; /* of the features */
    uint64_t seed;
} task_facts;

#endif
