/* Candidate sets: their law and whom they reach. */
#include <math.h>

#include "corruptors/damage.h"
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
    tcase_add_loop_test(c, sets_follow_their_law, 0, 7);
    tcase_add_test(c, others_keep_their_label_alone);
    tcase_add_test(c, label_noise_before_leaves_sets_without_the_truth);
    tcase_add_test(c, the_truth_leaves_at_the_rate);
    tcase_add_test(c, a_full_set_keeps_the_truth);
    tcase_add_loop_test(c, two_classes_leave_only_the_label, 0, 2);
    tcase_add_loop_test(c, what_cannot_be_damaged_is_refused, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
