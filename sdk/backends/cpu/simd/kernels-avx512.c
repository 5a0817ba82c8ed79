// SPDX-License-Identifier: Apache-2.0
#define LANES 16
#define TABLE cpu_table_avx512

#include "kernels.h"
