// SPDX-License-Identifier: Apache-2.0
/* translation.h: the layer of tail-gnn, which knows what a node's neighbourhood lacks.
 *
 *     n_v = mean of x over N(v), 0 for none      m_v = x_v + r_v - n_v      what v lacks
 *     r_v = (leaky(x_v G_1 + n_v G_2) + 1) r + leaky(x_v B_1 + n_v B_2)      leaky: slope 0.2
 *     head: h_v = mean over N(v) and v of x W, + b
 *     tail: h_v = (sum over N(v) and v of x W + b + m_v W) / (|N(v)| + 2) */
#ifndef IGL_TRANSLATION_H
#define IGL_TRANSLATION_H

#include <crucible/crucible.h>

/* A graph without loops, as both branches need it. */
typedef struct tail_view {
    cru_sparse *mean, *around;           /* over N(v); sum over N(v) and v */
    cru_tensor *head_share, *tail_share; /* n x 1: 1 / (|N(v)| + 1), 1 / (|N(v)| + 2) */
    cru_input near;                      /* the mean of the features over N(v) */
} tail_view;
tail_view tail_view_create(cru_learner *l, const cru_csr *g);

typedef struct tail_layer {
    cru_fc g1, g2, b1, b2;
    cru_tensor *r, *w, *b;
} tail_layer;
/* Weights name.g1.weight, ..., name.r, name.w, name.b. */
tail_layer tail_layer_create(cru_net *net, const char *name, int64_t in, int64_t out);

/* n x in: m, of x and its means over N(v) */
cru_tensor *tail_layer_missing(cru_tape *t, const tail_layer *y, const cru_input *x, const cru_input *near);
/* n x out: the head branch, or with what is missing (not NULL) the tail branch */
cru_tensor *tail_layer_apply(cru_tape *t, const tail_layer *y, const tail_view *view, const cru_input *x,
                             cru_tensor *missing);

#endif
