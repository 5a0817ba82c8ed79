// SPDX-License-Identifier: Apache-2.0
#define LANES 8
#define TABLE cpu_table_avx2

#include "kernels.h"
