// SPDX-License-Identifier: Apache-2.0
/* view-contrast.h: the contrast of two views by which CGNN learns. */
#ifndef PLUGINS_CGNN_VIEW_CONTRAST_H
#define PLUGINS_CGNN_VIEW_CONTRAST_H

#include <crucible/crucible.h>

/* For rows a_i and b_j of two views, with cosines over the temperature T:
 *     mean over all i and j of - cos(a_i, b_j) / T + 1/2 log sum_k exp(cos(b_i, b_k) / T)
 *                                                  + 1/2 log sum_k exp(cos(a_i, a_k) / T)
 * A row of zeros has cosine 0 with all. The mean of cos(a_i, b_j) is the product of two means. */
cru_tensor *all_pairs_contrast(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature);

#endif
