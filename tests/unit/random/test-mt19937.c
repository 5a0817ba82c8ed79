// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/mt19937.h>
#include <crucible/mt19937.h>

/* Numbers in this file were printed by NumPy 1.24.2, CPython 3.11 and PyTorch 1.13; the line that made them stands
 * above each. r(s) is numpy.random.RandomState(s). */
static cru_mt mt;

static void assert_ids(const int32_t *actual, const int32_t *expected, int n)
{
    for (int i = 0; i < n; i++) ck_assert_int_eq(actual[i], expected[i]);
}

START_TEST(words_and_doubles_are_numpys)
{
    /* r(42).randint(0, 2**32, 5, dtype=np.uint32); [v.hex() for v in r(42).random_sample(3)] */
    const uint32_t words[] = {1608637542, 3421126067, 4083286876, 787846414, 3143890026};
    const double doubles[] = {0x1.7f8771e5f51ecp-2, 0x1.e6c4068bbd654p-1, 0x1.76c7e8f1e6751p-1};
    cru_mt_seed(&mt, 42);
    for (int i = 0; i < 5; i++) ck_assert_uint_eq(cru_mt_u32(&mt), words[i]);
    cru_mt_seed(&mt, 42);
    for (int i = 0; i < 3; i++) ck_assert_double_eq(cru_mt_uniform(&mt), doubles[i]);
}
END_TEST

START_TEST(the_state_is_refilled_as_in_numpy)
{
    /* m = r(1); [m.random_sample() for _ in range(700)]; m.random_sample().hex() */
    cru_mt_seed(&mt, 1);
    for (int i = 0; i < 700; i++) cru_mt_uniform(&mt);
    ck_assert_double_eq(cru_mt_uniform(&mt), 0x1.1b59b41f457d4p-3);
}
END_TEST

START_TEST(shuffles_are_numpys)
{
    /* a = np.array([5, 5, 3, 9, 1, 0, 8], dtype=np.int32); m = r(7); m.shuffle(a); m.shuffle(a) */
    int32_t ids[] = {5, 5, 3, 9, 1, 0, 8};
    cru_mt_seed(&mt, 7);
    cru_mt_shuffle(&mt, ids, 7);
    cru_mt_shuffle(&mt, ids, 7);
    assert_ids(ids, (const int32_t[]){9, 5, 8, 5, 0, 3, 1}, 7);
    /* a = np.arange(10); r(7).shuffle(a); an empty or single array draws nothing */
    int32_t range[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    cru_mt_seed(&mt, 7);
    cru_mt_shuffle(&mt, range, 0);
    cru_mt_shuffle(&mt, range, 1);
    cru_mt_shuffle(&mt, range, 10);
    assert_ids(range, (const int32_t[]){8, 5, 0, 2, 1, 9, 7, 3, 6, 4}, 10);
}
END_TEST

START_TEST(permutations_and_choices_are_numpys)
{
    /* r(7).permutation(16); r(4294967295).permutation(7); r(7).choice(50, 6, replace=False) */
    const int32_t sixteen[] = {8, 5, 10, 2, 12, 0, 1, 14, 13, 7, 11, 3, 6, 9, 4, 15};
    const int32_t seven[] = {1, 5, 0, 6, 4, 2, 3}, six[] = {13, 15, 22, 42, 30, 27};
    int32_t out[16];
    cru_mt_seed(&mt, 7);
    cru_mt_permutation(&mt, out, 16);
    assert_ids(out, sixteen, 16);
    cru_mt_seed(&mt, UINT32_MAX);
    cru_mt_permutation(&mt, out, 7);
    assert_ids(out, seven, 7);
    cru_mt_seed(&mt, 7);
    cru_mt_choose(&mt, 50, 6, out);
    assert_ids(out, six, 6);
}
END_TEST

START_TEST(nothing_is_drawn_where_there_is_no_choice)
{
    int32_t out[1];
    cru_mt_seed(&mt, 42);
    ck_assert_uint_eq(cru_mt_interval(&mt, 0), 0);
    cru_mt_permutation(&mt, out, 0);
    cru_mt_permutation(&mt, out, 1);
    cru_mt_torch_permutation(&mt, out, 1);
    cru_mt_python_shuffle(&mt, out, 1);
    ck_assert_int_eq(cru_mt_multinomial(&mt, (double[]){0, 0, 1}, 3), 2);
    ck_assert_uint_eq(cru_mt_u32(&mt), 1608637542);
}
END_TEST

START_TEST(normal_values_are_numpys)
{
    /* [v.hex() for v in r(7).standard_normal(4)]; the last bit may depend on the C library's logarithm */
    const double expected[] = {0x1.b0c64ae2deb29p+0, -0x1.dd1eafa1d414dp-2, 0x1.0cdcdf34c3aedp-5, 0x1.a14bf2d03adc9p-2};
    cru_mt_seed(&mt, 7);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(cru_mt_normal(&mt), expected[i], 1e-15);
}
END_TEST

START_TEST(binomial_draws_are_numpys)
{
    /* m = r(7); [m.binomial(1, q) for q in [0, .2, .5, .7, .95, 1, .5, .5, .3, .3]], m.random_sample().hex() */
    const double p[] = {0, 0.2, 0.5, 0.7, 0.95, 1, 0.5, 0.5, 0.3, 0.3};
    const int32_t expected[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0};
    cru_mt_seed(&mt, 7);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(cru_mt_bernoulli(&mt, p[i]), expected[i]);
    ck_assert_double_eq(cru_mt_uniform(&mt), 0x1.5bc408b79a716p-1);
}
END_TEST

START_TEST(class_draws_are_numpys)
{
    /* m = r(11); [m.multinomial(1, [.1, .2, .3, .4]).argmax() for _ in range(20)]
     * m = r(11); [m.choice(4, p=[.1, .2, .3, .4]) for _ in range(20)] */
    const double p[] = {0.1, 0.2, 0.3, 0.4};
    const int32_t multinomial[] = {3, 3, 2, 3, 1, 3, 3, 1, 3, 2, 3, 2, 1, 0, 2, 3, 3, 1, 2, 3};
    const int32_t choice[] = {1, 0, 2, 3, 2, 2, 0, 2, 3, 3, 3, 1, 3, 3, 1, 3, 0, 1, 2, 1};
    cru_mt_seed(&mt, 11);
    for (int i = 0; i < 20; i++) ck_assert_int_eq(cru_mt_multinomial(&mt, p, 4), multinomial[i]);
    cru_mt_seed(&mt, 11);
    for (int i = 0; i < 20; i++) ck_assert_int_eq(cru_mt_categorical(&mt, p, 4), choice[i]);
}
END_TEST

START_TEST(shuffles_are_pythons)
{
    /* random.seed(s); x = list(range(10)); random.shuffle(x); x, random.random().hex(), random.randrange(1000) */
    static const struct {
        uint64_t seed;
        int32_t ids[10];
        double number;
        uint32_t below;
    } cases[] = {
        {0, {7, 8, 1, 5, 3, 4, 2, 0, 9, 6}, 0x1.6ea47ecaac432p-2, 913},
        {10, {5, 2, 7, 1, 8, 4, 3, 6, 0, 9}, 0x1.a5ad70d1c2e60p-1, 669},
        {((uint64_t)1 << 40) + 5, {1, 2, 3, 6, 7, 0, 5, 4, 9, 8}, 0x1.97d0efb43eee2p-1, 137},
    };
    int32_t ids[10];
    for (int i = 0; i < 10; i++) ids[i] = i;
    cru_mt_seed_python(&mt, cases[_i].seed);
    cru_mt_python_shuffle(&mt, ids, 10);
    assert_ids(ids, cases[_i].ids, 10);
    ck_assert_double_eq(cru_mt_uniform(&mt), cases[_i].number);
    ck_assert_uint_eq(cru_mt_python_below(&mt, 1000), cases[_i].below);
}
END_TEST

START_TEST(permutations_are_torchs)
{
    /* torch.manual_seed(s); torch.randperm(12), torch.randperm(5), torch.randperm(1), torch.randperm(4) */
    static const struct {
        uint64_t seed;
        int32_t twelve[12], five[5], four[4];
    } cases[] = {
        {0, {8, 0, 5, 9, 7, 4, 2, 10, 3, 1, 11, 6}, {1, 0, 2, 3, 4}, {0, 1, 2, 3}},
        {123456789012, {9, 7, 0, 10, 2, 11, 8, 3, 4, 5, 6, 1}, {2, 3, 0, 1, 4}, {1, 2, 3, 0}},
    };
    int32_t out[12];
    cru_mt_seed(&mt, (uint32_t)cases[_i].seed);
    cru_mt_torch_permutation(&mt, out, 12);
    assert_ids(out, cases[_i].twelve, 12);
    cru_mt_torch_permutation(&mt, out, 5);
    assert_ids(out, cases[_i].five, 5);
    cru_mt_torch_permutation(&mt, out, 1);
    cru_mt_torch_permutation(&mt, out, 4);
    assert_ids(out, cases[_i].four, 4);
}
END_TEST

/* ---- the fixtures of the studies ---- */

static cJSON *root;

static cJSON *load(const char *path)
{
    static char text[100000];
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    root = cJSON_Parse(text);
    ck_assert_msg(root != NULL, "%s: not JSON", path);
    return cJSON_GetObjectItem(root, "cases");
}

static const cJSON *input(const cJSON *item, const char *key)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), key);
}

static const cJSON *expected_of(const cJSON *item, const char *key)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(item, "expected"), key);
}

static bool is_case(const cJSON *item, const char *start)
{
    return strncmp(cJSON_GetObjectItem(item, "name")->valuestring, start, strlen(start)) == 0;
}

static uint32_t seed_of(const cJSON *item)
{
    return (uint32_t)input(item, "seed")->valuedouble;
}

static int read_ids(const cJSON *list, int32_t *out)
{
    int n = 0;
    for (const cJSON *x = list->child; x; x = x->next) out[n++] = x->valueint;
    return n;
}

static void assert_list(const int32_t *actual, const cJSON *list)
{
    int n = 0;
    for (const cJSON *x = list->child; x; x = x->next) ck_assert_int_eq(actual[n++], x->valueint);
    ck_assert_int_gt(n, 0);
}

enum { MAX_CLASSES = 10, MAX_ITEMS = 2000 };

/* The transition matrices that the study of label noise describes. */
static void uniform_matrix(double p[MAX_CLASSES][MAX_CLASSES], int classes, double rate)
{
    for (int i = 0; i < classes; i++)
        for (int j = 0; j < classes; j++) p[i][j] = i == j ? 1 - rate : rate / (classes - 1);
    /* The study takes the rounding of each column's sum from the diagonal; a draw near the border depends on it. */
    double sum[MAX_CLASSES] = {0};
    for (int i = 0; i < classes; i++)
        for (int j = 0; j < classes; j++) sum[j] += p[i][j];
    for (int i = 0; i < classes; i++) p[i][i] = p[i][i] + 1 - sum[i];
}

static void pair_matrix(double p[MAX_CLASSES][MAX_CLASSES], int classes, double rate)
{
    for (int i = 0; i < classes; i++) {
        p[i][(i + classes - 1) % classes] = rate;
        p[i][i] = 1 - rate;
    }
}

static void random_matrix(double p[MAX_CLASSES][MAX_CLASSES], int classes, double rate)
{
    for (int i = 0; i < classes; i++) {
        double u[MAX_CLASSES], sum = 0;
        for (int j = 0; j < classes; j++) u[j] = cru_mt_uniform(&mt);
        u[i] = 0;
        for (int j = 0; j < classes; j++) sum += u[j];
        for (int j = 0; j < classes; j++) p[i][j] = rate * u[j] / sum;
        p[i][i] = 1 - rate;
    }
}

START_TEST(label_noise_is_that_of_the_study)
{
    int drawn = 0;
    for (const cJSON *item = load(TEST_FIXTURES "/noisygl/label-noise.json")->child; item; item = item->next) {
        if (!is_case(item, "draw_")) continue;
        double p[MAX_CLASSES][MAX_CLASSES] = {{0}}, rate = input(item, "rate")->valuedouble;
        const char *type = input(item, "type")->valuestring;
        int32_t labels[MAX_ITEMS], noisy[MAX_ITEMS];
        int n = read_ids(input(item, "labels"), labels), classes = input(item, "n_classes")->valueint;
        cru_mt_seed(&mt, seed_of(item));
        if (strcmp(type, "uniform") == 0)
            uniform_matrix(p, classes, rate);
        else if (strcmp(type, "pair") == 0)
            pair_matrix(p, classes, rate);
        else
            random_matrix(p, classes, rate);
        cru_mt_seed(&mt, seed_of(item));
        for (int i = 0; i < n; i++) noisy[i] = cru_mt_multinomial(&mt, p[labels[i]], classes);
        assert_list(noisy, expected_of(item, "noisy"));
        drawn++;
    }
    ck_assert_int_ge(drawn, 20);
    cJSON_Delete(root);
}
END_TEST

START_TEST(the_raw_stream_is_that_of_the_study)
{
    for (const cJSON *item = load(TEST_FIXTURES "/noisygl/label-noise.json")->child; item; item = item->next) {
        if (!is_case(item, "stream_")) continue;
        int32_t ids[20];
        cru_mt_seed(&mt, seed_of(item));
        for (const cJSON *x = expected_of(item, "uint32")->child; x; x = x->next)
            ck_assert_double_eq((double)cru_mt_u32(&mt), x->valuedouble);
        cru_mt_seed(&mt, seed_of(item));
        for (const cJSON *x = expected_of(item, "doubles")->child; x; x = x->next)
            ck_assert_double_eq_tol(cru_mt_uniform(&mt), x->valuedouble, 1e-8);
        cru_mt_seed(&mt, seed_of(item));
        cru_mt_permutation(&mt, ids, 10);
        assert_list(ids, expected_of(item, "permutation10"));
        cru_mt_seed(&mt, seed_of(item));
        cru_mt_choose(&mt, 20, 5, ids);
        assert_list(ids, expected_of(item, "choice5of20"));
        cru_mt_seed(&mt, seed_of(item));
        for (const cJSON *x = expected_of(item, "normals")->child; x; x = x->next)
            ck_assert_double_eq_tol(cru_mt_normal(&mt), x->valuedouble, 1e-7);
        cJSON_Delete(root);
        return;
    }
    ck_abort_msg("no stream in the fixture");
}
END_TEST

/* k of the ids in `pool`, in the order drawn; they are marked as taken. */
static void draw(const int32_t *pool, int size, int k, int32_t *out, bool *taken)
{
    int32_t places[MAX_ITEMS];
    cru_mt_choose(&mt, size, k, places);
    for (int i = 0; i < k; i++) taken[out[i] = pool[places[i]]] = true;
}

static int rest(const bool *taken, int n, int32_t *pool)
{
    int size = 0;
    for (int i = 0; i < n; i++)
        if (!taken[i]) pool[size++] = i;
    return size;
}

START_TEST(class_wise_splits_are_those_of_the_study)
{
    int seen = 0;
    for (const cJSON *item = load(TEST_FIXTURES "/noisygl/splits.json")->child; item; item = item->next) {
        if (!is_case(item, "samples_per_class")) continue;
        int32_t labels[MAX_ITEMS], pool[MAX_ITEMS], out[MAX_ITEMS];
        bool taken[MAX_ITEMS] = {false};
        int n = read_ids(input(item, "labels"), labels), each = input(item, "train_per_class")->valueint, filled = 0;
        cru_mt_seed(&mt, seed_of(item));
        for (int c = 0; c < 4; c++, filled += each) {
            int size = 0;
            for (int i = 0; i < n; i++)
                if (labels[i] == c) pool[size++] = i;
            draw(pool, size, each, out + filled, taken);
        }
        assert_list(out, expected_of(item, "train"));
        draw(pool, rest(taken, n, pool), input(item, "val_size")->valueint, out, taken);
        assert_list(out, expected_of(item, "val"));
        draw(pool, rest(taken, n, pool), input(item, "test_size")->valueint, out, taken);
        assert_list(out, expected_of(item, "test"));
        seen++;
    }
    ck_assert_int_eq(seen, 2);
    cJSON_Delete(root);
}
END_TEST

static void check_pyshuffle(const cJSON *item)
{
    int32_t ids[MAX_ITEMS];
    int n = input(item, "n")->valueint;
    const char *const calls[] = {"first", "second"};
    cru_mt_seed_python(&mt, seed_of(item));
    for (int call = 0; call < 2; call++) {
        for (int i = 0; i < n; i++) ids[i] = i;
        cru_mt_python_shuffle(&mt, ids, n);
        assert_list(ids, expected_of(item, calls[call]));
    }
}

static void check_randperm(const cJSON *item)
{
    int32_t ids[MAX_ITEMS];
    const cJSON *perm = expected_of(item, "perms")->child;
    cru_mt_seed(&mt, seed_of(item));
    for (const cJSON *n = input(item, "n")->child; n; n = n->next, perm = perm->next) {
        cru_mt_torch_permutation(&mt, ids, n->valueint);
        assert_list(ids, perm);
    }
}

START_TEST(shuffles_are_those_of_the_imbalance_study)
{
    int seen = 0;
    for (const cJSON *item = load(TEST_FIXTURES "/igl/rng.json")->child; item; item = item->next, seen++) {
        if (is_case(item, "pyshuffle")) check_pyshuffle(item);
        if (is_case(item, "torch_randperm")) check_randperm(item);
        if (is_case(item, "python_randbelow")) {
            const cJSON *value = expected_of(item, "values")->child;
            cru_mt_seed_python(&mt, seed_of(item));
            for (const cJSON *n = input(item, "bounds")->child; n; n = n->next, value = value->next)
                ck_assert_uint_eq(cru_mt_python_below(&mt, (uint32_t)n->valueint), (uint32_t)value->valueint);
        }
    }
    ck_assert_int_eq(seen, 6);
    cJSON_Delete(root);
}
END_TEST

START_TEST(splits_are_those_of_the_partial_label_study)
{
    const cJSON *cases = load(TEST_FIXTURES "/pll/protocol.json");
    int32_t seeds[10], ids[MAX_ITEMS];
    int seen = 0;
    read_ids(expected_of(cases->child, "values"), seeds);
    for (const cJSON *item = cases->child; item; item = item->next) {
        const cJSON *head = expected_of(item, "first_shuffle_head"), *second = expected_of(item, "second_shuffle_head"),
                    *test = expected_of(item, "test_rows_head");
        if (!head) head = expected_of(item, "first_shuffle"), second = expected_of(item, "second_shuffle");
        if (!head) continue;
        int n = input(item, "N")->valueint, dev = expected_of(item, "dev_size")->valueint;
        uint32_t seed = (uint32_t)seeds[input(item, "trial")->valueint];
        cru_mt_seed(&mt, seed);
        cru_mt_permutation(&mt, ids, n);
        assert_list(ids, head);
        if (test) assert_list(ids + dev, test);
        cru_mt_seed(&mt, seed);
        cru_mt_permutation(&mt, ids, dev);
        assert_list(ids, second);
        seen++;
    }
    ck_assert_int_eq(seen, 9);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("mt19937");
    TCase *c = tcase_create("libraries");
    tcase_add_test(c, words_and_doubles_are_numpys);
    tcase_add_test(c, the_state_is_refilled_as_in_numpy);
    tcase_add_test(c, shuffles_are_numpys);
    tcase_add_test(c, permutations_and_choices_are_numpys);
    tcase_add_test(c, nothing_is_drawn_where_there_is_no_choice);
    tcase_add_test(c, normal_values_are_numpys);
    tcase_add_test(c, binomial_draws_are_numpys);
    tcase_add_test(c, class_draws_are_numpys);
    tcase_add_loop_test(c, shuffles_are_pythons, 0, 3);
    tcase_add_loop_test(c, permutations_are_torchs, 0, 2);
    suite_add_tcase(s, c);
    TCase *studies = tcase_create("studies");
    tcase_add_test(studies, label_noise_is_that_of_the_study);
    tcase_add_test(studies, the_raw_stream_is_that_of_the_study);
    tcase_add_test(studies, class_wise_splits_are_those_of_the_study);
    tcase_add_test(studies, shuffles_are_those_of_the_imbalance_study);
    tcase_add_test(studies, splits_are_those_of_the_partial_label_study);
    suite_add_tcase(s, studies);
    return s;
}
