// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "data/data.h"
#include "loader/loader.h"

static char root[64], cards[100], mirror[100], cache[100], store[100];
static data_places places;
static registry *plugins;
static cru_error err;
static cru_data *data;

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static const char nodes[] = "id,label,a,b\nx,red,1,2\ny,blue,3,4\nz,red,5,6\n";
static const char edges[] = "x,y\ny,z\n";
static const char card_text[] = "[dataset]\nname = toy\nformat = csv\n[files]\nnodes = nodes.csv\nedges = edges.csv\n";

static void start(void)
{
    strcpy(root, "/tmp/crucible-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(cards, sizeof cards, "%s/cards", root);
    snprintf(mirror, sizeof mirror, "%s/mirror", root);
    snprintf(cache, sizeof cache, "%s/cache", root);
    snprintf(store, sizeof store, "%s/store", root);
    mkdir(cards, 0700);
    mkdir(mirror, 0700);
    places = (data_places){.cards = cards, .mirror = mirror, .files = store, .cache = cache};
    unsetenv("CRUCIBLE_MIRROR");
    const char *folders[] = {TEST_BINARY_DIR "/lib/crucible/plugins/datasets", NULL};
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    err = (cru_error){0};
    ck_assert_int_eq(loader_scan(&options, &plugins, NULL, &err), CRU_OK);
    data = NULL;
}

static void stop(void)
{
    char command[100];
    cru_data_destroy(data);
    registry_destroy(plugins);
    snprintf(command, sizeof command, "rm -rf %s", root);
    ck_assert_int_eq(system(command), 0);
}

static cru_status open_named(const char *name)
{
    data_request request = {.name = name, .plugins = plugins, .places = &places};
    cru_data_destroy(data);
    data = NULL;
    err = (cru_error){0};
    return data_open(&request, &data, &err);
}

static void must_open(const char *name)
{
    cru_status status = open_named(name);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
}

static void says(const char *part)
{
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' does not say '%s'", err.text, part);
}

/* The card and its files in one folder. */
static void put_beside(const char *more)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s", card_text, more);
    write_file(cards, "toy.ini", text);
    write_file(cards, "nodes.csv", nodes);
    write_file(cards, "edges.csv", edges);
}

static void check_toy(void)
{
    ck_assert_int_eq(data->nodes, 3);
    ck_assert_int_eq(data->classes, 2);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
    ck_assert_int_eq(data->truth[1], 0); /* blue before red */
    ck_assert_float_eq(data->x.dense[5], 6);
    ck_assert_str_eq(data->class_names[1], "red");
}

/* The path of the only image in the cache; "" when there is none. */
static const char *image(void)
{
    static char path[400];
    path[0] = 0;
    DIR *dir = opendir(cache);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.' || strstr(e->d_name, ".stamp")) continue;
        ck_assert_msg(!path[0], "more than one file in the cache");
        snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
    }
    if (dir) closedir(dir);
    return path;
}

START_TEST(files_beside_the_card_are_used)
{
    put_beside("[expect]\nnodes = 3\nedges = 4\nfeatures = 2\nclasses = 2\n");
    must_open("toy");
    check_toy();
}
END_TEST

START_TEST(a_card_can_be_named_by_its_path)
{
    put_beside("");
    char path[200];
    snprintf(path, sizeof path, "%s/toy.ini", cards);
    places.cards = NULL;
    must_open(path);
    check_toy();
}
END_TEST

START_TEST(the_mirror_holds_a_folder_a_dataset)
{
    write_file(cards, "toy.ini", card_text);
    ck_assert_int_eq(open_named("toy"), CRU_IO);
    says("nodes.csv is not here");
    says("store/toy");
    char folder[200];
    snprintf(folder, sizeof folder, "%s/toy", mirror);
    mkdir(folder, 0700);
    write_file(folder, "nodes.csv", nodes);
    write_file(folder, "edges.csv", edges);
    must_open("toy");
    check_toy();
    places.mirror = NULL;
    setenv("CRUCIBLE_MIRROR", mirror, 1);
    must_open("toy");
    unsetenv("CRUCIBLE_MIRROR");
}
END_TEST

START_TEST(a_fetchable_file_says_how_to_fetch)
{
    char text[500];
    snprintf(text, sizeof text, "%s[urls]\nnodes = https://example.org/n\n", card_text);
    write_file(cards, "toy.ini", text);
    ck_assert_int_eq(open_named("toy"), CRU_IO);
    says("crucible fetch toy");
}
END_TEST

START_TEST(a_warm_open_reads_the_image_only)
{
    char sum[SHA256_HEX], other[SHA256_HEX], more[300];
    sha256_bytes(nodes, strlen(nodes), sum);
    sha256_bytes(edges, strlen(edges), other);
    snprintf(more, sizeof more, "[sha256]\nnodes = %s\nedges = %s\n", sum, other);
    put_beside(more);
    must_open("toy");
    ck_assert(image()[0] != 0);
    write_file(cards, "nodes.csv", "garbage");
    must_open("toy");
    check_toy();
}
END_TEST

START_TEST(a_changed_file_without_checksum_is_read_again)
{
    put_beside("");
    must_open("toy");
    write_file(cards, "nodes.csv", "id,label,a\nx,red,1\ny,blue,3\nz,red,5\nw,red,7\n");
    must_open("toy");
    ck_assert_int_eq(data->nodes, 4);
}
END_TEST

START_TEST(broken_images_are_built_anew)
{
    put_beside("");
    must_open("toy");
    char path[400];
    snprintf(path, sizeof path, "%s", image());
    struct stat whole, cut;
    ck_assert_int_eq(stat(path, &whole), 0);
    ck_assert_int_eq(truncate(path, whole.st_size / 2), 0);
    must_open("toy");
    check_toy();
    ck_assert_int_eq(stat(path, &cut), 0);
    ck_assert_int_eq(cut.st_size, whole.st_size);
    FILE *foreign = fopen(path, "w");
    fputs("not an image at all", foreign);
    fclose(foreign);
    must_open("toy");
    check_toy();
}
END_TEST

START_TEST(an_unusable_cache_is_no_failure)
{
    put_beside("");
    places.cache = "/proc/nowhere";
    must_open("toy");
    check_toy();
    places.cache = "";
    must_open("toy");
    check_toy();
}
END_TEST

START_TEST(a_wrong_checksum_is_what_is_wrong)
{
    put_beside("[sha256]\nnodes = 0000000000000000000000000000000000000000000000000000000000000000\n");
    ck_assert_int_eq(open_named("toy"), CRU_IO);
    says("nodes.csv: sha256 is ");
    ck_assert_str_eq(image(), "");
    write_file(cards, "nodes.csv", "no table, and the plugin says so too\n");
    ck_assert_int_eq(open_named("toy"), CRU_IO);
    says("nodes.csv: sha256 is ");
}
END_TEST

START_TEST(broken_promises_are_reported)
{
    put_beside("[expect]\nclasses = 3\n");
    ck_assert_int_eq(open_named("toy"), CRU_BAD_INPUT);
    says("the card expects 3 classes, the files hold 2");
    ck_assert_str_eq(image(), "");
}
END_TEST

START_TEST(settings_are_checked_where_they_stand)
{
    put_beside("[settings]\nlable = kind\n");
    ck_assert_int_eq(open_named("toy"), CRU_BAD_INPUT);
    says("toy.ini:8:");
    says("label");
    data_setting bad = {"directed", "maybe"};
    data_request request = {
        .name = "csbm", .plugins = plugins, .places = &places, .settings = &bad, .setting_count = 1};
    err = (cru_error){0};
    ck_assert_int_eq(data_open(&request, &data, &err), CRU_BAD_INPUT);
    says("dataset csbm:");
}
END_TEST

START_TEST(unknown_names_get_the_nearest)
{
    put_beside("");
    ck_assert_int_eq(open_named("toi"), CRU_BAD_INPUT);
    says("did you mean 'toy'?");
    ck_assert_int_eq(open_named("cssbm"), CRU_BAD_INPUT);
    says("did you mean 'csbm'?");
    ck_assert_int_eq(open_named("csv"), CRU_BAD_INPUT);
    says("'csv' is a file format");
    write_file(cards, "odd.ini", "[dataset]\nname = odd\nformat = csw\n");
    ck_assert_int_eq(open_named("odd"), CRU_BAD_INPUT);
    says("did you mean 'csv'?");
}
END_TEST

START_TEST(generators_follow_settings_and_seed)
{
    data_setting settings[] = {{"nodes", "50"}, {"classes", "2"}};
    data_request request = {
        .name = "csbm", .plugins = plugins, .places = &places, .settings = settings, .setting_count = 2, .seed = 1};
    char one[65], two[65], other[65];
    ck_assert_int_eq(data_open(&request, &data, &err), CRU_OK);
    ck_assert_int_eq(data->nodes, 50);
    ck_assert_str_eq(image(), "");
    ck_assert_int_eq(data_checksum(&request, one, &err), CRU_OK);
    ck_assert_int_eq(data_checksum(&request, two, &err), CRU_OK);
    ck_assert_str_eq(one, two);
    request.seed = 2;
    ck_assert_int_eq(data_checksum(&request, other, &err), CRU_OK);
    ck_assert_str_ne(one, other);
    request.seed = 1;
    settings[0].text = "51";
    ck_assert_int_eq(data_checksum(&request, other, &err), CRU_OK);
    ck_assert_str_ne(one, other);
}
END_TEST

START_TEST(a_base_is_handed_to_its_generator)
{
    put_beside("");
    data_setting settings[] = {{"base", "toy"}, {"classes", "2"}, {"class_size", "4"}, {"degree", "1"}};
    data_request request = {
        .name = "regular-graph", .plugins = plugins, .places = &places, .settings = settings, .setting_count = 4};
    cru_status status = data_open(&request, &data, &err);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
    ck_assert_int_eq(data->nodes, 8);
    ck_assert_int_eq(data->x.cols, 2);
    for (int64_t v = 0; v < 4; v++) ck_assert_float_eq(data->x.dense[2 * v], 3); /* class 0 is blue: the row of y */
    settings[0].text = "toyy";
    cru_data_destroy(data);
    err = (cru_error){0};
    ck_assert_int_eq(data_open(&request, &data, &err), CRU_BAD_INPUT);
    says("did you mean 'toy'?");
}
END_TEST

typedef struct seen {
    data_state state[4];
    char name[4][20];
    int count;
} seen;

static void note(void *user, const card *c, data_state state, const char *why)
{
    seen *s = user;
    if (s->count == 4 || (c && strcmp(c->name, "toy") != 0 && strncmp(c->name, "zz-", 3) != 0)) return;
    snprintf(s->name[s->count], sizeof s->name[0], "%s", c ? c->name : "");
    if (!c) ck_assert_ptr_nonnull(strstr(why, "zz-broken.ini"));
    s->state[s->count++] = state;
}

START_TEST(states_are_told_apart)
{
    put_beside("");
    write_file(cards, "zz-broken.ini", "[dataset]\nname = zz-broken\n");
    write_file(cards, "zz-fetch.ini",
               "[dataset]\nname = zz-fetch\nformat = csv\n[files]\nnodes = far.csv\n[urls]\nnodes = https://a.b/c\n");
    write_file(cards, "zz-terms.ini",
               "[dataset]\nname = zz-terms\nformat = csv\nterms = ask\n[files]\nnodes = far.csv\n"
               "[urls]\nnodes = https://a.b/c\n");
    seen s = {0};
    ck_assert_int_eq(data_visit(&places, note, &s, &err), CRU_OK);
    ck_assert_int_eq(s.count, 4);
    ck_assert_int_eq(s.state[0], DATA_PRESENT);
    ck_assert_int_eq(s.state[1], DATA_BROKEN);
    ck_assert_int_eq(s.state[2], DATA_FETCHABLE);
    ck_assert_int_eq(s.state[3], DATA_NEEDS_TERMS);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("open");
    TCase *c = tcase_create("open");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, files_beside_the_card_are_used);
    tcase_add_test(c, a_card_can_be_named_by_its_path);
    tcase_add_test(c, the_mirror_holds_a_folder_a_dataset);
    tcase_add_test(c, a_fetchable_file_says_how_to_fetch);
    tcase_add_test(c, a_warm_open_reads_the_image_only);
    tcase_add_test(c, a_changed_file_without_checksum_is_read_again);
    tcase_add_test(c, broken_images_are_built_anew);
    tcase_add_test(c, an_unusable_cache_is_no_failure);
    tcase_add_test(c, a_wrong_checksum_is_what_is_wrong);
    tcase_add_test(c, broken_promises_are_reported);
    tcase_add_test(c, settings_are_checked_where_they_stand);
    tcase_add_test(c, unknown_names_get_the_nearest);
    tcase_add_test(c, generators_follow_settings_and_seed);
    tcase_add_test(c, a_base_is_handed_to_its_generator);
    tcase_add_test(c, states_are_told_apart);
    suite_add_tcase(s, c);
    return s;
}
