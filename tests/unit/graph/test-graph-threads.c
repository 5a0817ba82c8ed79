// SPDX-License-Identifier: Apache-2.0
/* The same bits for one thread and for three. */
#include <crucible/cluster.h>
#include <crucible/curvature.h>
#include <crucible/draft/diffusion.h>
#include <crucible/draft/embed.h>
#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>
#include <crucible/draft/knn.h>
#include <crucible/draft/linalg.h>
#include <crucible/embed.h>
#include <crucible/knn.h>

#include "graph/cases.h"

enum { NODES = 700, COLS = 40, FEW = 6 };

/* What each function computes, one after the other, as bytes. */
typedef struct results {
    unsigned char *bytes;
    size_t size;
} results;

static void keep(results *r, const void *data, int64_t count, size_t size)
{
    size_t bytes = (size_t)count * size;
    unsigned char *longer = cru_pool_alloc(pool, (int64_t)(r->size + bytes), 1);
    if (r->size) memcpy(longer, r->bytes, r->size);
    if (bytes) memcpy(longer + r->size, data, bytes);
    r->bytes = longer;
    r->size += bytes;
}

static void keep_matrix(results *r, const cru_csr *a)
{
    keep(r, a->offsets, a->rows + 1, sizeof *a->offsets);
    keep(r, a->ids, cru_csr_nnz(a), sizeof *a->ids);
    if (a->values) keep(r, a->values, cru_csr_nnz(a), sizeof *a->values);
}

static void run_graphs(results *r, const cru_csr *g)
{
    cru_csr s = cru_graph_gcn(pool, g, CRU_LOOPS_ADD), square = cru_csr_product(pool, &s, &s);
    cru_csr ds = cru_graph_doubly_stochastic(pool, &s, 1e-3, 100), hop = cru_graph_exact_hop(pool, g, 3);
    cru_csr ppr = cru_graph_diffuse(pool, &s, &(cru_diffusion){.restart = 0.1, .top_k = 8});
    keep_matrix(r, &square);
    keep_matrix(r, &ds);
    keep_matrix(r, &hop);
    keep_matrix(r, &ppr);
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(g), sizeof *curvature);
    cru_graph_ricci(g, 0.5, curvature);
    keep(r, curvature, cru_csr_nnz(g), sizeof *curvature);
}

static void run_points(results *r, const cru_csr *g, const cru_dense *x)
{
    cru_rng rng = cru_rng_stream(1, "test", 0);
    cru_csr knn = cru_knn_graph(pool, x, &(cru_knn_options){.k = 7});
    keep_matrix(r, &knn);
    int32_t group[NODES];
    double inertia = cru_kmeans(x, &(cru_kmeans_options){.k = FEW, .restarts = 2}, &rng, group, NULL), values[FEW];
    keep(r, group, NODES, sizeof *group);
    keep(r, &inertia, 1, sizeof inertia);
    float scores[NODES * FEW], map[NODES * 2];
    ck_assert_int_eq(cru_pca(x, FEW, &rng, scores, NULL), CRU_OK);
    keep(r, scores, NODES * FEW, sizeof *scores);
    ck_assert_int_eq(cru_tsne(x, &(cru_tsne_options){.iterations = 20, .exaggerated = 10}, &rng, map, NULL), CRU_OK);
    keep(r, map, NODES * 2, sizeof *map);
    cru_csr laplacian = cru_graph_laplacian(pool, g, CRU_LAPLACIAN_SYM);
    cru_eigen_options o = {.k = FEW, .tolerance = 1e-4};
    ck_assert_int_eq(cru_eigen_sparse(&laplacian, &o, &rng, &(cru_eigenpairs){.values = values}, NULL), CRU_OK);
    keep(r, values, FEW, sizeof *values);
}

static results run_with(int32_t threads)
{
    cru_ctx_destroy(cru_ctx_create(&(cru_ctx_options){.threads = threads})); /* sets the number of threads */
    results r = {0};
    cru_csr g = random_undirected(NODES, 3 * NODES, 17);
    float *x = cru_pool_alloc(pool, NODES * COLS, sizeof *x);
    cru_rng rng = cru_rng_stream(2, "test", 0);
    for (int64_t i = 0; i < NODES * COLS; i++) x[i] = (float)cru_rng_normal(&rng);
    run_graphs(&r, &g);
    run_points(&r, &g, &(cru_dense){NODES, COLS, x});
    return r;
}

START_TEST(results_do_not_depend_on_threads)
{
    results one = run_with(1), three = run_with(3);
    ck_assert_uint_eq(one.size, three.size);
    ck_assert_int_eq(memcmp(one.bytes, three.bytes, one.size), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph-threads");
    TCase *c = tcase_create("graph-threads");
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_set_timeout(c, 200);
    tcase_add_test(c, results_do_not_depend_on_threads);
    suite_add_tcase(s, c);
    return s;
}
