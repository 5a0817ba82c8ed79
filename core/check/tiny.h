// SPDX-License-Identifier: Apache-2.0
/* Problems small enough to be solved in an instant, with the peculiarities that break methods. */
#ifndef CORE_CHECK_TINY_H
#define CORE_CHECK_TINY_H

#include <stdbool.h>

#include <crucible/task.h>

typedef struct tiny_problem {
    const char *name;
    cru_problem problem;
    bool sparse; /* features in CSR */
    bool one_feature;
    bool missing_class; /* the last class has no item in train */
    bool isolated;      /* node 0 has no edge */
    bool no_edges;      /* no node has */
    bool candidates;    /* partial labels */
    bool images;        /* 8 x 8 in three colours */
} tiny_problem;

/* Ends with a NULL name. The first problem of each kind is the plain one. */
extern const tiny_problem tiny_problems[];
const tiny_problem *tiny_plain(cru_problem problem);

/* A learnable problem with split and labels, always the same one. The caller destroys it. Running out of memory is a
 * panic, as is a problem that breaks the rules of task.h. */
cru_data *tiny_create(const tiny_problem *problem);

#endif
