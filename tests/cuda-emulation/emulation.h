// SPDX-License-Identifier: Apache-2.0
/* emulation.h: what tests may ask of the emulated card. */
#ifndef EMULATION_H
#define EMULATION_H

#include <stdbool.h>
#include <stddef.h>

#include <crucible/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The CUDA backend, compiled against the emulation. */
const cru_backend *emulated_backend(void);

void emulation_set_cards(int count);     /* 1 at the start; 0: no GPU */
void emulation_set_driver(bool there);   /* whether there is one at all */
void emulation_set_old_driver(bool old); /* the driver refuses */
void emulation_set_old_card(bool old);   /* no kernel image for the card */
void emulation_set_memory(size_t bytes); /* of the card; 4 GiB at the start */
void emulation_fail_next_launch(void);   /* one launch reports a failure */

size_t emulation_memory_in_use(void); /* bytes of device memory that were not given back */
long emulation_waits(void);           /* how often the host waited for the device so far */
long emulation_descriptors(void);     /* of cuSPARSE that live */
long emulation_preprocessed(void);    /* how often cuSPARSE prepared a matrix so far */
long emulation_products(void);        /* SpMM and SDDMM of cuSPARSE so far */
long emulation_conversions(void);     /* of CSR to CSC by cuSPARSE so far */

#ifdef __cplusplus
}
#endif
#endif
