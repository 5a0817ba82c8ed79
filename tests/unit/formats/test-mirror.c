// SPDX-License-Identifier: Apache-2.0
/* Every card of the tree whose files are in the mirror (CRUCIBLE_MIRROR) loads, is sound and shows the counts that it
 * promises. What is not there is said aloud. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"
#include "loader/loader.h"

static const data_places places = {.cards = TEST_FIXTURES "/../../datasets/cards", .cache = ""};

typedef struct walk {
    registry *plugins;
    int loaded, failed;
} walk;

static void load_card(walk *w, const char *name)
{
    cru_error err = {0};
    cru_data *data = NULL;
    data_request request = {.name = name, .plugins = w->plugins, .places = &places};
    if (data_open(&request, &data, &err) == CRU_OK) {
        w->loaded++;
    } else {
        w->failed++;
        printf("FAIL: %s: %s\n", name, err.text);
    }
    cru_data_destroy(data);
}

static void visit(void *user, const card *c, data_state state, const char *why)
{
    walk *w = user;
    if (!c) {
        w->failed++;
        printf("FAIL: %s\n", why);
    } else if (state == DATA_PRESENT) {
        load_card(w, c->name);
    } else if (state != DATA_GENERATED) {
        printf("SKIP: %s: its files are not in the mirror\n", c->name);
    }
}

START_TEST(every_card_keeps_its_promises)
{
    if (!getenv("CRUCIBLE_MIRROR")) printf("SKIP: CRUCIBLE_MIRROR is not set, no real dataset is read\n");
    cru_error err = {0};
    walk w = {0};
    const char *folders[] = {TEST_BINARY_DIR "/lib/crucible/plugins/datasets", NULL};
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    ck_assert_int_eq(loader_scan(&options, &w.plugins, NULL, &err), CRU_OK);
    ck_assert_int_eq(data_visit(&places, visit, &w, &err), CRU_OK);
    printf("%d datasets loaded\n", w.loaded);
    fflush(stdout);
    registry_destroy(w.plugins);
    ck_assert_int_eq(w.failed, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("mirror");
    TCase *c = tcase_create("mirror");
    tcase_set_timeout(c, 280);
    tcase_add_test(c, every_card_keeps_its_promises);
    suite_add_tcase(s, c);
    return s;
}
