// SPDX-License-Identifier: Apache-2.0
/* crucible.h: everything a plugin may use, and the table of contents: chapters in the order in which an author meets
 * them. Who writes a method reads plugin.h, then train.h; the others as needed. */
#ifndef CRUCIBLE_H
#define CRUCIBLE_H

/* clang-format off */

/* 1. The boundary: what a plugin is and is handed */
#include <crucible/plugin.h>          /* the kinds of plugin, what each exports, when each function is called */
#include <crucible/task.h>            /* the learning problem: items, features, graph, labels, parts */
#include <crucible/params.h>          /* settings, declared once: documented, validated and searched from that */
#include <crucible/status.h>          /* how functions fail */
#include <crucible/context.h>         /* what the host lends: memory, streams, threads, the log */
#include <crucible/pool.h>            /* where results go: the memory of a context, a tape, an arena or a dataset */
#include <crucible/arena.h>           /* memory that is given back all at once */

/* 2. A method */
#include <crucible/train.h>           /* from a model and a loss to a plugin: read this after plugin.h */
#include <crucible/minibatch.h>       /* training in steps on minibatches of rows or images */
#include <crucible/backbone.h>        /* networks for rows and images, chosen by settings */
#include <crucible/wrapper.h>         /* methods that take another method by name */
#include <crucible/encoder.h>         /* graph networks inside other methods, chosen by settings */
#include <crucible/encoder-plugin.h>  /* layers from a plugin, in place of those of a backbone */
#include <crucible/classifier-fit.h>  /* a classifier trained by itself, without a learner */

/* 3. Computing with gradients */
#include <crucible/tensor.h>          /* tensors, the tape, gradients */
#include <crucible/ops-basic.h>       /* functions, products, reductions, shapes; the order of evaluation */
#include <crucible/ops-loss.h>        /* losses */
#include <crucible/ops-sparse.h>      /* graphs, sparse inputs, segments */
#include <crucible/nn.h>              /* nets, their initialisation, layers */
#include <crucible/learned-graph.h>   /* graphs whose weights are learned, and convolutions over them */
#include <crucible/optim.h>           /* optimisers */

/* 4. Chance */
#include <crucible/random.h>          /* counter-based numbers in named streams */
#include <crucible/study-rng.h>       /* numbers as a published study drew them, or our own */
#include <crucible/mt19937.h>         /* the studies' generators, bit for bit */
#include <crucible/sampling.h>        /* some of the edges of a graph */

/* 5. Graphs and matrices */
#include <crucible/sparse.h>          /* compressed sparse rows: the one layout of graphs and sparse features */
#include <crucible/csr.h>             /* making and combining them */
#include <crucible/graph.h>           /* as graphs: symmetry, loops, normalisation, parts */
#include <crucible/paths.h>           /* what hangs together */
#include <crucible/diffusion.h>       /* personalised PageRank */
#include <crucible/curvature.h>       /* Ollivier-Ricci curvature */
#include <crucible/linalg.h>          /* dense linear algebra in double */
#include <crucible/cluster.h>         /* grouping points */
#include <crucible/knn.h>             /* exact nearest neighbours */
#include <crucible/embed.h>           /* pictures of points: t-SNE */

/* 6. Measuring */
#include <crucible/imbalance.h>       /* how unequal the training items are */
#include <crucible/scoring.h>         /* the arithmetic that stopping rules and metrics share */
#include <crucible/stats.h>           /* whether samples differ */

/* 7. Devices */
#include <crucible/backend.h>         /* the kernels of a device */
#include <crucible/trace.h>           /* watching operators at work */

/* 8. Drafts: what one plugin or none uses so far, outside the promise that nothing moves (sdk/abi). At its second user
 * a part moves from draft/NAME.h to NAME.h. A plugin that uses one should include it by name, to show that it does. */
#include <crucible/draft/arena.h>             /* how much memory an arena holds */
#include <crucible/draft/augment.h>           /* distorted views of images */
#include <crucible/draft/blocks.h>            /* the part of a graph that a layer needs for some nodes */
#include <crucible/draft/cluster.h>           /* grouping nodes */
#include <crucible/draft/csr.h>               /* further ways to combine sparse matrices */
#include <crucible/draft/curvature.h>         /* how well labelled nodes reach the others */
#include <crucible/draft/diffusion.h>         /* single rows and columns of PageRank, heat */
#include <crucible/draft/embed.h>             /* principal components */
#include <crucible/draft/forest.h>            /* random forests of classification trees */
#include <crucible/draft/graph-kernels.h>     /* how alike two graphs are: histograms of substructures */
#include <crucible/draft/graph.h>             /* Laplacians, neighbourhoods, balancing, blocks */
#include <crucible/draft/imbalance.h>         /* repeating small classes, and an imbalance of places */
#include <crucible/draft/knn.h>               /* nearest neighbours as a graph */
#include <crucible/draft/linalg.h>            /* factorisations, and the leading factors of large matrices */
#include <crucible/draft/minibatch.h>         /* batches and steps by hand */
#include <crucible/draft/mt19937.h>           /* the further draws of the studies' generators */
#include <crucible/draft/nn.h>                /* looking into nets, and layers that one method or none uses so far */
#include <crucible/draft/ops-basic.h>         /* further elementwise functions, products, reductions and rows */
#include <crucible/draft/ops-image.h>         /* convolution, pooling, normalisation, recurrent cells, embedding */
#include <crucible/draft/ops-loss.h>          /* losses that one method or none uses so far */
#include <crucible/draft/ops-sparse.h>        /* further operators on edges, segments and sparse input */
#include <crucible/draft/optim.h>             /* single weights and rows, clipping, and learning-rate schedules */
#include <crucible/draft/paths.h>             /* breadth-first and depth-first search */
#include <crucible/draft/random.h>            /* blocks of numbers, and laws that one method or none draws from */
#include <crucible/draft/sampling.h>          /* random walks, neighbours and non-edges */
#include <crucible/draft/scoring.h>           /* recall among the highest */
#include <crucible/draft/softplus-products.h> /* what absent edges cost when a graph is scored by inner products */
#include <crucible/draft/tensor.h>            /* weights, gradients and modes by hand, for what train.h does not do */
#include <crucible/draft/train.h>             /* further parts for methods that write their own epoch */
#include <crucible/draft/transport.h>         /* moving mass at least cost */
#include <crucible/draft/walk-table.h>        /* embeddings of nodes from random walks */

/* clang-format on */

#endif
