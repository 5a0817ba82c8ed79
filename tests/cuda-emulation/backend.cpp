// SPDX-License-Identifier: Apache-2.0
#include "emulation.h"

extern const cru_backend cuda_table;

const cru_backend *emulated_backend(void)
{
    return &cuda_table;
}
