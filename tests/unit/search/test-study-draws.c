// SPDX-License-Identifier: Apache-2.0
/* The settings that the partial-label study drew, from its own code, against what the methods' own distributions
 * give. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json-fixture.h"
#include "loader/loader.h"
#include "search/search.h"

enum { MOST_AXES = 20 };

typedef struct method {
    const char *theirs, *ours;
    int drawn; /* settings that both draw */
} method;

static const method methods[] = {
    {"LWS", "lws", 1},   {"POP", "pop", 4},     {"IDGP", "idgp", 1},     {"ABLE", "able", 3},
    {"PiCO", "pico", 5}, {"VALEN", "valen", 2}, {"FREDIS", "fredis", 7}, {"ALIM", "alim", 6},
};

/* A draw depends on the name: study.ini says "as rollWindow" of pop's window. */
static const char *their_name(const cru_param *p)
{
    return strcmp(p->key, "window") == 0 ? "rollWindow" : p->key;
}

/* The method's searched settings that the study draws, too. */
static int64_t axes_of(const cru_plugin *plugin, const cJSON *drawn, search_axis *axes)
{
    int64_t count = 0;
    for (const cru_param *p = plugin->params; p->type != CRU_PARAM_END; p++)
        if (p->search.kind != CRU_SEARCH_NONE && p->type != CRU_PARAM_GROUP &&
            cJSON_GetObjectItem(drawn, their_name(p)) &&
            strcmp(p->key, "noise_rate") != 0) /* on PLCIFAR10 the study takes the true rate */
            axes[count++] = (search_axis){p, p->search, their_name(p)};
    return count;
}

START_TEST(a_method_is_searched_where_the_study_searched)
{
    const method *m = &methods[_i];
    char path[500];
    cru_error err = {0};
    const cru_plugin *plugin = NULL;
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/algorithms/%s.so", m->ours);
    ck_assert_msg(plugin_open(path, CRU_KIND_ALGORITHM, m->ours, &plugin, &err) == CRU_OK, "%s", err.text);
    cJSON *root = fixture_open("pll/search-space.json");
    const cJSON *item;
    const search_settings set = {
        .method = SEARCH_RANDOM, .rng = SEARCH_RNG_STUDY, .trials = 20, .defaults_first = true};
    const double initial[MOST_AXES] = {0};
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(fixture_case(root, m->theirs), "expected"))
    {
        int seed, number;
        int64_t at = 0;
        search_axis axes[MOST_AXES];
        ck_assert_int_eq(sscanf(item->string, "t%d_c%d", &seed, &number), 2);
        const int64_t count = axes_of(plugin, item, axes);
        ck_assert_int_eq(count, m->drawn);
        search *s = search_create(&(search_problem){&set, axes, count, initial, (uint64_t)seed});
        while (at < number) ck_assert_int_eq(search_ask(s, &at), SEARCH_TRY);
        for (int64_t k = 0; k < count; k++) {
            char text[AXIS_TEXT_SIZE];
            axis_text(&axes[k], search_point(s, number)[k], text);
            const double wanted = cJSON_GetObjectItem(item, axes[k].name)->valuedouble;
            ck_assert_msg(fabs(strtod(text, NULL) / wanted - 1) < 1e-8, "%s %s: %s is %s, not %.9g", m->ours,
                          item->string, axes[k].param->key, text, wanted);
        }
        search_destroy(s);
    }
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("study-draws");
    TCase *c = tcase_create("draws");
    tcase_add_loop_test(c, a_method_is_searched_where_the_study_searched, 0, sizeof methods / sizeof *methods);
    suite_add_tcase(s, c);
    return s;
}
