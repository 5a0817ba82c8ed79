// SPDX-License-Identifier: Apache-2.0
/* The cards that the project ships: each can be read, says what a user must know, and names a format. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/data.h"
#include "loader/loader.h"

static const data_places places = {.cards = TEST_FIXTURES "/../../datasets/cards"};

typedef struct walk {
    registry *plugins;
    int count, faults, protocols, fetchable;
    char last[128]; /* cards come by name */
} walk;

static void complain(walk *w, const char *name, const char *what)
{
    w->faults++;
    printf("FAIL: %s: %s\n", name, what);
}

static bool is_listed(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

static void check_format(walk *w, const card *c)
{
    const registry_entry *plugin = registry_find(w->plugins, CRU_KIND_DATASET, c->format);
    if (!plugin) complain(w, c->name, "its format does not exist");
    static const cru_param none[] = {CRU_END};
    cru_settings *settings =
        plugin ? cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size) : NULL;
    for (int64_t i = 0; settings && i < c->settings.count; i++) {
        cru_error err = {0};
        if (cru_settings_set(settings, c->settings.items[i].key, c->settings.items[i].value, &err) != CRU_OK)
            complain(w, c->name, err.text);
    }
    cru_settings_destroy(settings);
}

static void check_texts(walk *w, const card *c)
{
    static const char *const tasks[] = {"nodes", "graphs", "anomaly", "rows", NULL};
    if (!c->title || !c->citation) complain(w, c->name, "lacks title or citation");
    if (!c->task || !is_listed(tasks, c->task)) complain(w, c->name, "has no known task");
    if (c->file_count > 0 && (!c->licence || !c->home)) complain(w, c->name, "lacks licence or home");
}

/* Metrics are plugins, protocols settings of [split]. */
static void check_metrics(walk *w, const card *c)
{
    char list[200], *rest = list;
    snprintf(list, sizeof list, "%s", c->metric ? c->metric : "");
    if (!c->metric) complain(w, c->name, "has no metric");
    for (char *name; (name = strtok_r(rest, ", ", &rest));) {
        char source[400];
        snprintf(source, sizeof source, TEST_FIXTURES "/../../plugins/metrics/%s.c", name);
        if (access(source, R_OK) != 0) complain(w, c->name, "names a metric that does not exist");
    }
}

static void check_protocol(walk *w, const card *c, const char *text)
{
    char list[200], scheme[50] = "", path[500], *rest = list;
    const cru_plugin *plugin;
    cru_error broken = {0};
    if (sscanf(text, "scheme = %49[a-z-]", scheme) != 1) {
        complain(w, c->name, "has a protocol without a scheme");
        return;
    }
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/splits/%s.so", scheme);
    if (plugin_open(path, CRU_KIND_SPLIT, scheme, &plugin, &broken) != CRU_OK) {
        complain(w, c->name, broken.text);
        return;
    }
    cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
    snprintf(list, sizeof list, "%s", text);
    for (char *pair; (pair = strtok_r(rest, ",", &rest));) {
        char key[50] = "", value[50] = "";
        cru_error err = {0};
        if (sscanf(pair, " %49[a-z_] = %49s", key, value) != 2)
            complain(w, c->name, "has a protocol that is no list of settings");
        else if (strcmp(key, "scheme") != 0 && cru_settings_set(settings, key, value, &err) != CRU_OK)
            complain(w, c->name, err.text);
    }
    const bool known = c->file_count > 0 && c->files[0].forms[0].sha256; /* else nobody has counted yet */
    if (strcmp(scheme, "official") == 0 && known && c->expect.official < 1)
        complain(w, c->name, "promises no official split");
    cru_settings_destroy(settings);
}

static void check_protocols(walk *w, const card *c)
{
    static const char *const studies[] = {"noisygl", "heterophily", "gad", "gad-semi", "igl", "pll", NULL};
    for (int64_t i = 0; i < c->protocols.count; i++) {
        if (!is_listed(studies, c->protocols.items[i].key)) complain(w, c->name, "has a protocol of an unknown study");
        check_protocol(w, c, c->protocols.items[i].value);
    }
    w->protocols += (int)c->protocols.count;
}

/* A file comes from an address, or the card says why it does not. */
static void check_file(walk *w, const card *c, const card_file *f)
{
    static const char *const schemes[] = {"https://", "http://"};
    /* what registries of packages hold is somebody's copy, not a dataset's home */
    static const char *const registries[] = {"npmjs", "pypi.org", "pythonhosted", "jsdelivr", "unpkg", "crates.io"};
    if (f->url_count == 0 && !c->by_hand) complain(w, c->name, "has a file with neither an address nor a reason");
    for (int k = 0; k < f->url_count; k++) {
        const char *url = f->urls[k];
        bool known =
            strncmp(url, schemes[0], strlen(schemes[0])) == 0 || strncmp(url, schemes[1], strlen(schemes[1])) == 0;
        if (!known || strchr(url, ' ') || strchr(url, ',')) complain(w, c->name, "has an address that is none");
        for (size_t i = 0; i < sizeof registries / sizeof *registries; i++)
            if (strstr(url, registries[i])) complain(w, c->name, "has an address in a registry of packages");
        for (int j = 0; j < k; j++)
            if (strcmp(url, f->urls[j]) == 0) complain(w, c->name, "has an address twice");
    }
    for (int k = 0; k < f->form_count; k++) {
        if (f->forms[k].sha256 && f->forms[k].bytes < 0) complain(w, c->name, "knows a checksum but not the size");
        if (f->form_count > 1 && !f->forms[k].sha256) complain(w, c->name, "has two forms and not two checksums");
    }
}

static void check_files(walk *w, const card *c)
{
    bool all = c->file_count > 0;
    for (int64_t i = 0; i < c->file_count; i++) {
        check_file(w, c, &c->files[i]);
        all = all && c->files[i].url_count > 0;
    }
    if (all && c->by_hand) complain(w, c->name, "has all addresses and still asks for hands");
    w->fetchable += all && !c->terms;
}

static void visit(void *user, const card *c, data_state state, const char *why)
{
    walk *w = user;
    if (state == DATA_BROKEN) {
        complain(w, "a card", why);
        return;
    }
    w->count++;
    if (strcmp(w->last, c->name) >= 0) complain(w, c->name, "has the name of another card");
    snprintf(w->last, sizeof w->last, "%s", c->name);
    check_texts(w, c);
    check_metrics(w, c);
    check_protocols(w, c);
    check_files(w, c);
    check_format(w, c);
}

START_TEST(every_card_is_whole)
{
    cru_error err = {0};
    walk w = {0};
    const char *folders[] = {TEST_BINARY_DIR "/lib/crucible/plugins/datasets", NULL};
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    ck_assert_int_eq(loader_scan(&options, &w.plugins, NULL, &err), CRU_OK);
    ck_assert_int_eq(data_visit(&places, visit, &w, &err), CRU_OK);
    fflush(stdout);
    registry_destroy(w.plugins);
    ck_assert_int_eq(w.faults, 0);
    ck_assert_int_ge(w.count, 75);
    ck_assert_int_ge(w.protocols, 10 + 27 + 2 * 10 + 17 + 11); /* datasets of the five studies; gad has two settings */
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("cards");
    TCase *c = tcase_create("cards");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, every_card_is_whole);
    suite_add_tcase(s, c);
    return s;
}
