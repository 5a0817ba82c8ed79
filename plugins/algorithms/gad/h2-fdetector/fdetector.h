// SPDX-License-Identifier: Apache-2.0
/* fdetector.h: the parts of h2-fdetector, whose formulas are in h2-fdetector.c. */
#ifndef GAD_FDETECTOR_H
#define GAD_FDETECTOR_H

#include <crucible/crucible.h>

enum { SIGN_WIDTH = 4 }; /* columns of a node in the sign net */

/* Edges u -> v as pairs of nodes. */
typedef struct edge_list {
    int32_t *source, *target;
    float *same; /* 1: both ends have one label, -1: not */
    int64_t count;
} edge_list;

typedef struct edge_type {
    cru_sparse *adj;
    cru_fc in, attention; /* W_t; w_t, c_t: (2 classes) x 1 */
} edge_type;

typedef struct fdetector {
    cru_fc node, sign, out; /* W_d, W_f, W_l */
    edge_type *type;        /* the relations, then all of them together */
    int64_t types, heads;
    double edge_weight, prototype_weight, dropout;
    bool always; /* drop while judging, too */
    cru_ids anomalies, normals;
    edge_list known; /* edges of all relations whose ends are both in the training part */
} fdetector;

/* What a step learns from; ids of nodes, numbers of `known` edges. */
typedef struct fdetector_draw {
    cru_ids normals;    /* for the cross-entropy */
    cru_ids edges;      /* all edges of unequal ends and as many of equal ones */
    cru_ids prototypes; /* normals for the prototype term */
} fdetector_draw;

cru_tensor *fdetector_logits(cru_learner *l, const fdetector *m, cru_tape *t);
cru_tensor *fdetector_loss(cru_learner *l, const fdetector *m, cru_tape *t, cru_tensor *logits,
                           const fdetector_draw *draw);

#endif
