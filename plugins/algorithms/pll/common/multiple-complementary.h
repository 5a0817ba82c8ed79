// SPDX-License-Identifier: Apache-2.0
/* multiple-complementary.h: the risk of sets of complementary labels, for any loss of a single label.
 *
 *     C = sum_{k in S} l_k      N = sum_{k not in S} l_k      m = K - |S|
 *     paper:  L = (1/B) sum_i C_i - (|S_i| - 1) / m_i N_i              full sets: C alone
 *     bench:  L = (1/B) sum_i C_i - (|S_i| - 1) / (m_i N_i + 1e-20)    full sets: -(K - 1) 1e20, a constant
 *
 * The study's code has N below the fraction's line; its tables come from that.
 *
 * Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020. */
#ifndef PLL_MULTIPLE_COMPLEMENTARY_H
#define PLL_MULTIPLE_COMPLEMENTARY_H

#include "row-loss.h"

extern const cru_param complementary_schema[];

/* The members of a plugin that has these settings and this loss. */
#define COMPLEMENTARY_LOSS(loss_)                                                                                      \
    CRU_METHOD(variant_settings, complementary_schema, cru_no_model, .backbone = CRU_AT(variant_settings, backbone),   \
               .batch_loss = loss_)

/* The risk of the single losses l, b x classes. */
cru_tensor *complementary_risk(cru_learner *l, cru_tape *t, const cru_batch *batch, cru_tensor *single);

#endif
