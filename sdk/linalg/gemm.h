// SPDX-License-Identifier: Apache-2.0
/* gemm.h: one float matrix product by one thread, for loops that share blocks among threads themselves. */
#ifndef CRU_LINALG_GEMM_H
#define CRU_LINALG_GEMM_H

#include <crucible/backend.h>

/* As cru_gemm_args says, without its batch. Call it from inside a parallel loop: oneDNN then uses the calling thread
 * only, and the bits depend on the block alone. */
void gemm_block(const cru_gemm_args *g);

#endif
