#define LANES 8
#define TABLE cpu_table_avx2

#include "kernels.h"
