// SPDX-License-Identifier: Apache-2.0
/* draft/ops-image.h: convolution, pooling, the arithmetic of normalisation layers, recurrent cells, embedding. Images
 * are b x channels x height x width. */
#ifndef CRUCIBLE_DRAFT_OPS_IMAGE_H
#define CRUCIBLE_DRAFT_OPS_IMAGE_H

#include <crucible/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_conv_shape {
    int64_t stride, pad, groups; /* 0 means 1 for stride and groups */
} cru_conv_shape;

/* cross-correlation: b x i x h x w, o x i/groups x kh x kw, bias o or NULL -> b x o x oh x ow */
CRU_API cru_tensor *cru_conv2d(cru_tape *t, cru_tensor *x, cru_tensor *weight, cru_tensor *bias, cru_conv_shape shape);

typedef struct cru_pool_shape {
    int64_t kernel, stride, pad; /* stride 0: the kernel's size */
} cru_pool_shape;

CRU_API cru_tensor *cru_max_pool2d(cru_tape *t, cru_tensor *x, cru_pool_shape shape);
CRU_API cru_tensor *cru_avg_pool2d(cru_tape *t, cru_tensor *x, cru_pool_shape shape);
/* mean over height and width: b x c x h x w -> b x c */
CRU_API cru_tensor *cru_global_avg_pool(cru_tape *t, cru_tensor *x);

/* Batch norm over axis 1 of n x c or b x c x h x w. Train mode: batch statistics (biased), and the running ones move
 * (variance unbiased); eval mode: the running ones. gain, shift: c or NULL. */
CRU_API cru_tensor *cru_batch_norm(cru_tape *t, cru_tensor *x, cru_tensor *gain, cru_tensor *shift,
                                   const cru_norm_state *state);
/* each row to mean 0 and variance 1, then gain and shift per column (or NULL): n x c */
CRU_API cru_tensor *cru_layer_norm(cru_tape *t, cru_tensor *x, cru_tensor *gain, cru_tensor *shift, double eps);
/* graph norm (Cai et al.): per segment of rows, x - alpha * mean over std, then gain and shift */
typedef struct cru_graph_norm_weights {
    cru_tensor *alpha, *gain, *shift; /* each c */
} cru_graph_norm_weights;
CRU_API cru_tensor *cru_graph_norm(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments,
                                   const cru_graph_norm_weights *w, double eps);
/* pair norm (Zhao, Akoglu): centre the columns, then scale * x / sqrt(mean squared row norm + eps) */
CRU_API cru_tensor *cru_pair_norm(cru_tape *t, cru_tensor *x, double scale, double eps);

/* Weights of a recurrent cell, PyTorch's gate order (LSTM: i f g o; GRU: r z n), stored in x (gates * hidden). */
typedef struct cru_cell {
    cru_tensor *input, *hidden, *input_bias, *hidden_bias;
} cru_cell;
typedef struct cru_lstm_state {
    cru_tensor *h, *c;
} cru_lstm_state;
CRU_API cru_lstm_state cru_lstm_cell(cru_tape *t, const cru_cell *w, cru_tensor *x, cru_lstm_state state);
CRU_API cru_tensor *cru_gru_cell(cru_tape *t, const cru_cell *w, cru_tensor *x, cru_tensor *h);

/* rows of a table: cru_gather with the gradient left sparse-friendly; table v x c, ids n -> n x c */
CRU_API cru_tensor *cru_embedding(cru_tape *t, cru_tensor *table, cru_index ids);

#ifdef __cplusplus
}
#endif
#endif
