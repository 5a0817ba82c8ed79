// SPDX-License-Identifier: Apache-2.0
/* transformer.h: an encoder whose attention costs O(n), as rncgln has it. */
#ifndef PLUGINS_TRANSFORMER_H
#define PLUGINS_TRANSFORMER_H

#include <crucible/crucible.h>

/* a (x - mean) / (std + 1e-6) + b for every row, with the standard deviation of n - 1. */
typedef struct row_norm {
    cru_tensor *a, *b; /* cols each; 1 and 0 at the start */
} row_norm;
row_norm row_norm_create(cru_net *net, const char *name, int64_t cols);
cru_tensor *row_norm_apply(cru_tape *t, const row_norm *norm, cru_tensor *x);

/* row_norm of features that do not change, before a linear layer: (norm x) W + c, without the dense matrix. With X' = X
 * / (std + 1e-6), rows, it is X' (a W) - (mean / (std + 1e-6)) (1 a W) + b W + c. */
typedef struct normed_input {
    cru_input scaled;  /* X' */
    cru_tensor *shift; /* - mean / (std + 1e-6): rows x 1 */
    row_norm norm;
    cru_fc fc;
} normed_input;
normed_input normed_input_create(cru_net *net, const cru_features *x, int64_t out);
cru_tensor *normed_input_apply(cru_tape *t, const normed_input *in);

/* x + Att(norm(x)), then x + Drop(FF(norm(x))). Per head Att is query' (key'^T value), key' a softmax over all rows and
 * query' one over the head's columns; then a linear layer. FF is linear, relu, dropout, linear. */
typedef struct transformer {
    row_norm norm[2];
    cru_fc key, query, value, out, wide, narrow;
    cru_tensor *same_head; /* dim x dim: 1 where both columns are of one head */
    int64_t heads;
    double dropout;
} transformer;
typedef struct transformer_shape {
    int64_t dim, heads, wide;
    double dropout;
} transformer_shape;
transformer transformer_create(cru_net *net, const transformer_shape *shape);
/* Att(h) for the rows `asking`, which are rows of h. */
cru_tensor *transformer_attend(cru_tape *t, const transformer *e, cru_tensor *h, cru_tensor *asking);
/* Only the given rows of the result, all with rows NULL: they attend to all rows of x. */
cru_tensor *transformer_apply(cru_tape *t, const transformer *e, cru_tensor *x, const cru_index *rows);

#endif
