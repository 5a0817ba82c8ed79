// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/mt19937.h>
#include <crucible/study-rng.h>

#include "json-fixture.h"

static cru_error err;
static const cru_study study = {.generator = CRU_STUDY_NUMPY, .base = 3000, .step = 10};

static cru_status start(cru_study_rng *rng, int64_t kind, int64_t base, int64_t step, uint64_t number)
{
    static cru_rng stream;
    stream = cru_rng_stream(number, "split", 0);
    err = (cru_error){0};
    const cru_study_settings settings = {kind, base, step};
    return cru_study_rng_create(rng, &(cru_study_draw){&settings, &study, number, &stream}, &err);
}

static void count_up(int32_t ids[20])
{
    for (int32_t i = 0; i < 20; i++) ids[i] = i;
}

/* Each library's generator is the one of mt19937.h, which is tested against the libraries. */
START_TEST(a_library_is_followed_to_the_last_draw)
{
    cru_study_rng rng;
    cru_mt mt;
    int32_t got[20], expected[20];
    count_up(got), count_up(expected);
    ck_assert_int_eq(start(&rng, CRU_STUDY_NUMPY, 7, 0, 99), CRU_OK);
    cru_mt_seed(&mt, 7);
    cru_study_rng_shuffle(&rng, got, 20);
    cru_mt_shuffle(&mt, expected, 20);
    ck_assert_mem_eq(got, expected, sizeof got);
    ck_assert_double_eq(cru_study_rng_normal(&rng), cru_mt_normal(&mt));

    count_up(got), count_up(expected);
    ck_assert_int_eq(start(&rng, CRU_STUDY_PYTHON, 7, 2, 3), CRU_OK);
    cru_mt_seed_python(&mt, 13);
    cru_study_rng_shuffle(&rng, got, 20);
    cru_mt_python_shuffle(&mt, expected, 20);
    ck_assert_mem_eq(got, expected, sizeof got);

    count_up(got);
    ck_assert_int_eq(start(&rng, CRU_STUDY_TORCH, -1, 0, 5), CRU_OK);
    cru_mt_seed(&mt, 5);
    cru_study_rng_shuffle(&rng, got, 20);
    cru_mt_torch_permutation(&mt, expected, 20);
    ck_assert_mem_eq(got, expected, sizeof got);
}
END_TEST

START_TEST(our_own_is_the_stream)
{
    cru_study_rng rng;
    cru_rng stream = cru_rng_stream(4, "split", 0);
    ck_assert_int_eq(start(&rng, CRU_STUDY_PHILOX, -1, 0, 4), CRU_OK);
    ck_assert(!cru_study_rng_repeats(&rng));
    const double first = cru_study_rng_uniform(&rng);
    ck_assert_double_eq(first, cru_rng_uniform(&stream));
    cru_study_rng_restart(&rng);
    ck_assert_double_eq(cru_study_rng_uniform(&rng), cru_rng_uniform(&stream));
}
END_TEST

START_TEST(a_study_has_its_own_seeds)
{
    cru_study_rng rng;
    cru_mt mt;
    ck_assert_int_eq(start(&rng, CRU_STUDY_OWN, -1, 0, 2), CRU_OK);
    cru_mt_seed(&mt, 3020);
    const double first = cru_study_rng_uniform(&rng);
    ck_assert_double_eq(first, cru_mt_uniform(&mt));
    cru_study_rng_restart(&rng);
    ck_assert_double_eq(cru_study_rng_uniform(&rng), first);
    ck_assert_int_eq(start(&rng, CRU_STUDY_OWN, 5, 1, 2), CRU_OK);
    ck_assert_uint_eq(rng.seed, 7);
}
END_TEST

START_TEST(seeds_that_no_generator_takes_are_refused)
{
    cru_study_rng rng;
    ck_assert_int_eq(start(&rng, CRU_STUDY_NUMPY, 4294967295, 1, 1), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "numpy takes seeds up to 4294967295; base 4294967295 and seed 1 exceed it");
    ck_assert_int_eq(start(&rng, CRU_STUDY_NUMPY, 1, 1000000, UINT64_MAX), CRU_BAD_INPUT);
    ck_assert_int_eq(start(&rng, CRU_STUDY_PHILOX, -1, 0, UINT64_MAX), CRU_OK);
    const cru_study lost = {.generator = CRU_STUDY_NUMPY, .base = CRU_STUDY_UNKNOWN};
    const cru_study_settings settings = {CRU_STUDY_OWN, -1, 0};
    const cru_rng stream = cru_rng_stream(0, "split", 0);
    err = (cru_error){0};
    ck_assert_int_eq(cru_study_rng_create(&rng, &(cru_study_draw){&settings, &lost, 0, &stream}, &err),
                     CRU_UNSUPPORTED);
}
END_TEST

START_TEST(a_text_makes_a_seed)
{
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *item = fixture_case(root, "seed_hash"), *text, *seed = fixture_expected(item, "values")->child;
    cJSON_ArrayForEach(text, fixture_input(item, "args_text"))
    {
        ck_assert_uint_eq(cru_study_hash(text->valuestring), (uint32_t)seed->valuedouble);
        seed = seed->next;
    }
    ck_assert_ptr_null(seed);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("study-rng");
    TCase *c = tcase_create("study-rng");
    tcase_add_test(c, a_library_is_followed_to_the_last_draw);
    tcase_add_test(c, our_own_is_the_stream);
    tcase_add_test(c, a_study_has_its_own_seeds);
    tcase_add_test(c, seeds_that_no_generator_takes_are_refused);
    tcase_add_test(c, a_text_makes_a_seed);
    suite_add_tcase(s, c);
    return s;
}
