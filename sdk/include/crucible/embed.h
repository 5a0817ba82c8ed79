// SPDX-License-Identifier: Apache-2.0
/* embed.h: low-dimensional pictures of points: t-SNE. */
#ifndef CRUCIBLE_EMBED_H
#define CRUCIBLE_EMBED_H

#include <crucible/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* t-SNE into two dimensions. A zeroed field takes the default in its comment. */
typedef struct cru_tsne_options {
    double perplexity;    /* 30; lowered to (n - 1) / 3 on fewer points */
    double exaggeration;  /* 12 */
    int32_t exaggerated;  /* 250: iterations with exaggeration and momentum .5; then momentum .8 */
    int32_t iterations;   /* 1000 */
    double learning_rate; /* max(n / 48, 50) */
    double theta;         /* 0.5: Barnes-Hut opening angle, neighbours limited to 3 * perplexity */
    bool exact;           /* all pairs, O(n^2) a step; theta is not used */
} cru_tsne_options;

/* out: x->rows x 2, started from PCA scaled to a standard deviation of 1e-4. options may be NULL. */
CRU_API cru_status cru_tsne(const cru_dense *x, const cru_tsne_options *options, cru_rng *rng, float *out,
                            cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
