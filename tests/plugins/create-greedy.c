// SPDX-License-Identifier: Apache-2.0
/* Claims nodes only and takes every task. */
#include "algorithm-stub.h"

STUB_ALGORITHM("create-greedy", CRU_NODES, .create = stub_create, .fit = stub_fit, .predict = stub_predict);
