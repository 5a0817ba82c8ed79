// SPDX-License-Identifier: Apache-2.0
/* The damage that the studies published, on their own datasets: splits and noisy labels, to the last item. */
#include <math.h>

#include "corruptors/populations.h"
#include "corruptors/real-data.h"
#include "json-fixture.h"

static int64_t sum_of(cru_ids part)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < part.count; i++) sum += part.ids[i];
    return sum;
}

static void check_part(const cJSON *item, const cru_data *data, const char *name, cru_ids part)
{
    char key[32];
    double wanted[16];
    int64_t counts[16];
    snprintf(key, sizeof key, "%s_counts", name);
    fixture_numbers(fixture_expected(item, key), wanted);
    population_count(data, part, counts);
    for (int32_t c = 0; c < data->classes; c++) ck_assert_int_eq(counts[c], (int64_t)wanted[c]);
    snprintf(key, sizeof key, "%s_sum", name);
    ck_assert_int_eq(sum_of(part), (int64_t)fixture_expected(item, key)->valuedouble);
    snprintf(key, sizeof key, "%s_first", name);
    const cJSON *first = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "expected"), key);
    const int64_t listed = first ? fixture_numbers(first, wanted) : 0;
    for (int64_t i = 0; i < listed; i++) ck_assert_int_eq(part.ids[i], (int32_t)wanted[i]);
}

static void check_split(const cJSON *item, const cru_data *data)
{
    check_part(item, data, "train", data->split.train);
    check_part(item, data, "val", data->split.val);
    ck_assert_int_eq(data->split.test.count, fixture_expected(item, "n_test")->valueint);
}

START_TEST(class_splits_of_cora)
{
    static const char *const names[] = {"class_balanced", "class_low", "class_high"};
    cJSON *root = fixture_open("igl/splits_cora.json");
    const cJSON *item = fixture_case(root, names[_i]);
    cru_data *data = real_data("cora");
    char rho[32];
    damage_report report;
    snprintf(rho, sizeof rho, "%g", fixture_input(item, "rho")->valuedouble);
    const damage d = {.name = "class-imbalance",
                      .settings = {"rho", rho, "schedule", "formula", "rng", "study", "base", "10"},
                      .seed = 77};
    if (data) {
        damage_apply(&d, data, &report);
        check_split(item, data);
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

/* The files published with the study's scripts: sizes and sums of the node numbers of their parts. */
START_TEST(class_split_files)
{
    static const struct {
        const char *dataset, *rho;
        int64_t count[3], sum[3];
    } files[] = {
        {"cora", "1", {273, 273, 2162}, {41942, 135050, 3488286}},
        {"cora", "20", {271, 273, 2164}, {47305, 102569, 3515404}},
        {"cora", "100", {271, 273, 2164}, {59353, 95339, 3510586}},
        {"citeseer", "20", {334, 330, 2663}, {85240, 157092, 5290469}},
        {"chameleon-directed", "20", {227, 230, 1820}, {47473, 78755, 2464998}},
        {"chameleon-directed", "100", {228, 230, 1819}, {66534, 78733, 2445959}},
    };
    cru_data *data = real_data(files[_i].dataset);
    damage_report report;
    if (data) {
        const damage d = {.name = "class-imbalance",
                          .settings = {"rho", files[_i].rho, "schedule", "files", "take", "first"}};
        damage_apply(&d, data, &report);
        const cru_ids parts[] = {data->split.train, data->split.val, data->split.test};
        for (int part = 0; part < 3; part++) {
            ck_assert_int_eq(parts[part].count, files[_i].count[part]);
            ck_assert_int_eq(sum_of(parts[part]), files[_i].sum[part]);
        }
    }
    cru_data_destroy(data);
}
END_TEST

/* The split files published with the study's package: sizes of their parts, sums of the graphs' numbers and of their
 * squares. */
START_TEST(graph_topology_files)
{
    static const struct {
        const char *dataset, *level;
        int64_t count[3], sum[3], squares[3];
    } files[] = {
        {"ptc-mr", "low", {34, 34, 276}, {5927, 5447, 47622}, {1367139, 1169689, 10973256}},
        {"ptc-mr", "mid", {34, 34, 276}, {6671, 5501, 46824}, {1548723, 1257155, 10704206}},
        {"ptc-mr", "high", {34, 34, 276}, {5404, 5704, 47888}, {1156428, 1268358, 11085298}},
        {"proteins", "low", {112, 112, 889}, {62994, 67548, 488286}, {48283050, 52847060, 357833990}},
        {"proteins", "mid", {112, 112, 889}, {69630, 66718, 482480}, {54888070, 52546524, 351529506}},
        {"proteins", "high", {112, 112, 889}, {64705, 66276, 487847}, {50408521, 52120142, 356435437}},
        {"imdb-binary", "low", {100, 100, 800}, {50921, 50303, 398276}, {34479539, 34916555, 263437406}},
        {"imdb-binary", "mid", {100, 100, 800}, {49616, 49106, 400778}, {33077702, 31969212, 267786586}},
        {"imdb-binary", "high", {100, 100, 800}, {50627, 51649, 397224}, {33447565, 35299039, 264086896}},
        {"dd", "low", {118, 118, 942}, {74670, 74799, 543784}, {62009900, 62048137, 420145568}},
        {"dd", "mid", {118, 118, 942}, {74516, 75458, 543279}, {60798794, 61128244, 422276567}},
        {"dd", "high", {118, 118, 942}, {74959, 76089, 542205}, {61271581, 61836365, 421095659}},
        {"reddit-binary", "mid", {200, 200, 1600}, {214087, 193388, 1591525}, {294138623, 251059182, 2119469195}},
        {"collab", "mid", {501, 501, 3998}, {1420860, 1425956, 9650684}, {4852115730, 4905902978, 31896148792}},
    };
    cru_data *data = real_data(files[_i].dataset);
    damage_report report;
    if (data) {
        const damage d = {.name = "graph-topology", .settings = {"level", files[_i].level, "rng", "study"}, .seed = 5};
        damage_apply(&d, data, &report);
        const cru_ids parts[] = {data->split.train, data->split.val, data->split.test};
        for (int part = 0; part < 3; part++) {
            int64_t squares = 0;
            for (int64_t i = 0; i < parts[part].count; i++) squares += (int64_t)parts[part].ids[i] * parts[part].ids[i];
            ck_assert_int_eq(parts[part].count, files[_i].count[part]);
            ck_assert_int_eq(sum_of(parts[part]), files[_i].sum[part]);
            ck_assert_int_eq(squares, files[_i].squares[part]);
        }
    }
    cru_data_destroy(data);
}
END_TEST

START_TEST(local_splits_of_cora)
{
    static const char *const names[] = {"local_mid", "local_high"};
    cJSON *root = fixture_open("igl/splits_cora.json");
    const cJSON *item = fixture_case(root, names[_i]);
    cru_data *data = real_data("cora");
    damage_report report;
    const damage d = {.name = "local-topology",
                      .settings = {"level", fixture_input(item, "level")->valuestring, "rng", "study"},
                      .seed = 77};
    if (data) {
        damage_apply(&d, data, &report);
        check_split(item, data);
        ck_assert_double_eq(*damage_reported(&report, "head_degree"), fixture_expected(item, "threshold")->valuedouble);
        ck_assert_double_eq_tol(*damage_reported(&report, "degree_imbalance_ratio"),
                                fixture_expected(item, "rho")->valuedouble, 1e-5);
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

/* Table B.3: training nodes and heads a class, mean degrees of both sides, and their ratio, met as nearly as single
 * nodes allow. Links of Chameleon count in both directions. */
START_TEST(local_targets)
{
    static const struct {
        const char *dataset, *level;
        double nodes, heads, of_heads, of_tails, rho;
    } cases[] = {
        {"cora", "low", 39, 4, 5.64, 2.84, 1.98},
        {"cora", "mid", 39, 8, 8.96, 2.74, 3.27},
        {"cora", "high", 39, 12, 13.53, 2.00, 6.74},
        {"citeseer", "low", 55, 6, 4.47, 1.83, 2.44},
        {"citeseer", "mid", 55, 12, 6.78, 1.62, 4.18},
        {"amazon-photo", "low", 96, 10, 48.96, 19.56, 2.50},
        {"amazon-photo", "high", 96, 30, 116.33, 13.13, 8.85},
        {"chameleon-directed", "low", 46, 5, 51.28, 12.12, 4.23},
        {"chameleon-directed", "high", 46, 15, 159.44, 9.29, 17.16},
    };
    cru_data *data = real_data(cases[_i].dataset);
    damage_report report;
    const damage d = {.name = "local-topology", .settings = {"level", cases[_i].level, "mode", "target"}, .seed = 1};
    if (data) {
        damage_apply(&d, data, &report);
        ck_assert_double_eq((double)data->split.train.count, cases[_i].nodes * data->classes);
        ck_assert_double_eq(*damage_reported(&report, "heads_per_class"), cases[_i].heads);
        ck_assert_double_eq_tol(*damage_reported(&report, "mean_of_heads"), cases[_i].of_heads,
                                0.03 * cases[_i].of_heads);
        ck_assert_double_eq_tol(*damage_reported(&report, "mean_of_tails"), cases[_i].of_tails,
                                0.03 * cases[_i].of_tails);
        ck_assert_double_eq(*damage_reported(&report, "degree_target"), cases[_i].rho);
        ck_assert_double_eq_tol(*damage_reported(&report, "degree_imbalance_ratio"), cases[_i].rho,
                                0.04 * cases[_i].rho);
    }
    cru_data_destroy(data);
}
END_TEST

START_TEST(global_splits_of_cora)
{
    cJSON *root = fixture_open("igl/splits_cora.json");
    const cJSON *item = fixture_case(root, _i ? "global_high" : "global_low");
    cru_data *data = real_data("cora");
    damage_report report;
    const damage d = {
        .name = "global-topology", .settings = {"level", _i ? "high" : "low", "rng", "study"}, .seed = 77};
    if (data) {
        damage_apply(&d, data, &report);
        check_split(item, data);
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

/* What the definitions give on the study's own splits. */
START_TEST(coefficients_of_published_splits)
{
    static const struct {
        const char *dataset, *level, *unreachable;
        double reaching, squashing;
    } cases[] = {{"cora", "low", "near", 0.559, -0.338},     {"cora", "high", "near", 0.537, -0.343},
                 {"cora", "low", "far", 0.373, -0.338},      {"cora", "high", "far", 0.410, -0.343},
                 {"citeseer", "low", "near", 0.771, -0.192}, {"citeseer", "high", "near", 0.736, -0.196}};
    cru_data *data = real_data(cases[_i].dataset);
    damage_report report;
    const damage d = {.name = "global-topology",
                      .settings = {"level", cases[_i].level, "rng", "study", "measure", "true", "unreachable",
                                   cases[_i].unreachable}};
    if (data) {
        damage_apply(&d, data, &report);
        ck_assert_double_eq_tol(*damage_reported(&report, "reaching_coefficient"), cases[_i].reaching, 6e-4);
        ck_assert_double_eq_tol(*damage_reported(&report, "squashing_coefficient"), cases[_i].squashing, 6e-4);
    }
    cru_data_destroy(data);
}
END_TEST

/* sum over n of (n + 1) label_n at a rate of 0.3. */
START_TEST(noisy_labels_of_citation_graphs)
{
    static const char *const datasets[] = {"cora", "citeseer"};
    cJSON *root = fixture_open("noisygl/label-noise.json");
    const cJSON *types = fixture_expected(fixture_case(root, "real_data_checksums"), datasets[_i]), *type, *checksum;
    cru_data *data = real_data(datasets[_i]);
    for (type = data ? types->child : NULL; type; type = type->next) {
        cJSON_ArrayForEach(checksum, type)
        {
            const char *name = strcmp(type->string, "random") == 0 ? "asymmetric" : type->string;
            const damage d = {.name = name,
                              .settings = {"rate", "0.3", "rng", "numpy", "where", "all"},
                              .seed = (uint64_t)atoi(checksum->string) - 3000};
            damage_report report = {0};
            cru_error err = {0};
            int64_t sum = 0;
            memcpy(data->labels, data->truth, (size_t)data->items * sizeof *data->labels);
            ck_assert_int_eq(damage_try(&d, data, &report, &err), CRU_OK);
            for (int64_t n = 0; n < data->items; n++) sum += (n + 1) * data->labels[n];
            ck_assert_int_eq(sum, (int64_t)checksum->valuedouble);
        }
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

START_TEST(instance_noise_of_cora)
{
    cru_data *data = real_data("cora");
    damage_report report;
    int64_t sum = 0;
    if (data) {
        damage_apply(&(damage){.name = "instance", .settings = {"rate", "0.3", "rng", "numpy", "where", "all"}}, data,
                     &report);
        for (int64_t n = 0; n < data->items; n++) sum += (n + 1) * data->labels[n];
        ck_assert_int_eq(sum, 10687942);
    }
    cru_data_destroy(data);
}
END_TEST

/* From which size on a graph counts as large; and the ratio at the level that draws least. */
START_TEST(heads_of_graph_datasets)
{
    static const struct {
        const char *name;
        double boundary;
        int64_t per_class, heads;
    } cases[] = {{"ptc-mr", 19, 17, 2}, {"proteins", 54, 56, 6},         {"imdb-binary", 25, 50, 5},
                 {"dd", 395, 59, 6},    {"reddit-binary", 469, 100, 10}, {"collab", 91, 167, 17}};
    cru_data *data = real_data(cases[_i].name);
    damage_report report;
    if (data) {
        damage_apply(&(damage){.name = "graph-topology", .settings = {"level", "low"}}, data, &report);
        const double head = *damage_reported(&report, "head_size");
        ck_assert_double_eq(head, cases[_i].boundary + 1);
        ck_assert_int_eq(data->split.train.count, cases[_i].per_class * data->classes);
        int64_t heads = 0;
        for (int64_t i = 0; i < data->split.train.count; i++) {
            const int64_t *at = data->graph_offsets + data->split.train.ids[i];
            heads += (double)(at[1] - at[0]) >= head;
        }
        ck_assert_int_eq(heads, cases[_i].heads * data->classes);
    }
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("published damage");
    TCase *c = tcase_create("published");
    tcase_set_timeout(c, 200);
    tcase_add_loop_test(c, class_splits_of_cora, 0, 3);
    tcase_add_loop_test(c, class_split_files, 0, 6);
    tcase_add_loop_test(c, graph_topology_files, 0, 14);
    tcase_add_loop_test(c, local_splits_of_cora, 0, 2);
    tcase_add_loop_test(c, local_targets, 0, 9);
    tcase_add_loop_test(c, global_splits_of_cora, 0, 2);
    tcase_add_loop_test(c, coefficients_of_published_splits, 0, 6);
    tcase_add_loop_test(c, noisy_labels_of_citation_graphs, 0, 2);
    tcase_add_test(c, instance_noise_of_cora);
    tcase_add_loop_test(c, heads_of_graph_datasets, 0, 6);
    suite_add_tcase(s, c);
    return s;
}
