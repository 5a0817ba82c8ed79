// SPDX-License-Identifier: Apache-2.0
/* pattern-memory.h: what large graphs have taught about parts that occur together, asked with a representation q.
 *
 *     Gamma_ij = leaky(w_i (q U)_j)      B likewise with its own w and U      leaky: slope 0.2
 *     p(q) = leaky(((Gamma + 1) * K + B) M)^T eta                             *: element by element
 *
 * where K is size x size, M size x width and U width x size. All drawn Glorot uniform. */
#ifndef IGL_PATTERN_MEMORY_H
#define IGL_PATTERN_MEMORY_H

#include <crucible/crucible.h>

typedef struct pattern_memory {
    cru_tensor *know, *m, *eta;   /* size x size; size x width; size x 1 */
    cru_tensor *w_gamma, *w_beta; /* size x 1 */
    cru_tensor *u_gamma, *u_beta; /* width x size */
} pattern_memory;

/* Weights memory.know, memory.m, memory.eta, memory.w_gamma, memory.w_beta, memory.u_gamma, memory.u_beta. */
pattern_memory pattern_memory_create(cru_net *net, int64_t width, int64_t size);

/* p of every row: n x width -> n x width. Takes memory for n matrices of size x size. */
cru_tensor *pattern_memory_recall(cru_tape *t, const pattern_memory *memory, cru_tensor *q);

/* mean of -ln sigmoid(cos(p_i, positive_i) - cos(p_i, negative_i)) over the rows */
cru_tensor *pattern_relevance(cru_tape *t, cru_tensor *p, cru_tensor *positive, cru_tensor *negative);

#endif
