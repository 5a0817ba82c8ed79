// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/params.h>

typedef struct inner {
    double lr;
    int64_t optimiser;
} inner;

typedef struct settings {
    int64_t hidden;
    double alpha;
    bool norm;
    const char *path;
    cru_list widths;
    inner train;
    double shift;
} settings;

static const char *const optimisers[] = {"adam", "adamw", "sgd", NULL};
static const cru_param inner_table[] = {
    CRU_FLOAT(inner, lr, 0.01, 0, CRU_NO_MAX, "learning rate"),
    CRU_CHOICE(inner, optimiser, 1, optimisers, "optimiser"),
    CRU_END,
};
static const cru_param table[] = {
    CRU_INT(settings, hidden, 64, 1, 65536, "width"),
    CRU_FLOAT(settings, alpha, 0.1, 0, 1, "teleport probability"),
    CRU_BOOL(settings, norm, true, "normalise"),
    CRU_STRING(settings, path, "a b", "where"),
    CRU_LIST(settings, widths, "64, 32", 1, 4096, "widths"),
    CRU_GROUP(settings, train, inner_table),
    CRU_FLOAT(settings, shift, -1, CRU_NO_MIN, 0, "shift"),
    CRU_END,
};

static cru_settings *made;

static void open_settings(void)
{
    made = cru_settings_create(table, sizeof(settings));
    ck_assert_ptr_nonnull(made);
}

static void close_settings(void)
{
    cru_settings_destroy(made);
}

static const settings *now(void)
{
    return cru_settings_struct(made);
}

static void set(const char *key, const char *text)
{
    cru_error err = {0};
    ck_assert_msg(cru_settings_set(made, key, text, &err) == CRU_OK, "%s", err.text);
}

START_TEST(defaults_fill_the_struct)
{
    ck_assert_int_eq(now()->hidden, 64);
    ck_assert_double_eq(now()->alpha, 0.1);
    ck_assert(now()->norm);
    ck_assert_str_eq(now()->path, "a b");
    ck_assert_int_eq(now()->widths.count, 2);
    ck_assert_double_eq(now()->widths.values[0], 64);
    ck_assert_double_eq(now()->widths.values[1], 32);
    ck_assert_double_eq(now()->train.lr, 0.01);
    ck_assert_int_eq(now()->train.optimiser, 1);
    ck_assert_double_eq(now()->shift, -1);
}
END_TEST

START_TEST(values_reach_their_fields)
{
    set("hidden", " 16 ");
    set("alpha", "2.5e-1");
    set("norm", "Off");
    set("path", "x=y, z");
    set("widths", "8,16 , 24");
    set("lr", ".5");
    set("optimiser", "sgd");
    ck_assert_int_eq(now()->hidden, 16);
    ck_assert_double_eq(now()->alpha, 0.25);
    ck_assert(!now()->norm);
    ck_assert_str_eq(now()->path, "x=y, z");
    ck_assert_int_eq(now()->widths.count, 3);
    ck_assert_double_eq(now()->widths.values[2], 24);
    ck_assert_double_eq(now()->train.lr, 0.5);
    ck_assert_int_eq(now()->train.optimiser, 2);
    ck_assert_double_eq(now()->shift, -1);
}
END_TEST

START_TEST(every_word_for_true_and_false_is_read)
{
    const char *const yes[] = {"true", "yes", "on", "1", "True", "YES"};
    const char *const no[] = {"false", "no", "off", "0", "False", "NO"};
    for (size_t i = 0; i < 6; i++) {
        set("norm", yes[i]);
        ck_assert(now()->norm);
        set("norm", no[i]);
        ck_assert(!now()->norm);
    }
}
END_TEST

START_TEST(an_empty_list_has_no_values)
{
    set("widths", " ");
    ck_assert_int_eq(now()->widths.count, 0);
}
END_TEST

static const struct {
    const char *key, *text, *message;
} refused[] = {
    {"alpha", "1.5", "alpha = 1.5: must be between 0 and 1"},
    {"alpha", "nan", "alpha = nan: not a number"},
    {"alpha", "inf", "alpha = inf: not a number"},
    {"alpha", "0.5x", "alpha = 0.5x: not a number"},
    {"alpha", "0x1p-1", "alpha = 0x1p-1: not a number"},
    {"alpha", "0,5", "alpha = 0,5: not a number"},
    {"alpha", "", "alpha = : not a number"},
    {"alpha", ".", "alpha = .: not a number"},
    {"alpha", "1e", "alpha = 1e: not a number"},
    {"lr", "1e999", "lr = 1e999: too large for a number"},
    {"lr", "-1", "lr = -1: must be at least 0"},
    {"shift", "0.1", "shift = 0.1: must be at most 0"},
    {"hidden", "3.5", "hidden = 3.5: not a whole number"},
    {"hidden", "1e3", "hidden = 1e3: not a whole number"},
    {"hidden", "0", "hidden = 0: must be between 1 and 65536"},
    {"hidden", "99999999999999999999", "hidden = 99999999999999999999: too large for a whole number"},
    {"norm", "maybe", "norm = maybe: must be true or false"},
    {"optimiser", "adm", "optimiser = adm: not one of adam, adamw, sgd; did you mean adam?"},
    {"optimiser", "lbfgs", "optimiser = lbfgs: not one of adam, adamw, sgd"},
    {"path", "a\nb", "path = ...: must be one line of plain text"},
    {"widths", "64, x", "widths = 64, x: \"x\" is not a number; write a list as 64, 32"},
    {"widths", "64,", "widths = 64,: \"\" is not a number; write a list as 64, 32"},
    {"widths", "64, 0", "widths = 64, 0: every number must be between 1 and 4096"},
    {"alhpa", "0.1", "alhpa: no such setting; did you mean alpha?"},
    {"zebra", "1", "zebra: no such setting; there are hidden, alpha, norm, path, widths, lr, optimiser, shift"},
};

START_TEST(a_wrong_value_is_refused_and_changes_nothing)
{
    cru_error err = {0};
    char *before = cru_settings_text(made);
    ck_assert_int_eq(cru_settings_set(made, refused[_i].key, refused[_i].text, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, refused[_i].message);
    char *after = cru_settings_text(made);
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_very_long_value_is_quoted_only_in_part)
{
    char text[2000];
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = 0;
    cru_error err = {0};
    cru_settings_set(made, "norm", text, &err);
    ck_assert(strstr(err.text, "777...: must be true or false"));
}
END_TEST

START_TEST(the_text_is_canonical)
{
    set("alpha", "0.3000000");
    set("lr", "1e-4");
    set("widths", "100,0064, 2.50");
    set("norm", "no");
    char *text = cru_settings_text(made);
    ck_assert_str_eq(text, "hidden=64\nalpha=0.3\nnorm=false\npath=a b\nwidths=100, 64, 2.5\nlr=0.0001\n"
                           "optimiser=adamw\nshift=-1\n");
    free(text);
}
END_TEST

static const char *lr_text(const char *value, char *line)
{
    set("lr", value);
    char *text = cru_settings_text(made);
    char *from = strstr(text, "\nlr=");
    sscanf(from, "\nlr=%99s", line);
    free(text);
    return line;
}

START_TEST(float_text_is_short_and_reads_back_to_the_same_bits)
{
    const double values[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456.789, 0.30000000000000004, 1e15, 1e22};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char exact[100], line[100], again[100];
        snprintf(exact, sizeof exact, "%.17g", values[i]);
        lr_text(exact, line);
        ck_assert(now()->train.lr == values[i]);
        ck_assert_uint_le(strlen(line), strlen(exact));
        ck_assert_str_eq(lr_text(line, again), line);
        ck_assert(now()->train.lr == values[i]);
    }
    char line[100];
    ck_assert_str_eq(lr_text("0.1", line), "0.1");
    ck_assert_str_eq(lr_text("5e-324", line), "5e-324");
    ck_assert_str_eq(lr_text("0.30000000000000004", line), "0.30000000000000004");
    ck_assert_str_eq(lr_text("1000000", line), "1000000");
    ck_assert_str_eq(lr_text("1e22", line), "1e+22");
}
END_TEST

START_TEST(a_plugin_without_settings_refuses_every_key)
{
    cru_settings *none = cru_settings_create(NULL, 0);
    cru_error err = {0};
    ck_assert_ptr_nonnull(cru_settings_struct(none));
    ck_assert_int_eq(cru_settings_set(none, "alpha", "1", &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "alpha: no such setting; there are none");
    char *text = cru_settings_text(none);
    ck_assert_str_eq(text, "");
    free(text);
    cru_settings_destroy(none);
    cru_settings_destroy(NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("settings");
    TCase *c = tcase_create("settings");
    tcase_add_checked_fixture(c, open_settings, close_settings);
    tcase_add_test(c, defaults_fill_the_struct);
    tcase_add_test(c, values_reach_their_fields);
    tcase_add_test(c, every_word_for_true_and_false_is_read);
    tcase_add_test(c, an_empty_list_has_no_values);
    tcase_add_loop_test(c, a_wrong_value_is_refused_and_changes_nothing, 0, sizeof refused / sizeof *refused);
    tcase_add_test(c, a_very_long_value_is_quoted_only_in_part);
    tcase_add_test(c, the_text_is_canonical);
    tcase_add_test(c, float_text_is_short_and_reads_back_to_the_same_bits);
    tcase_add_test(c, a_plugin_without_settings_refuses_every_key);
    suite_add_tcase(s, c);
    return s;
}
