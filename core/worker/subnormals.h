// SPDX-License-Identifier: Apache-2.0
/* Numbers too small for a full mantissa (below 1.2e-38) count as zero while a method trains. Weight decay drives the
 * weights of a dead unit there within some thousand steps, and each operation on such a number takes a processor a
 * hundred times as long as on others. */
#ifndef CRU_RUNNER_SUBNORMALS_H
#define CRU_RUNNER_SUBNORMALS_H

#include <stdint.h>

/* For the calling thread and those that it starts from now on. Gives what subnormals_restore needs. */
uint64_t subnormals_flush(void);
void subnormals_restore(uint64_t before);

#endif
