// SPDX-License-Identifier: Apache-2.0
/* crucible.h: everything a plugin may use. Read plugin.h first, then train.h; the others as needed. */
#ifndef CRUCIBLE_H
#define CRUCIBLE_H

#include <crucible/arena.h>
#include <crucible/augment.h>
#include <crucible/backbone.h>
#include <crucible/backend.h>
#include <crucible/classifier-fit.h>
#include <crucible/cluster.h>
#include <crucible/context.h>
#include <crucible/csr.h>
#include <crucible/curvature.h>
#include <crucible/diffusion.h>
#include <crucible/embed.h>
#include <crucible/forest.h>
#include <crucible/graph-kernels.h>
#include <crucible/graph.h>
#include <crucible/imbalance.h>
#include <crucible/knn.h>
#include <crucible/learned-graph.h>
#include <crucible/linalg.h>
#include <crucible/minibatch.h>
#include <crucible/mt19937.h>
#include <crucible/nn.h>
#include <crucible/ops.h>
#include <crucible/optim.h>
#include <crucible/params.h>
#include <crucible/paths.h>
#include <crucible/plugin.h>
#include <crucible/pool.h>
#include <crucible/random.h>
#include <crucible/sampling.h>
#include <crucible/scoring.h>
#include <crucible/sparse.h>
#include <crucible/stats.h>
#include <crucible/status.h>
#include <crucible/study-rng.h>
#include <crucible/task.h>
#include <crucible/tensor.h>
#include <crucible/trace.h>
#include <crucible/train.h>
#include <crucible/transport.h>
#include <crucible/wrapper.h>

#endif
