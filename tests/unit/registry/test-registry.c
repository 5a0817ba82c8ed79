// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "registry/codec.h"
#include "registry/registry.h"

typedef struct inner {
    double lr;
} inner;
typedef struct settings {
    int64_t width;
    inner train;
    int64_t mode;
} settings;

static const char *const modes[] = {"sym", "rw", NULL};
static const cru_param inner_schema[] = {
    CRU_FLOAT(inner, lr, 0.01, 0, CRU_NO_MAX, "step", .search = CRU_ONE_OF(0.1, 0.2)), CRU_END};
static const cru_param schema[] = {CRU_INT(settings, width, 8, 1, 64, "width"),
                                   CRU_GROUP(settings, train, inner_schema),
                                   CRU_CHOICE(settings, mode, 1, modes, "normalisation"), CRU_END};

static registry_entry make(cru_kind kind, const char *name, const char *path)
{
    return (registry_entry){.kind = kind, .name = name, .version = "1", .summary = "s", .path = path};
}

static void add(registry *r, cru_kind kind, const char *name, const char *path)
{
    registry_entry entry = make(kind, name, path);
    ck_assert_int_eq(registry_add(r, &entry), CRU_OK);
}

START_TEST(plugins_are_found_by_kind_and_name)
{
    registry *r = registry_create();
    add(r, CRU_KIND_METRIC, "accuracy", "/a");
    add(r, CRU_KIND_ALGORITHM, "accuracy", "/b");
    ck_assert_str_eq(registry_find(r, CRU_KIND_ALGORITHM, "accuracy")->path, "/b");
    ck_assert_str_eq(registry_find(r, CRU_KIND_METRIC, "accuracy")->path, "/a");
    ck_assert_ptr_null(registry_find(r, CRU_KIND_DATASET, "accuracy"));
    ck_assert_ptr_null(registry_find(r, CRU_KIND_METRIC, "accurac"));
    registry_destroy(r);
}
END_TEST

START_TEST(broken_plugins_are_kept_but_not_found)
{
    registry *r = registry_create();
    registry_entry broken = make(CRU_KIND_METRIC, "x", "/x");
    broken.broken = "it is";
    ck_assert_int_eq(registry_add(r, &broken), CRU_OK);
    add(r, CRU_KIND_METRIC, "x", "/y");
    registry_sort(r);
    ck_assert_str_eq(registry_find(r, CRU_KIND_METRIC, "x")->path, "/y");
    ck_assert_uint_eq(registry_count(r), 2);
    ck_assert_uint_eq(registry_broken_count(r), 1);
    ck_assert_str_eq(registry_at(r, 1)->broken, "it is");
    registry_destroy(r);
}
END_TEST

START_TEST(the_nearest_name_is_of_the_kind_that_is_asked_for)
{
    registry *r = registry_create();
    add(r, CRU_KIND_METRIC, "accuracy", "/a");
    add(r, CRU_KIND_ALGORITHM, "gcn", "/b");
    ck_assert_str_eq(registry_nearest(r, CRU_KIND_METRIC, "acuracy"), "accuracy");
    ck_assert_ptr_null(registry_nearest(r, CRU_KIND_ALGORITHM, "acuracy"));
    ck_assert_str_eq(registry_nearest(r, 0, "gnc"), "gcn");
    registry_destroy(r);
}
END_TEST

START_TEST(sorting_puts_kinds_and_names_in_order)
{
    registry *r = registry_create();
    add(r, CRU_KIND_METRIC, "b", "/1");
    add(r, CRU_KIND_METRIC, "a", "/2");
    add(r, CRU_KIND_DATASET, "z", "/3");
    registry_sort(r);
    ck_assert_str_eq(registry_at(r, 0)->name, "z");
    ck_assert_str_eq(registry_at(r, 1)->name, "a");
    ck_assert_str_eq(registry_at(r, 2)->name, "b");
    registry_destroy(r);
}
END_TEST

START_TEST(a_copied_table_is_flat_and_independent)
{
    registry *r = registry_create();
    registry_entry entry = make(CRU_KIND_ALGORITHM, "m", "/m");
    entry.params = schema;
    entry.settings_size = sizeof(settings);
    ck_assert_int_eq(registry_add(r, &entry), CRU_OK);
    const cru_param *copy = registry_find(r, CRU_KIND_ALGORITHM, "m")->params;
    ck_assert_str_eq(copy[1].key, "lr");
    ck_assert_uint_eq(copy[1].offset, offsetof(settings, train) + offsetof(inner, lr));
    ck_assert_ptr_ne(copy[1].search.values, inner_schema[0].search.values);
    ck_assert_double_eq(copy[1].search.values[1], 0.2);
    ck_assert_str_eq(copy[2].choices[1], "rw");
    ck_assert_ptr_null(copy[2].choices[2]);
    ck_assert_int_eq(copy[3].type, CRU_PARAM_END);
    registry_destroy(r);
}
END_TEST

START_TEST(words_for_kinds_and_problems)
{
    char text[PROBLEMS_TEXT_SIZE];
    ck_assert_int_eq(kind_parse("metric"), CRU_KIND_METRIC);
    ck_assert_int_eq(kind_parse("datasets"), CRU_KIND_DATASET);
    ck_assert_int_eq(kind_parse("metricss"), 0);
    ck_assert_int_eq(kind_parse(""), 0);
    ck_assert_str_eq(kind_name(0), "unknown");
    ck_assert_str_eq(problems_text(CRU_NODES | CRU_ROWS, text), "nodes, rows");
    ck_assert_str_eq(problems_text(0, text), "");
    ck_assert_str_eq(problems_text(15, text), "nodes, graphs, anomaly, rows");
}
END_TEST

/* ---- the encoded form -------------------------------------------------------------------------------------------- */

static bytes encoded_entry(void)
{
    bytes b = {0};
    registry_entry entry = make(CRU_KIND_ALGORITHM, "m", "/m");
    entry.license = "MIT";
    entry.params = schema;
    entry.settings_size = sizeof(settings);
    entry_encode(&b, &entry);
    ck_assert(!b.failed);
    return b;
}

START_TEST(an_entry_survives_encoding)
{
    bytes b = encoded_entry();
    cru_arena *memory = cru_arena_create();
    reader r = {.at = b.data, .left = b.size};
    registry_entry entry;
    ck_assert_int_eq(entry_decode(&r, memory, &entry), CRU_OK);
    ck_assert_uint_eq(r.left, 0);
    free(b.data); /* nothing may point into it */
    ck_assert_str_eq(entry.license, "MIT");
    ck_assert_ptr_null(entry.citation);
    ck_assert_str_eq(entry.params[1].key, "lr");
    ck_assert(isinf(entry.params[1].max));
    ck_assert_int_eq(entry.params[1].search.count, 2);
    ck_assert_str_eq(entry.params[2].choices[0], "sym");
    cru_arena_destroy(memory);
}
END_TEST

START_TEST(every_cut_of_an_encoded_entry_is_refused)
{
    bytes b = encoded_entry();
    cru_arena *memory = cru_arena_create();
    for (size_t size = 0; size < b.size; size++) {
        unsigned char *cut = malloc(size + 1); /* of its own, so that a read beyond it is seen by the sanitizer */
        memcpy(cut, b.data, size);
        reader r = {.at = cut, .left = size};
        registry_entry entry;
        ck_assert_int_eq(entry_decode(&r, memory, &entry), CRU_BAD_INPUT);
        free(cut);
    }
    cru_arena_destroy(memory);
    free(b.data);
}
END_TEST

START_TEST(no_damaged_byte_makes_the_decoder_misbehave)
{
    bytes b = encoded_entry();
    for (size_t at = 0; at < b.size; at++) {
        for (int flip = 0; flip < 8; flip++) {
            cru_arena *memory = cru_arena_create();
            b.data[at] ^= (unsigned char)(1 << flip);
            reader r = {.at = b.data, .left = b.size};
            registry_entry entry;
            if (entry_decode(&r, memory, &entry) == CRU_OK && !entry.broken)
                ck_assert_int_eq(cru_params_check(entry.params, entry.settings_size, NULL), CRU_OK);
            b.data[at] ^= (unsigned char)(1 << flip);
            cru_arena_destroy(memory);
        }
    }
    free(b.data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("registry");
    TCase *c = tcase_create("registry");
    tcase_add_test(c, plugins_are_found_by_kind_and_name);
    tcase_add_test(c, broken_plugins_are_kept_but_not_found);
    tcase_add_test(c, the_nearest_name_is_of_the_kind_that_is_asked_for);
    tcase_add_test(c, sorting_puts_kinds_and_names_in_order);
    tcase_add_test(c, a_copied_table_is_flat_and_independent);
    tcase_add_test(c, words_for_kinds_and_problems);
    suite_add_tcase(s, c);
    c = tcase_create("codec");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, an_entry_survives_encoding);
    tcase_add_test(c, every_cut_of_an_encoded_entry_is_refused);
    tcase_add_test(c, no_damaged_byte_makes_the_decoder_misbehave);
    suite_add_tcase(s, c);
    return s;
}
