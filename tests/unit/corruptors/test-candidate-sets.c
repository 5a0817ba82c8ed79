// SPDX-License-Identifier: Apache-2.0
/* Candidate sets: their law and whom they reach. */
#include <math.h>

#include "candidate-sets.h"
#include "corruptors/damage.h"
#include "json-fixture.h"
#include "random/statistics.h"

enum { CLASSES = 4, DRAWS = 100000, SETS = 1 << CLASSES };

static int set_of(const cru_data *data, int64_t item)
{
    int bits = 0;
    for (int c = 0; c < CLASSES; c++) bits |= data->candidates[item * CLASSES + c] << c;
    return bits;
}

static int size_of(int set)
{
    return __builtin_popcount((unsigned)set);
}

/* Counts the sets around each label against the probability that `law` gives them. */
static void check_sets(const cru_data *data, double (*law)(int set, int label))
{
    for (int label = 0; label < CLASSES; label++) {
        int64_t count[SETS] = {0}, cells[SETS], draws = 0;
        double probability[SETS];
        int used = 0;
        for (int64_t n = label; n < data->items; n += CLASSES) count[set_of(data, n)]++, draws++;
        for (int set = 0; set < SETS; set++) {
            const double p = set >> label & 1 ? law(set, label) : 0;
            if (p == 0) {
                ck_assert_int_eq(count[set], 0);
                continue;
            }
            cells[used] = count[set];
            probability[used++] = p;
        }
        assert_counts_fit(cells, probability, used, draws);
    }
}

static double uss_exact(int set, int label)
{
    (void)label;
    return set == SETS - 1 ? 0 : 1.0 / 7; /* 2^3 - 1 sets */
}

/* size m with probability C(4, m) / 14, then any of the C(3, m - 1) sets of that size */
static double uss_by_size(int set, int label)
{
    static const double of_size[] = {0, 4. / 14, 6. / 14 / 3, 4. / 14 / 3, 0};
    (void)label;
    return of_size[size_of(set)];
}

static double fps_constant(int set, int label)
{
    (void)label;
    return pow(0.3, size_of(set) - 1) * pow(0.7, CLASSES - size_of(set));
}

static double fps_pair(int set, int label)
{
    const int next = 1 << (label + 1) % CLASSES, own = 1 << label;
    return set == own ? 0.7 : set == (own | next) ? 0.3 : 0;
}

static double fps_two(int set, int label)
{
    if (size_of(set) == 1) return 0;
    return fps_constant(set, label) + (size_of(set) == 2 ? fps_constant(1, 0) / (CLASSES - 1) : 0);
}

static double complement(int set, int label)
{
    (void)label;
    return size_of(set) == CLASSES - 1 ? 1.0 / (CLASSES - 1) : 0;
}

/* Even the label is in with 0.8 only; the empty set, of probability 0.2 * 0.7^3, is drawn again. */
static double fps_noisy(int set, int label)
{
    const double empty = 0.2 * pow(0.7, CLASSES - 1);
    const int others = size_of(set & ~(1 << label));
    if (set == 0) return 0;
    const double own = set >> label & 1 ? 0.8 : 0.2;
    return own * pow(0.3, others) * pow(0.7, CLASSES - 1 - others) / (1 - empty);
}

START_TEST(the_label_may_stay_out)
{
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    int64_t wrong = 0;
    damage_apply(&(damage){.name = "fps", .settings = {"where", "all", "noise", "0.2"}}, data, &report);
    for (int label = 0; label < CLASSES; label++) {
        int64_t count[SETS] = {0};
        double probability[SETS];
        for (int64_t n = label; n < DRAWS; n += CLASSES) count[set_of(data, n)]++;
        for (int set = 0; set < SETS; set++) {
            probability[set] = fps_noisy(set, label);
            wrong += set >> label & 1 ? 0 : count[set];
        }
        ck_assert_int_eq(count[0], 0);
        assert_counts_fit(count + 1, probability + 1, SETS - 1, DRAWS / CLASSES);
    }
    ck_assert_double_eq_tol(*damage_reported(&report, "noise_rate"), (double)wrong / DRAWS, 1e-12);
    cru_data_destroy(data);
}
END_TEST

/* The sizes of five-class sets, by both laws. */
START_TEST(uss_sizes_agree_with_the_fixture)
{
    enum { FIVE = 5 };
    static const char *const keys[] = {"exact", "size_first_variant"}, *const variants[] = {"exact", "size"};
    cJSON *root = fixture_open("pll/generators.json");
    double law[FIVE];
    int64_t count[FIVE] = {0};
    fixture_numbers(fixture_expected(fixture_case(root, "uss_size_law"), keys[_i]), law);
    cru_data *data = damage_data(DRAWS, FIVE);
    damage_report report;
    damage_apply(&(damage){.name = "uss", .settings = {"where", "all", "variant", variants[_i]}}, data, &report);
    for (int64_t n = 0; n < DRAWS; n++) {
        int size = 0;
        for (int c = 0; c < FIVE; c++) size += data->candidates[n * FIVE + c];
        count[size - 1]++;
    }
    ck_assert_int_eq(count[FIVE - 1], 0);
    assert_counts_fit(count, law, FIVE - 1, DRAWS);
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

enum { ROWS = 4, COLS = 5 };

START_TEST(frozen_uniforms_make_the_sets_of_the_fixture)
{
    cJSON *root = fixture_open("pll/generators.json");
    const cJSON *item = fixture_case(root, "fps");
    double uniforms[ROWS * COLS], labels[ROWS], sets[ROWS * COLS], p[COLS];
    fixture_numbers(fixture_input(item, "uniforms"), uniforms);
    fixture_numbers(fixture_input(item, "y"), labels);
    fixture_numbers(fixture_expected(item, "S"), sets);
    for (int c = 0; c < COLS; c++) p[c] = fixture_input(item, "rho")->valuedouble;
    for (int i = 0; i < ROWS; i++) {
        const candidate_item about = {i, (int32_t)labels[i], COLS};
        uint8_t set[COLS] = {0};
        set[about.label] = 1;
        candidate_sets_join(&about, uniforms + i * COLS, p, set);
        for (int c = 0; c < COLS; c++) ck_assert_int_eq(set[c], (int)sets[i * COLS + c]);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(likely_classes_agree_with_the_fixture)
{
    cJSON *root = fixture_open("pll/generators.json");
    const cJSON *item = fixture_case(root, "instance_dependent_rates");
    double logits[ROWS * COLS], labels[ROWS], expected[ROWS * COLS], p[COLS];
    fixture_numbers(fixture_input(item, "aux_logits"), logits);
    fixture_numbers(fixture_input(item, "y"), labels);
    fixture_numbers(fixture_expected(item, "inclusion_probability"), expected);
    for (int i = 0; i < ROWS; i++) {
        const candidate_item about = {i, (int32_t)labels[i], COLS};
        float scores[COLS];
        for (int c = 0; c < COLS; c++) scores[c] = (float)logits[i * COLS + c];
        candidate_sets_likely(&about, scores, fixture_input(item, "rate")->valuedouble, p);
        for (int c = 0; c < COLS; c++) ck_assert_double_eq_tol(p[c], expected[i * COLS + c], 1e-6);
    }
    cJSON_Delete(root);
}
END_TEST

/* Classes 0 and 1 overlap, class 2 is far away: what is confused is what looks alike. */
static cru_data *look_alikes(int64_t n)
{
    static const float centre[] = {0, 0.5f, 6};
    cru_data *data = damage_data(n, 3);
    float *x = cru_data_alloc(data, n, sizeof *x);
    cru_rng rng = cru_rng_stream(1, "look-alikes", 0);
    for (int64_t i = 0; i < n; i++) x[i] = centre[i % 3] + (float)cru_rng_normal(&rng);
    data->x.dense = x;
    return data;
}

START_TEST(a_network_finds_the_candidates)
{
    enum { N = 3000 };
    cru_data *data = look_alikes(N), *again = look_alikes(N);
    damage_report report;
    const damage d = {.name = "instance-candidates",
                      .settings = {"where", "all", "hidden", "32", "lr", "0.01", "batch", "128"},
                      .seed = 2};
    int64_t near = 0, far = 0;
    damage_apply(&d, data, &report);
    for (int64_t i = 0; i < N; i += 3) {
        near += data->candidates[i * 3 + 1];
        far += data->candidates[i * 3 + 2];
    }
    ck_assert_int_gt(near, N / 3 * 9 / 10); /* r of the likelier class is near its cap */
    ck_assert_int_lt(far, N / 3 / 10);
    ck_assert_double_gt(*damage_reported(&report, "auxiliary_accuracy"), 0.6);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), 0);
    damage_apply(&d, again, &report);
    ck_assert_mem_eq(data->candidates, again->candidates, N * 3);
    cru_data_destroy(data);
    cru_data_destroy(again);
}
END_TEST

START_TEST(sets_follow_their_law)
{
    static const struct {
        damage d;
        double (*law)(int, int);
    } cases[] = {
        {{.name = "uss", .settings = {"where", "all"}}, uss_exact},
        {{.name = "uss", .settings = {"where", "all", "variant", "size"}}, uss_by_size},
        {{.name = "fps", .settings = {"where", "all"}}, fps_constant},
        {{.name = "fps", .settings = {"where", "all", "shape", "pair"}}, fps_pair},
        {{.name = "fps", .settings = {"where", "all", "at_least_two", "yes"}}, fps_two},
        {{.name = "complementary", .settings = {"where", "all"}}, complement},
        {{.name = "fps",
          .settings = {"where", "all", "shape", "matrix", "matrix", "0,.3,0,0, 0,0,.3,0, 0,0,0,.3, .3,0,0,0"}},
         fps_pair},
    };
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    damage_apply(&cases[_i].d, data, &report);
    check_sets(data, cases[_i].law);
    int64_t size = 0;
    for (int64_t n = 0; n < DRAWS; n++) size += size_of(set_of(data, n));
    ck_assert_double_eq_tol(*damage_reported(&report, "candidates"), (double)size / DRAWS, 1e-12);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), 0);
    cru_data_destroy(data);
}
END_TEST

START_TEST(others_keep_their_label_alone)
{
    cru_data *data = damage_data(400, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "fps", .settings = {"rate", "1", "where", "train"}}, data, &report);
    for (int64_t n = 0; n < 400; n++) ck_assert_int_eq(set_of(data, n), n < 200 ? SETS - 1 : 1 << n % CLASSES);
    cru_data_destroy(data);
}
END_TEST

START_TEST(label_noise_before_leaves_sets_without_the_truth)
{
    cru_data *data = damage_data(400, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "pair", .settings = {"rate", "1"}}, data, &report);
    damage_apply(&(damage){.name = "fps", .settings = {"rate", "0"}}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), 1);
    ck_assert_double_eq(*damage_reported(&report, "candidates"), 1);
    cru_data_destroy(data);
}
END_TEST

/* From {y, y + 1} the truth leaves in a share of the sets, and either of the two others comes. */
START_TEST(the_truth_leaves_at_the_rate)
{
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    int64_t count[3] = {0}; /* kept, y + 2 came, y + 3 came */
    damage_apply(&(damage){.name = "fps", .settings = {"rate", "1", "shape", "pair", "where", "all"}}, data, &report);
    damage_apply(&(damage){.name = "candidate-noise", .settings = {"rate", "0.4", "where", "all"}}, data, &report);
    for (int64_t n = 0; n < DRAWS; n++) {
        const int y = (int)(n % CLASSES), set = set_of(data, n), next = 1 << (y + 1) % CLASSES;
        ck_assert_int_eq(size_of(set), 2);
        ck_assert(set & next);
        count[set >> y & 1 ? 0 : set >> (y + 2) % CLASSES & 1 ? 1 : 2]++;
    }
    assert_counts_fit(count, (const double[]){0.6, 0.2, 0.2}, 3, DRAWS);
    ck_assert_double_eq_tol(*damage_reported(&report, "noise_rate"), 1 - (double)count[0] / DRAWS, 1e-12);
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_full_set_keeps_the_truth)
{
    cru_data *data = damage_data(40, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "fps", .settings = {"rate", "1", "where", "all"}}, data, &report);
    damage_apply(&(damage){.name = "candidate-noise", .settings = {"rate", "1", "where", "all"}}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), 0);
    cru_data_destroy(data);
}
END_TEST

START_TEST(two_classes_leave_only_the_label)
{
    static const char *const variants[] = {"exact", "size"};
    cru_data *data = damage_data(40, 2);
    damage_report report;
    damage_apply(&(damage){.name = "uss", .settings = {"variant", variants[_i]}}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "candidates"), 1);
    cru_data_destroy(data);
}
END_TEST

START_TEST(what_cannot_be_damaged_is_refused)
{
    static const struct {
        damage d;
        int32_t classes;
        bool candidates;
        cru_status status;
    } cases[] = {{{.name = "candidate-noise"}, 3, false, CRU_UNSUPPORTED},
                 {{.name = "instance-candidates"}, 3, true, CRU_UNSUPPORTED},
                 {{.name = "instance-candidates", .settings = {"network", "resnet"}}, 3, false, CRU_UNSUPPORTED},
                 {{.name = "uss"}, 1, false, CRU_UNSUPPORTED},
                 {{.name = "uss"}, 3, true, CRU_UNSUPPORTED},
                 {{.name = "fps", .settings = {"shape", "matrix", "matrix", "0, 1"}}, 2, false, CRU_BAD_INPUT}};
    cru_data *data = damage_data(12, cases[_i].classes);
    damage_report report = {0};
    cru_error err = {0};
    if (cases[_i].candidates) data->candidates = cru_data_alloc(data, 12 * 3, 1);
    ck_assert_int_eq(damage_try(&cases[_i].d, data, &report, &err), cases[_i].status);
    ck_assert_str_ne(err.text, "");
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("candidate sets");
    TCase *c = tcase_create("sets");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, sets_follow_their_law, 0, 7);
    tcase_add_test(c, the_label_may_stay_out);
    tcase_add_loop_test(c, uss_sizes_agree_with_the_fixture, 0, 2);
    tcase_add_test(c, frozen_uniforms_make_the_sets_of_the_fixture);
    tcase_add_test(c, likely_classes_agree_with_the_fixture);
    tcase_add_test(c, a_network_finds_the_candidates);
    tcase_add_test(c, others_keep_their_label_alone);
    tcase_add_test(c, label_noise_before_leaves_sets_without_the_truth);
    tcase_add_test(c, the_truth_leaves_at_the_rate);
    tcase_add_test(c, a_full_set_keeps_the_truth);
    tcase_add_loop_test(c, two_classes_leave_only_the_label, 0, 2);
    tcase_add_loop_test(c, what_cannot_be_damaged_is_refused, 0, 6);
    suite_add_tcase(s, c);
    return s;
}
