// SPDX-License-Identifier: Apache-2.0
/* tiles.h: the inner products of a matrix's rows with each other, one half of them. Private to the operators.
 *
 * They are symmetric, so only square tiles on and right of the diagonal are computed: some rows I against some rows J
 * that are the same or come later. Those right of the diagonal also serve the rows J, transposed. */
#ifndef CRUCIBLE_OPS_TILES_H
#define CRUCIBLE_OPS_TILES_H

#include "autograd/tape.h"

/* Most rows of a tile, whose numbers stay in the second-level cache. */
enum { TILE = 512 };

typedef struct tile {
    int64_t first, rows; /* I */
    int64_t other, cols; /* J */
} tile;

/* The tile after `b`; from a zeroed one, the first. False: there is none. */
bool next_tile(int64_t n, tile *b);
bool on_diagonal(const tile *b);
int64_t tile_floats(int64_t n); /* room for every tile of n rows */

/* s = scale x_i x_j, rows x cols */
void tile_products(cru_tape *t, const cru_tensor *x, const tile *b, float scale, float *s);

/* dx_i += scale sum_j s_ij x_j, and right of the diagonal dx_j += scale sum_i s_ij x_i. */
void tile_gradient(cru_tape *t, const cru_tensor *x, const tile *b, float scale, const float *s, float *dx);

#endif
