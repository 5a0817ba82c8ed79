// SPDX-License-Identifier: Apache-2.0
/* quadtree.h: Barnes-Hut sums of the repulsion between points of the plane. Visible outside the library for tests. */
#ifndef CRU_LINALG_QUADTREE_H
#define CRU_LINALG_QUADTREE_H

#include <crucible/status.h>

typedef struct quadtree quadtree;

/* y: n x 2. Built anew by each call; memory is reused. */
CRU_API quadtree *cru_quadtree_create(void);
CRU_API void cru_quadtree_destroy(quadtree *tree);
CRU_API void cru_quadtree_build(quadtree *tree, const double *y, int64_t n);

/* force += sum_j q^2 (y_i - y_j), returns sum_j q, with q = 1 / (1 + |y_i - y_j|^2), over all j != i. A cell of width w
 * at distance d counts as one heavy point when w < theta d. Threads may share a built tree. */
CRU_API double cru_quadtree_repulsion(const quadtree *tree, int64_t i, double theta, double force[2]);

#endif
