// SPDX-License-Identifier: Apache-2.0
/* What is valid and probably not meant is said, and loads all the same. */
#include "config/bench.h"

/* The warnings of a file that loads, each on a line of its own. */
static void check_warnings(const char *text, const registry_entry *more, const char *expected)
{
    bench b = bench_open();
    diagnostics warnings = {0};
    char path[512], seen[2000] = "";
    snprintf(path, sizeof path, "%s/main.ini", b.folder);
    bench_write(&b, "main.ini", text);
    if (more) ck_assert_int_eq(registry_add(b.plugins, more), CRU_OK);
    config_request request = {.files = &(const char *){path},
                              .file_count = 1,
                              .registry = b.plugins,
                              .find_dataset = fake_find,
                              .warnings = &warnings};
    ck_assert_int_eq(config_load(&request, &b.e, &b.diags), CRU_OK);
    for (int64_t i = 0; i < warnings.count; i++) {
        strcat(seen, warnings.items[i].text + strlen(b.folder) + 1);
        strcat(seen, "\n");
    }
    ck_assert_str_eq(seen, expected);
    diagnostics_clear(&warnings);
    bench_close(&b);
}

START_TEST(a_decimal_comma_is_warned_of)
{
    check_warnings(SMALL "lr = 0,01\n", NULL,
                   "main.ini:3: lr: 0,01 is a list of two values; write 0.01 for the one number, or a space behind the "
                   "comma\n");
    check_warnings(SMALL "lr = 0.5, 0,01\n", NULL,
                   "main.ini:3: lr: 0,01 is a list of two values; write 0.01 for the one number, or a space behind the "
                   "comma\n");
}
END_TEST

START_TEST(lists_that_look_like_lists_are_not_warned_of)
{
    check_warnings(SMALL "lr = 0, 1\n", NULL, "");
    check_warnings(SMALL "lr = 0.1,0.2\n", NULL, "");
    check_warnings("[dataset cora]\n[algorithm gcn]\nhidden = 8,16\n", NULL, "");
    check_warnings("[dataset cora]\n[corruptor uniform]\nrate = 0,1,0.5\n[algorithm gcn]\n", NULL, "");
}
END_TEST

START_TEST(a_tpe_that_never_models_is_called_random)
{
    check_warnings(SMALL "[search]\nmethod = tpe\ntrials = 10\n", NULL,
                   "main.ini:5: trials: tpe draws its first 10 settings at random (startup) and tries 10: this is a "
                   "random search; use more trials or a smaller startup\n");
    check_warnings(SMALL "[search]\nmethod = tpe\nstartup = 20\n", NULL,
                   "main.ini:4: method: tpe draws its first 20 settings at random (startup) and tries 20: this is a "
                   "random search; use more trials or a smaller startup\n");
    check_warnings(SMALL "[search]\nmethod = tpe\ntrials = 11\n", NULL, "");
    check_warnings(SMALL "[search]\nmethod = tpe\n", NULL, "");
    check_warnings(SMALL "[search]\nmethod = tpe\nstartup = 30\nminutes = 1\n", NULL, "");
    check_warnings(SMALL "[search]\nmethod = random\ntrials = 5\n", NULL, "");
}
END_TEST

START_TEST(a_plugin_whose_name_is_taken_is_named)
{
    const registry_entry twin = {
        .kind = CRU_KIND_ALGORITHM, .name = "gcn", .version = "2.0", .summary = "mine", .path = "/mine/gcn.so"};
    check_warnings(
        SMALL, &twin,
        "main.ini:2: gcn: /mine/gcn.so is passed over: the algorithm name 'gcn' is already taken by /fake.so\n");
    check_warnings("[dataset cora]\n[algorithm mlp]\n", &twin, "");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("config warnings");
    TCase *t = tcase_create("warnings");
    tcase_add_test(t, a_decimal_comma_is_warned_of);
    tcase_add_test(t, lists_that_look_like_lists_are_not_warned_of);
    tcase_add_test(t, a_tpe_that_never_models_is_called_random);
    tcase_add_test(t, a_plugin_whose_name_is_taken_is_named);
    suite_add_tcase(s, t);
    return s;
}
