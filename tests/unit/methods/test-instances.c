// SPDX-License-Identifier: Apache-2.0
/* What every method's instance can do besides learning: give representations, be saved and loaded. One test a file. */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <crucible/crucible.h>

#include "check/tiny.h"
#include "loader/loader.h"

static glob_t files;

/* One instance on a small problem. */
typedef struct instance {
    cru_ctx *ctx;
    void *self;
    const cru_plugin *plugin;
    const cru_algorithm *method;
    cru_settings *settings;
    cru_data *data;
    cru_task task;
} instance;

static bool instance_create(instance *n, const cru_plugin *plugin, const tiny_problem *problem)
{
    static const cru_param none[] = {CRU_END};
    cru_error err = {0};
    *n = (instance){.plugin = plugin, .method = plugin->vtable, .data = tiny_create(problem)};
    ck_assert_int_eq(cru_data_task(n->data, 3, &n->task, &err), CRU_OK);
    n->settings = cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size);
    n->ctx = cru_ctx_create(&(cru_ctx_options){.seed = 3});
    return n->method->create(&n->self, plugin, cru_settings_struct(n->settings), &n->task, n->ctx) == CRU_OK;
}

static void instance_destroy(instance *n)
{
    if (n->self && n->method->destroy) n->method->destroy(n->self);
    cru_ctx_destroy(n->ctx);
    cru_settings_destroy(n->settings);
    cru_data_destroy(n->data);
}

static uint32_t always_keep(void *user, int64_t epoch, double loss, const float *scores)
{
    (void)user, (void)epoch, (void)loss, (void)scores;
    return CRU_KEEP;
}

static bool learn(instance *n)
{
    cru_monitor monitor = {.epoch = always_keep, .limit = 3};
    return n->method->fit(n->self, &monitor) == CRU_OK;
}

static float *predicted(instance *n)
{
    float *scores = calloc((size_t)(n->task.items * n->task.classes), sizeof *scores);
    ck_assert_msg(n->method->predict(n->self, scores) == CRU_OK, "%s: %s", n->plugin->name,
                  cru_ctx_error(n->ctx)->text);
    return scores;
}

/* The first problem of the kind that the method takes; false: it takes none. */
static bool find_problem(const cru_plugin *plugin, cru_problem kind, const tiny_problem **out)
{
    for (const tiny_problem *p = tiny_problems; p->name; p++) {
        instance n;
        if (p->problem != kind || !(plugin->problems & kind) || p->one_feature || p->no_edges) continue;
        bool taken = instance_create(&n, plugin, p) && learn(&n);
        instance_destroy(&n);
        *out = p;
        if (taken) return true;
    }
    return false;
}

static const cru_plugin *open_file(int index)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    ck_assert_msg(plugin_open(files.gl_pathv[index], CRU_KIND_ALGORITHM, NULL, &plugin, &err) == CRU_OK, "%s: %s",
                  files.gl_pathv[index], err.text);
    return plugin;
}

/* A method inside is none of our business here. */
static bool is_wrapper(const cru_plugin *plugin)
{
    return ((const cru_algorithm *)plugin->vtable)->flags & CRU_ALGORITHM_WRAPS;
}

static bool is_listed(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

static const cru_problem kinds[] = {CRU_NODES, CRU_GRAPHS, CRU_ANOMALY, CRU_ROWS};

/* ---- representations --------------------------------------------------------------------------------------- */

/* Methods that are one linear layer: there is nothing between the features and what they predict. */
static const char *const linear[] = {"acm-sgc", "sgc", NULL};

static void check_embedding(instance *n)
{
    const float *rows = NULL, *again = NULL;
    int64_t cols = 0, same = 0;
    const char *name = n->plugin->name;
    float *scores = predicted(n);
    ck_assert_msg(n->method->embed(n->self, &rows, &cols) == CRU_OK, "%s: %s", name, cru_ctx_error(n->ctx)->text);
    ck_assert_msg(rows && cols >= 1, "%s: no rows", name);
    const int64_t count = n->task.items * cols;
    for (int64_t i = 0; i < count; i++) ck_assert_msg(isfinite(rows[i]), "%s: not finite", name);
    float *copy = malloc((size_t)count * sizeof *copy);
    memcpy(copy, rows, (size_t)count * sizeof *copy);
    ck_assert_int_eq(n->method->embed(n->self, &again, &same), CRU_OK);
    ck_assert_msg(same == cols && memcmp(copy, again, (size_t)count * sizeof *copy) == 0, "%s: other bits", name);
    const bool logits = cols == n->task.classes && memcmp(copy, scores, (size_t)count * sizeof *copy) == 0;
    ck_assert_msg(!logits || is_listed(linear, name), "%s: its representation is its scores", name);
    free(copy);
    free(scores);
}

START_TEST(representations_are_finite_and_the_same_twice)
{
    const cru_plugin *plugin = open_file(_i);
    if (is_wrapper(plugin) || !((const cru_algorithm *)plugin->vtable)->embed) return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tiny_problem *problem;
        instance n;
        if (!find_problem(plugin, kinds[k], &problem)) continue;
        ck_assert(instance_create(&n, plugin, problem) && learn(&n));
        check_embedding(&n);
        instance_destroy(&n);
    }
}
END_TEST

/* ---- files ------------------------------------------------------------------------------------------------- */

static void expect_refused(const cru_plugin *plugin, const tiny_problem *problem, int fd, const char *why)
{
    instance n;
    ck_assert(instance_create(&n, plugin, problem));
    lseek(fd, 0, SEEK_SET);
    ck_assert_int_eq(n.method->load(n.self, fd), CRU_BAD_INPUT);
    ck_assert_msg(strstr(cru_ctx_error(n.ctx)->text, why), "%s", cru_ctx_error(n.ctx)->text);
    instance_destroy(&n);
}

/* Saves what learned, loads it where nothing did, and compares every bit. */
static void check_saving(const cru_plugin *plugin, const tiny_problem *problem)
{
    instance old, new;
    int fd = memfd_create("model", 0);
    ck_assert(instance_create(&old, plugin, problem) && learn(&old));
    float *scores = predicted(&old);
    ck_assert_msg(old.method->save(old.self, fd) == CRU_OK, "%s: %s", plugin->name, cru_ctx_error(old.ctx)->text);
    ck_assert(instance_create(&new, plugin, problem));
    lseek(fd, 0, SEEK_SET);
    ck_assert_msg(new.method->load(new.self, fd) == CRU_OK, "%s: %s", plugin->name, cru_ctx_error(new.ctx)->text);
    float *loaded = predicted(&new);
    ck_assert_msg(memcmp(scores, loaded, (size_t)(old.task.items * old.task.classes) * sizeof *scores) == 0,
                  "%s predicts otherwise once it was loaded", plugin->name);
    free(loaded);
    instance_destroy(&new);
    ck_assert_int_eq(ftruncate(fd, lseek(fd, 0, SEEK_END) - 8), 0);
    expect_refused(plugin, problem, fd, "the saved model does not fit: ");
    free(scores);
    instance_destroy(&old);
    close(fd);
}

START_TEST(a_loaded_model_predicts_the_same_bits)
{
    const cru_plugin *plugin = open_file(_i);
    if (is_wrapper(plugin) || !((const cru_algorithm *)plugin->vtable)->save) return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tiny_problem *problem;
        if (find_problem(plugin, kinds[k], &problem)) check_saving(plugin, problem);
    }
}
END_TEST

static const cru_plugin *open_named(const char *name)
{
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char end[100];
        snprintf(end, sizeof end, "/%s.so", name);
        const char *path = files.gl_pathv[i];
        if (strlen(path) > strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0) return open_file((int)i);
    }
    ck_abort_msg("no plugin %s", name);
}

START_TEST(a_file_that_does_not_fit_is_refused)
{
    const cru_plugin *gcn = open_named("gcn"), *mlp = open_named("mlp");
    const tiny_problem *problem = tiny_plain(CRU_NODES);
    instance n;
    int fd = memfd_create("model", 0);
    ck_assert(instance_create(&n, gcn, problem) && learn(&n));
    ck_assert_int_eq(n.method->save(n.self, fd), CRU_OK);
    instance_destroy(&n);
    expect_refused(mlp, problem, fd, "it has other parts than /mlp ");
    ck_assert_int_eq(pwrite(fd, "C", 1, lseek(fd, 0, SEEK_END)), 1);
    expect_refused(gcn, problem, fd, "it has more parts than the model");
    ck_assert_int_eq(pwrite(fd, "X", 1, 0), 1);
    expect_refused(gcn, problem, fd, "it is no saved model");
    ck_assert_int_eq(ftruncate(fd, 5), 0);
    expect_refused(gcn, problem, fd, "it is too short");
    close(fd);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("instances");
    TCase *c = tcase_create("instances");
    tcase_set_timeout(c, 120);
    if (glob(TEST_BINARY_DIR "/lib/crucible/plugins/algorithms/*.so", 0, NULL, &files) != 0) abort();
    const int count = (int)files.gl_pathc;
    tcase_add_loop_test(c, representations_are_finite_and_the_same_twice, 0, count);
    tcase_add_loop_test(c, a_loaded_model_predicts_the_same_bits, 0, count);
    tcase_add_test(c, a_file_that_does_not_fit_is_refused);
    suite_add_tcase(s, c);
    return s;
}
