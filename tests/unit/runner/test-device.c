// SPDX-License-Identifier: Apache-2.0
/* [run] device and devices: which backend, which cards. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "worker/device.h"

/* A limit of the card's memory where there is no card is a mistake. */
START_TEST(the_cpu_has_no_memory_of_a_card)
{
    registry *plugins = registry_create();
    device_choice choice;
    cru_error err = {0};
    const run_settings run = {.device = "cpu", .devices = "", .device_memory = 100};
    ck_assert_int_eq(device_choose(&run, plugins, &choice, &err), CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, "device = cpu is limited by memory") != NULL, "%s", err.text);
    registry_destroy(plugins);
}
END_TEST

typedef struct choice_case {
    const char *device, *devices;
    const char *message; /* NULL: fine */
    int32_t cards[4], count;
} choice_case;

static const choice_case cases[] = {
    {"cpu", "", NULL, {0}, 1},
    {"cpu:1", "", "no cards", {0}, 0},
    {"cpu", "0, 1", "no cards", {0}, 0},
    {"gpu", "", NULL, {0}, 1},
    {"gpu:3", "", NULL, {3}, 1},
    {"gpu", "0, 2,5", NULL, {0, 2, 5}, 3},
    {"gpu:x", "", "not a number", {0}, 0},
    {"gpu:1x", "", "not a number", {0}, 0},
    {"gpu:-1", "", "not a number", {0}, 0},
    {"gpu:1", "0", "names others", {0}, 0},
    {"gpu", "0,,1", "not a list", {0}, 0},
    {"gpu", "0 1", "not a list", {0}, 0},
    {"gpu", "99999", "not a list", {0}, 0},
    {"tpu", "", "no backend plugin of that name", {0}, 0},
};

START_TEST(a_device_is_the_cpu_or_a_backend_with_cards)
{
    const choice_case *c = &cases[_i];
    registry *plugins = registry_create();
    registry_add(
        plugins,
        &(registry_entry){.kind = CRU_KIND_BACKEND, .name = "gpu", .version = "1", .summary = "s", .path = "/gpu.so"});
    registry_sort(plugins);
    run_settings run = {.device = c->device, .devices = c->devices};
    device_choice choice;
    cru_error err = {0};
    cru_status status = device_choose(&run, plugins, &choice, &err);
    if (c->message) {
        ck_assert_int_ne(status, CRU_OK);
        ck_assert_msg(strstr(err.text, c->message) != NULL, "%s", err.text);
    } else {
        ck_assert_msg(status == CRU_OK, "%s", err.text);
        ck_assert_int_eq(choice.backend != NULL, strncmp(c->device, "gpu", 3) == 0);
        ck_assert_int_eq(choice.card_count, c->count);
        for (int32_t i = 0; i < c->count; i++) ck_assert_int_eq(choice.cards[i], c->cards[i]);
    }
    registry_destroy(plugins);
}
END_TEST

typedef struct given_case {
    const char *visible; /* NULL: not set */
    int32_t count;       /* 0: none, which is told */
} given_case;

static const given_case given[] = {
    {NULL, 1},     {"3", 1}, {"0,1", 2}, {"GPU-8932f937,GPU-1b2c", 2},
    {"2,-1,3", 1}, {"", 0},  {"-1", 0},  {"NoDevFiles,", 1},
};

/* What Slurm gives a task; CUDA counts from 0 whatever their numbers are on the machine. */
START_TEST(cards_are_those_that_the_cluster_gave)
{
    const given_case *c = &given[_i];
    registry *plugins = registry_create();
    registry_add(plugins,
                 &(registry_entry){
                     .kind = CRU_KIND_BACKEND, .name = "cuda", .version = "1", .summary = "s", .path = "/cuda.so"});
    registry_sort(plugins);
    const run_settings all = {.device = "cuda", .devices = ""}, one = {.device = "cuda:1", .devices = ""};
    device_choice choice;
    cru_error err = {0};
    if (c->visible)
        setenv("CUDA_VISIBLE_DEVICES", c->visible, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
    cru_status status = device_choose(&all, plugins, &choice, &err);
    ck_assert_int_eq(status, c->count ? CRU_OK : CRU_UNSUPPORTED);
    ck_assert(c->count || strstr(err.text, "CUDA_VISIBLE_DEVICES gives no card"));
    for (int32_t i = 0; i < c->count; i++) ck_assert_int_eq(choice.cards[i], i);
    if (c->count) ck_assert_int_eq(choice.card_count, c->count);
    ck_assert_int_eq(device_choose(&one, plugins, &choice, &err), CRU_OK);
    ck_assert(choice.card_count == 1 && choice.cards[0] == 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    registry_destroy(plugins);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("device");
    TCase *c = tcase_create("device");
    tcase_add_loop_test(c, a_device_is_the_cpu_or_a_backend_with_cards, 0, sizeof cases / sizeof *cases);
    tcase_add_test(c, the_cpu_has_no_memory_of_a_card);
    tcase_add_loop_test(c, cards_are_those_that_the_cluster_gave, 0, sizeof given / sizeof *given);
    suite_add_tcase(s, c);
    return s;
}
