// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <crucible/draft/csr.h>
#include <crucible/graph.h>

#include "formats/load-format.h"
#include "json-fixture.h"

static double edge_homophily(const cru_data *d)
{
    int64_t same = 0;
    for (int64_t v = 0; v < d->nodes; v++)
        for (int64_t e = d->graph.offsets[v]; e < d->graph.offsets[v + 1]; e++)
            same += d->truth[v] == d->truth[d->graph.ids[e]];
    return (double)same / (double)cru_csr_nnz(&d->graph);
}

static int64_t class_count(const cru_data *d, int32_t c)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->items; i++) count += d->truth[i] == c;
    return count;
}

static uint64_t fingerprint(const cru_data *d)
{
    uint64_t h = 1469598103934665603u;
    for (int64_t i = 0; i < d->items; i++) h = (h ^ (uint64_t)d->truth[i]) * 1099511628211u;
    for (int64_t e = 0; e < cru_csr_nnz(&d->graph); e++) h = (h ^ (uint64_t)d->graph.ids[e]) * 1099511628211u;
    for (int64_t i = 0; d->x.dense && i < d->x.rows * d->x.cols; i++)
        h = (h ^ (uint64_t)(int64_t)(1e3f * d->x.dense[i])) * 1099511628211u;
    for (int64_t e = 0; e < cru_csr_nnz(&d->x.sparse); e++) h = (h ^ (uint64_t)d->x.sparse.ids[e]) * 1099511628211u;
    return h;
}

static bool is_symmetric_without_loops(const cru_csr *g)
{
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int32_t u = g->ids[e];
            bool back = false;
            for (int64_t f = g->offsets[u]; f < g->offsets[u + 1]; f++) back = back || g->ids[f] == v;
            if (u == v || !back) return false;
        }
    }
    return true;
}

static const char *const generators[] = {"csbm",          "blobs",        "moons", "rmat", "preferential-attachment",
                                         "regular-graph", "graph-motifs", NULL};

START_TEST(the_seed_decides_everything)
{
    cru_data *a = format_must_load(&(format_run){.name = generators[_i], .seed = 7});
    cru_data *again = format_must_load(&(format_run){.name = generators[_i], .seed = 7});
    cru_data *other = format_must_load(&(format_run){.name = generators[_i], .seed = 8});
    ck_assert_uint_eq(fingerprint(a), fingerprint(again));
    ck_assert_uint_ne(fingerprint(a), fingerprint(other));
    for (int64_t i = 0; i < a->items; i++) ck_assert_int_eq(a->labels[i], a->truth[i]);
    cru_data_destroy(a);
    cru_data_destroy(again);
    cru_data_destroy(other);
}
END_TEST

START_TEST(csbm_meets_degree_and_homophily)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "csbm", .settings = {"nodes", "20000", "degree", "10", "homophily", "0.3", "classes", "5"}});
    ck_assert_int_eq(d->nodes, 20000);
    ck_assert_int_eq(d->classes, 5);
    ck_assert(is_symmetric_without_loops(&d->graph));
    /* 100000 undirected edges expected, Poisson-like: five standard deviations are 1.6 % */
    ck_assert_double_eq_tol((double)cru_csr_nnz(&d->graph) / 2e5, 1, 0.016);
    ck_assert_double_eq_tol(edge_homophily(d), 0.3, 5 * sqrt(0.3 * 0.7 / 1e5));
    for (int32_t c = 0; c < 5; c++) ck_assert_int_eq(class_count(d, c), 4000);
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_features_lie_around_class_centres)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "csbm", .settings = {"nodes", "4000", "classes", "2", "features", "3", "signal", "6", "degree", "0"}});
    double mean[2][3] = {{0}}, count[2] = {0}, square = 0;
    for (int64_t i = 0; i < d->nodes; i++) {
        count[d->truth[i]]++;
        for (int j = 0; j < 3; j++) mean[d->truth[i]][j] += d->x.dense[3 * i + j];
    }
    for (int c = 0; c < 2; c++)
        for (int j = 0; j < 3; j++) mean[c][j] /= count[c];
    for (int64_t i = 0; i < d->nodes; i++)
        for (int j = 0; j < 3; j++) square += pow(d->x.dense[3 * i + j] - mean[d->truth[i]][j], 2);
    ck_assert_double_eq_tol(square / (double)(3 * d->nodes), 1, 5 * sqrt(2.0 / (3 * 4000)));
    double apart = 0;
    for (int j = 0; j < 3; j++) apart += pow(mean[0][j] - mean[1][j], 2);
    ck_assert_double_gt(sqrt(apart), 1); /* two random centres of length 6 */
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_words_prefer_the_columns_of_the_class)
{
    cru_data *d = format_must_load(&(format_run){.name = "csbm",
                                                 .settings = {"nodes", "2000", "classes", "4", "features", "1000",
                                                              "sparse", "true", "words", "10", "signal", "1"}});
    ck_assert_ptr_null(d->x.dense);
    int64_t own = 0, all = cru_csr_nnz(&d->x.sparse);
    for (int64_t v = 0; v < d->nodes; v++)
        for (int64_t e = d->x.sparse.offsets[v]; e < d->x.sparse.offsets[v + 1]; e++)
            own += d->x.sparse.ids[e] / 250 == d->truth[v];
    /* half of the words from the class's quarter, half from anywhere: 1/2 + 1/2 * 1/4; repeats take a little off */
    ck_assert_double_eq_tol((double)own / (double)all, 0.625, 0.02);
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_imbalance_is_the_ratio_of_extreme_classes)
{
    cru_data *d = format_must_load(
        &(format_run){.name = "csbm", .settings = {"nodes", "7000", "classes", "3", "imbalance", "4"}});
    /* 4 : 2 : 1 */
    ck_assert_int_eq(class_count(d, 0), 4000);
    ck_assert_int_eq(class_count(d, 1), 2000);
    ck_assert_int_eq(class_count(d, 2), 1000);
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_relations_share_the_degree)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "csbm", .settings = {"nodes", "5000", "degree", "12", "homophily", "0.6", "relations", "3"}});
    ck_assert_int_eq(d->relation_count, 3);
    ck_assert_str_eq(d->relations[0].name, "r1");
    ck_assert_str_eq(d->relations[2].name, "r3");
    for (int r = 0; r < 3; r++) {
        ck_assert(is_symmetric_without_loops(&d->relations[r].graph));
        /* 10000 undirected edges expected: five standard deviations are 5 % */
        ck_assert_double_eq_tol((double)cru_csr_nnz(&d->relations[r].graph) / 2e4, 1, 0.05);
    }
    cru_csr merged = cru_graph_merge(cru_data_pool(d), d->relations, 3, CRU_DUP_FIRST);
    ck_assert_int_eq(cru_csr_nnz(&merged), cru_csr_nnz(&d->graph));
    ck_assert_mem_eq(merged.ids, d->graph.ids, (size_t)cru_csr_nnz(&merged) * sizeof *merged.ids);
    ck_assert_double_eq_tol(edge_homophily(d), 0.6, 5 * sqrt(0.6 * 0.4 / 3e4));
    /* independent draws: two sparse relations hardly overlap */
    cru_csr rest = cru_csr_without(cru_data_pool(d), &d->relations[0].graph, &d->relations[1].graph);
    ck_assert_int_gt(cru_csr_nnz(&rest), cru_csr_nnz(&d->relations[0].graph) * 9 / 10);
    cru_error err = {0};
    ck_assert_msg(cru_data_check(d, &err) == CRU_OK, "%s", err.text);
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_refuses_what_does_not_fit)
{
    cru_data *d;
    cru_error err = {0};
    ck_assert_int_eq(format_load(&(format_run){.name = "csbm", .settings = {"nodes", "10", "degree", "20"}}, &d, &err),
                     CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "no room for degree 20"));
    err = (cru_error){0};
    ck_assert_int_eq(format_load(&(format_run){.name = "csbm", .settings = {"task", "anomaly"}}, &d, &err),
                     CRU_BAD_INPUT);
}
END_TEST

START_TEST(csbm_takes_the_smallest_sizes)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "csbm", .settings = {"nodes", "2", "classes", "1", "degree", "1", "homophily", "1", "features", "1"}});
    ck_assert_int_eq(cru_csr_nnz(&d->graph), 2); /* p = 1: the one possible edge, both ways */
    cru_data_destroy(d);
}
END_TEST

START_TEST(csbm_makes_anomaly_tasks)
{
    cru_data *d = format_must_load(
        &(format_run){.name = "csbm", .settings = {"task", "anomaly", "classes", "2", "imbalance", "9"}});
    ck_assert_int_eq(d->problem, CRU_ANOMALY);
    ck_assert_int_eq(class_count(d, 1), 100);
    cru_data_destroy(d);
}
END_TEST

START_TEST(regular_graphs_have_exact_homophily)
{
    cru_data *d = format_must_load(&(format_run){.name = "regular-graph", .settings = {"homophily", "0.15"}});
    ck_assert_int_eq(d->nodes, 2000);
    for (int64_t v = 0; v < d->nodes; v++) ck_assert_int_eq(d->graph.offsets[v + 1] - d->graph.offsets[v], 2 + 11);
    ck_assert_double_eq_tol(edge_homophily(d), 2.0 / 13, 1e-12);
    for (int64_t e = 0, v = 0; v < d->nodes; v++)
        for (; e < d->graph.offsets[v + 1]; e++) ck_assert_int_ne(d->graph.ids[e], v);
    cru_data_destroy(d);
}
END_TEST

START_TEST(regular_graphs_round_the_study_s_levels)
{
    cJSON *root = fixture_open("heterophily/generators-rg-pa.json");
    const cJSON *item = fixture_case(root, "rg_inter_degree");
    double target[40], inter[40], realised[40];
    const int64_t levels = fixture_numbers(fixture_input(item, "targets"), target);
    fixture_numbers(fixture_expected(item, "inter_degree"), inter);
    fixture_numbers(fixture_expected(item, "realised_h_edge"), realised);
    for (int64_t i = 0; i < levels; i++) {
        char level[32];
        snprintf(level, sizeof level, "%g", target[i]);
        cru_data *d = format_must_load(
            &(format_run){.name = "regular-graph", .settings = {"homophily", level, "class_size", "40"}});
        for (int64_t v = 0; v < d->nodes; v++)
            ck_assert_int_eq(d->graph.offsets[v + 1] - d->graph.offsets[v], 2 + (int64_t)inter[i]);
        ck_assert_double_eq_tol(edge_homophily(d), realised[i], 1e-8);
        cru_data_destroy(d);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(random_regular_graphs_meet_homophily_on_average)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "regular-graph", .settings = {"homophily", "0.4", "mode", "random", "class_size", "2000"}});
    ck_assert(is_symmetric_without_loops(&d->graph));
    ck_assert_double_eq_tol(edge_homophily(d), 0.4, 0.02);
    cru_data_destroy(d);
}
END_TEST

START_TEST(preferential_attachment_has_the_published_homophily)
{
    /* means over ten graphs of the study's generator, which vary by about 0.01 */
    static const struct {
        const char *mu;
        double homophily;
    } levels[] = {{"0", 0.001}, {"0.3", 0.204}, {"0.5", 0.366}, {"0.7", 0.572}, {"0.9", 0.832}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 4; seed++) {
            cru_data *d = format_must_load(
                &(format_run){.name = "preferential-attachment", .settings = {"mu", levels[k].mu}, .seed = seed});
            sum += edge_homophily(d) / 4;
            ck_assert_int_eq(d->graph.offsets[1], 0); /* the first node stays alone */
            ck_assert_int_eq(cru_csr_nnz(&d->graph), 2 * (38 + 6 * 1960));
            cru_data_destroy(d);
        }
        ck_assert_double_eq_tol(sum, levels[k].homophily, 0.015);
    }
}
END_TEST

START_TEST(preferential_attachment_without_choices_ends)
{
    cru_data *d = format_must_load(
        &(format_run){.name = "preferential-attachment",
                      .settings = {"mu", "1", "nodes", "60", "start", "3", "classes", "20", "edges", "30"}});
    ck_assert(is_symmetric_without_loops(&d->graph));
    cru_data_destroy(d);
}
END_TEST

START_TEST(rmat_is_skewed_and_homophilous)
{
    cru_data *d = format_must_load(&(format_run){.name = "rmat", .settings = {"scale", "12"}});
    ck_assert_int_eq(d->nodes, 4096);
    ck_assert(is_symmetric_without_loops(&d->graph));
    int64_t most = 0, nnz = cru_csr_nnz(&d->graph);
    for (int64_t v = 0; v < d->nodes; v++) {
        int64_t degree = d->graph.offsets[v + 1] - d->graph.offsets[v];
        if (degree > most) most = degree;
    }
    ck_assert_int_gt(most, 10 * nnz / d->nodes);
    /* a uniform graph would have 1/4; here the two leading bits agree with probability 0.62^2 = 0.38 in a draw, and
     * less among distinct edges, because repeats crowd in the densest quadrant */
    ck_assert_double_gt(edge_homophily(d), 0.3);
    ck_assert_double_lt(edge_homophily(d), 0.39);
    cru_data_destroy(d);
}
END_TEST

/* Without spread every row is a centre: one a class and cloud, inside of the box. */
START_TEST(rmat_may_have_fewer_nodes_than_a_power_of_two)
{
    cru_data *d = format_must_load(
        &(format_run){.name = "rmat", .settings = {"scale", "10", "nodes", "700", "edge_factor", "4", "classes", "7"}});
    ck_assert_int_eq(d->nodes, 700);
    int64_t linked = 0, of_class[7] = {0};
    for (int64_t v = 0; v < d->nodes; v++) {
        linked += d->graph.offsets[v + 1] > d->graph.offsets[v];
        of_class[d->truth[v]]++;
    }
    ck_assert_int_gt(linked, 350);
    for (int c = 0; c < 7; c++) ck_assert_int_eq(of_class[c], 100);
    cru_data_destroy(d);
}
END_TEST

START_TEST(rmat_may_hold_a_few_anomalies)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "rmat",
        .settings = {"scale", "10", "classes", "2", "imbalance", "15", "task", "anomaly", "directed", "yes"}});
    ck_assert_int_eq(d->problem, CRU_ANOMALY);
    int64_t anomalies = 0, edges[2] = {0};
    for (int64_t v = 0; v < d->nodes; v++) {
        anomalies += d->truth[v] == 1;
        edges[d->truth[v]] += d->graph.offsets[v + 1] - d->graph.offsets[v];
    }
    ck_assert_int_eq(anomalies, 64); /* one in 16 */
    ck_assert_int_gt(edges[1], 0);
    ck_assert_double_lt((double)edges[1] / 64, (double)edges[0] / 960); /* the last ids have the fewest edges */
    cru_data_destroy(d);
}
END_TEST

START_TEST(rmat_takes_anomalies_from_two_classes_only)
{
    cru_error err = {0};
    cru_data *d = NULL;
    ck_assert_int_eq(
        format_load(&(format_run){.name = "rmat", .settings = {"scale", "10", "task", "anomaly"}}, &d, &err),
        CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "needs classes = 2"));
}
END_TEST

START_TEST(rmat_refuses_a_scale_that_is_not_that_of_its_nodes)
{
    static const char *const nodes[] = {"512", "1025"};
    cru_error err = {0};
    cru_data *d = NULL;
    ck_assert_int_eq(
        format_load(&(format_run){.name = "rmat", .settings = {"scale", "10", "nodes", nodes[_i]}}, &d, &err),
        CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "do not need scale = 10"));
}
END_TEST

START_TEST(blobs_without_spread_are_their_centres)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "blobs", .settings = {"rows", "60", "classes", "4", "features", "3", "spread", "0", "box", "2"}});
    ck_assert_int_eq(d->problem, CRU_ROWS);
    for (int64_t i = 0; i < d->items; i++) {
        for (int64_t j = 0; j < 3; j++) ck_assert_float_le(fabsf(d->x.dense[3 * i + j]), 2);
        for (int64_t k = 0; k < i; k++) {
            bool same = memcmp(d->x.dense + 3 * i, d->x.dense + 3 * k, 3 * sizeof(float)) == 0;
            ck_assert_int_eq(same, d->truth[i] == d->truth[k]);
        }
    }
    cru_data_destroy(d);
}
END_TEST

/* Deviations from the mean of a class have mean 0 and variance spread^2: within 5 standard errors of 20000 rows. */
START_TEST(blobs_spread_as_they_are_told)
{
    cru_data *d = format_must_load(
        &(format_run){.name = "blobs", .settings = {"rows", "20000", "classes", "2", "spread", "3", "imbalance", "4"}});
    ck_assert_int_eq(class_count(d, 0), 4 * class_count(d, 1));
    for (int32_t c = 0; c < 2; c++) {
        double sum = 0, squares = 0, n = (double)class_count(d, c);
        for (int64_t i = 0; i < d->items; i++) {
            if (d->truth[i] != c) continue;
            sum += d->x.dense[2 * i];
            squares += (double)d->x.dense[2 * i] * d->x.dense[2 * i];
        }
        double variance = squares / n - (sum / n) * (sum / n);
        ck_assert_double_eq_tol(variance, 9, 5 * 9 * sqrt(2 / n));
    }
    cru_data_destroy(d);
}
END_TEST

START_TEST(moons_lie_on_half_circles)
{
    cru_data *d = format_must_load(&(format_run){.name = "moons", .settings = {"noise", "0"}});
    ck_assert_int_eq(d->problem, CRU_ROWS);
    for (int64_t i = 0; i < d->items; i++) {
        double x = d->x.dense[2 * i], y = d->x.dense[2 * i + 1];
        double radius = d->truth[i] == 0 ? hypot(x, y) : hypot(1 - x, 0.5 - y);
        ck_assert_double_eq_tol(radius, 1, 1e-5);
    }
    cru_data_destroy(d);
}
END_TEST

START_TEST(motifs_mark_the_class)
{
    cru_data *d = format_must_load(&(format_run){
        .name = "graph-motifs", .settings = {"graphs", "50", "classes", "3", "extra", "0", "motif", "6"}});
    ck_assert_int_eq(d->problem, CRU_GRAPHS);
    ck_assert_int_eq(d->items, 50);
    for (int64_t g = 0; g < d->items; g++) {
        int64_t first = d->graph_offsets[g], end = d->graph_offsets[g + 1];
        int64_t edges = (d->graph.offsets[end] - d->graph.offsets[first]) / 2, nodes = end - first;
        /* a tree has nodes - 1 edges; a ring of six closes one cycle, a clique of six has ten edges more than a tree */
        static const int64_t more[] = {0, 1, 10};
        ck_assert_int_eq(edges - (nodes - 1), more[d->truth[g]]);
    }
    cru_data_destroy(d);
}
END_TEST

/* The edge homophily of an imitation of a block model with homophily 0.7. */
static double imitate(const char *beta)
{
    cru_data *base = format_must_load(&(format_run){
        .name = "csbm", .settings = {"nodes", "600", "homophily", "0.7", "sparse", "true", "features", "300"}});
    char path[] = "/tmp/crucible-base-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(cru_data_write(base, fd, NULL), CRU_OK);
    close(fd);
    cru_data *d =
        format_must_load(&(format_run){.name = "gencat", .settings = {"beta", beta}, .files = {{"base", path}}});
    unlink(path);
    ck_assert_int_eq(d->nodes, base->nodes);
    ck_assert_int_eq(d->x.cols, base->x.cols);
    ck_assert(is_symmetric_without_loops(&d->graph));
    double edges = (double)cru_csr_nnz(&d->graph) / (double)cru_csr_nnz(&base->graph);
    ck_assert_double_le(edges, 1); /* degrees are bounds */
    ck_assert_double_gt(edges, 0.8);
    double words = (double)cru_csr_nnz(&d->x.sparse) / (double)cru_csr_nnz(&base->x.sparse);
    ck_assert_double_eq_tol(words, 1, 0.2);
    double homophily = edge_homophily(d);
    cru_data_destroy(base);
    cru_data_destroy(d);
    return homophily;
}

START_TEST(gencat_imitates_and_shifts)
{
    double same = imitate("0");
    ck_assert_double_eq_tol(same, 0.7, 0.1);
    ck_assert_double_lt(imitate("4"), same - 0.2);
}
END_TEST

START_TEST(gencat_needs_a_base)
{
    cru_data *d;
    cru_error err = {0};
    ck_assert_int_eq(format_load(&(format_run){.name = "gencat"}, &d, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "needs a base dataset"));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("generators");
    TCase *c = tcase_create("generators");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, the_seed_decides_everything, 0, 7);
    tcase_add_test(c, csbm_meets_degree_and_homophily);
    tcase_add_test(c, csbm_relations_share_the_degree);
    tcase_add_test(c, csbm_features_lie_around_class_centres);
    tcase_add_test(c, csbm_words_prefer_the_columns_of_the_class);
    tcase_add_test(c, csbm_imbalance_is_the_ratio_of_extreme_classes);
    tcase_add_test(c, csbm_refuses_what_does_not_fit);
    tcase_add_test(c, csbm_takes_the_smallest_sizes);
    tcase_add_test(c, csbm_makes_anomaly_tasks);
    tcase_add_test(c, regular_graphs_have_exact_homophily);
    tcase_add_test(c, regular_graphs_round_the_study_s_levels);
    tcase_add_test(c, random_regular_graphs_meet_homophily_on_average);
    tcase_add_test(c, preferential_attachment_has_the_published_homophily);
    tcase_add_test(c, preferential_attachment_without_choices_ends);
    tcase_add_test(c, rmat_is_skewed_and_homophilous);
    tcase_add_test(c, rmat_may_have_fewer_nodes_than_a_power_of_two);
    tcase_add_test(c, rmat_may_hold_a_few_anomalies);
    tcase_add_test(c, rmat_takes_anomalies_from_two_classes_only);
    tcase_add_loop_test(c, rmat_refuses_a_scale_that_is_not_that_of_its_nodes, 0, 2);
    tcase_add_test(c, blobs_without_spread_are_their_centres);
    tcase_add_test(c, blobs_spread_as_they_are_told);
    tcase_add_test(c, moons_lie_on_half_circles);
    tcase_add_test(c, motifs_mark_the_class);
    tcase_add_test(c, gencat_imitates_and_shifts);
    tcase_add_test(c, gencat_needs_a_base);
    suite_add_tcase(s, c);
    return s;
}
