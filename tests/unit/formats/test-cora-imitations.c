// SPDX-License-Identifier: Apache-2.0
/* Generators that build on Cora, on the real Cora of the mirror (CRUCIBLE_MIRROR); said aloud when it is not there. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"
#include "loader/loader.h"

static const data_places places = {.cards = TEST_FIXTURES "/../../datasets/cards", .cache = ""};
static registry *plugins;
static cru_data *cora;

static cru_data *open_data(const char *name, const data_setting *settings, int64_t count)
{
    cru_error err = {0};
    cru_data *data = NULL;
    data_request request = {
        .name = name, .plugins = plugins, .places = &places, .settings = settings, .setting_count = count, .seed = 5};
    cru_status status = data_open(&request, &data, &err);
    ck_assert_msg(status == CRU_OK, "%s: %s", name, err.text);
    return data;
}

static void start(void)
{
    cru_error err = {0};
    const char *folders[] = {TEST_BINARY_DIR "/lib/crucible/plugins/datasets", NULL};
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    ck_assert_int_eq(loader_scan(&options, &plugins, NULL, &err), CRU_OK);
    data_found found;
    ck_assert_int_eq(data_find("cora", &places, &found, &err), CRU_OK);
    char *file = data_locate(found.card, &found.card->files[0], &places, NULL);
    data_found_clear(&found);
    cora = file ? open_data("cora", NULL, 0) : NULL;
    free(file);
    if (!cora) printf("SKIP: cora is not in the mirror\n");
    fflush(stdout);
}

static void stop(void)
{
    cru_data_destroy(cora);
    registry_destroy(plugins);
}

/* Share of edges within a class, loops left out. */
static double edge_homophily(const cru_data *data)
{
    int64_t all = 0, same = 0;
    for (int64_t v = 0; v < data->nodes; v++)
        for (int64_t e = data->graph.offsets[v]; e < data->graph.offsets[v + 1]; e++) {
            int32_t u = data->graph.ids[e];
            if (u == v) continue;
            all++;
            same += data->truth[u] == data->truth[v];
        }
    return (double)same / (double)all;
}

static double class_share(const cru_data *data, int32_t c)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->items; i++) count += data->truth[i] == c;
    return (double)count / (double)data->items;
}

/* beta = 0: class shares, edges, homophily and density of the attributes as Cora has them. Shares of 2708 draws have a
 * deviation below 0.01. The degrees that cannot be filled, and attributes that are drawn, leave room. */
START_TEST(gencat_imitates_cora)
{
    if (!cora) return;
    cru_data *data = open_data("gencat-cora", NULL, 0);
    double edges = (double)cru_csr_nnz(&data->graph) / (double)cru_csr_nnz(&cora->graph);
    double ones = (double)cru_csr_nnz(&data->x.sparse) / (double)cru_csr_nnz(&cora->x.sparse);
    for (int32_t c = 0; c < 7; c++) ck_assert_double_eq_tol(class_share(data, c), class_share(cora, c), 0.04);
    ck_assert_int_eq(data->x.cols, cora->x.cols);
    ck_assert_double_eq_tol(edges, 1, 0.1);
    ck_assert_double_eq_tol(ones, 1, 0.1);
    ck_assert_double_eq_tol(edge_homophily(data), edge_homophily(cora), 0.08);
    cru_data_destroy(data);
}
END_TEST

/* Each step takes 0.1 off a class's liking for itself; 8 steps leave next to nothing. */
START_TEST(gencat_moves_the_homophily_of_cora)
{
    static const char *const betas[] = {"-1", "2", "5", "8"};
    if (!cora) return;
    double before = 2;
    for (int i = 0; i < 4; i++) {
        cru_data *data = open_data("gencat-cora", &(data_setting){"beta", betas[i]}, 1);
        double h = edge_homophily(data);
        ck_assert_msg(h < before - 0.15, "beta = %s: %g after %g", betas[i], h, before);
        before = h;
        cru_data_destroy(data);
    }
    ck_assert_double_lt(before, 0.15);
}
END_TEST

static bool same_row(const cru_data *a, int64_t i, const cru_data *b, int64_t j)
{
    const cru_csr *x = &a->x.sparse, *y = &b->x.sparse;
    int64_t count = x->offsets[i + 1] - x->offsets[i];
    if (count != y->offsets[j + 1] - y->offsets[j]) return false;
    return memcmp(x->ids + x->offsets[i], y->ids + y->offsets[j], (size_t)count * sizeof *x->ids) == 0;
}

static bool is_of_class(const cru_data *data, int64_t row, int32_t c)
{
    for (int64_t i = 0; i < cora->items; i++)
        if (cora->truth[i] == c && same_row(data, row, cora, i)) return true;
    return false;
}

/* homophily = 0.25 with 2 edges within the class: 6 to others. */
START_TEST(regular_graphs_have_rows_of_cora)
{
    if (!cora) return;
    cru_data *data = open_data("regular-graph-cora", &(data_setting){"homophily", "0.25"}, 1);
    ck_assert_int_eq(data->items, 2000);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2000 * 8);
    ck_assert_double_eq_tol(edge_homophily(data), 0.25, 1e-12);
    ck_assert_int_eq(data->x.cols, cora->x.cols);
    for (int64_t i = 0; i < data->items; i += 17)
        ck_assert_msg(is_of_class(data, i, data->truth[i] % 7), "row %ld is none of its class", (long)i);
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imitations of Cora");
    TCase *c = tcase_create("cora");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, gencat_imitates_cora);
    tcase_add_test(c, gencat_moves_the_homophily_of_cora);
    tcase_add_test(c, regular_graphs_have_rows_of_cora);
    suite_add_tcase(s, c);
    return s;
}
