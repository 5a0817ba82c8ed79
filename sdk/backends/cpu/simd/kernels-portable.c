// SPDX-License-Identifier: Apache-2.0
#define LANES 4
#define TABLE cpu_table_portable

#include "kernels.h"
