// SPDX-License-Identifier: Apache-2.0
/* Wrappers around a method that predicts what the test tells it. */
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "json-fixture.h"
#include "loader/loader.h"

enum { MOST = 400 };

/* ---- the method inside ------------------------------------------------------------------------------------- */

/* What it was asked to learn from, and what it predicts. */
static struct told {
    const float *scores; /* NULL: drawn from the seed */
    int64_t trainings;   /* so far */
    int64_t train_counts[8];
    int32_t labels[8][MOST]; /* of all items, each time */
    bool fails;
    int64_t epochs; /* reports of a training; the last counts */
    cru_features x; /* of the last task; dense ones */
    float rows[MOST];
} told;

typedef struct puppet {
    const cru_task *task;
    cru_ctx *ctx;
    float *scores;
} puppet;

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    (void)plugin, (void)settings;
    puppet *p = cru_ctx_alloc(ctx, 1, sizeof *p);
    *p = (puppet){task, ctx, cru_ctx_alloc(ctx, task->items * task->classes, sizeof *p->scores)};
    *self = p;
    return CRU_OK;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    const puppet *p = self;
    const cru_task *task = p->task;
    if (told.fails) return cru_ctx_fail(p->ctx, CRU_DIVERGED, "it had a bad day");
    told.x = task->x;
    if (task->x.dense) memcpy(told.rows, task->x.dense, (size_t)(task->x.rows * task->x.cols) * sizeof(float));
    told.train_counts[told.trainings] = task->split.train.count;
    memcpy(told.labels[told.trainings++], task->labels, (size_t)task->items * sizeof *task->labels);
    cru_rng rng = cru_ctx_stream(p->ctx, "init");
    for (int64_t i = 0; i < task->items * task->classes; i++)
        p->scores[i] = told.scores ? told.scores[i] : (float)cru_rng_normal(&rng);
    for (int64_t e = 0; e < told.epochs; e++) cru_monitor_epoch(monitor, e, NAN, p->scores);
    return CRU_OK;
}

static cru_status predict(void *self, float *scores)
{
    const puppet *p = self;
    memcpy(scores, p->scores, (size_t)(p->task->items * p->task->classes) * sizeof *scores);
    return CRU_OK;
}

static const cru_algorithm puppet_vtable = {
    .size = sizeof(cru_algorithm), .create = create, .fit = fit, .predict = predict};
static const cru_plugin puppet_plugin = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),          .name = "puppet",        .version = "1.0", .summary = "for tests",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS, .vtable = &puppet_vtable};
static const cru_inner inside = {.plugin = &puppet_plugin};

/* ---- a small problem --------------------------------------------------------------------------------------- */

typedef struct scene {
    cru_ctx *ctx;
    cru_settings *settings;
    const cru_plugin *plugin;
    const cru_algorithm *method;
    void *self;
    cru_task task;
    cru_status status;
} scene;

static scene scene_create(const cru_task *task, const char *name, const char *const *settings)
{
    char path[500];
    cru_error err = {0};
    scene s = {.task = *task, .ctx = cru_ctx_create(&(cru_ctx_options){.seed = 7, .inner = &inside})};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/algorithms/%s.so", name);
    ck_assert_msg(plugin_open(path, CRU_KIND_ALGORITHM, name, &s.plugin, &err) == CRU_OK, "%s", err.text);
    s.method = s.plugin->vtable;
    ck_assert(s.method->flags & CRU_ALGORITHM_WRAPS);
    s.settings = cru_settings_create(s.plugin->params, s.plugin->settings_size);
    for (; settings && *settings; settings += 2)
        ck_assert_msg(cru_settings_set(s.settings, settings[0], settings[1], &err) == CRU_OK, "%s", err.text);
    return s;
}

/* Scores of the wrapper, as probabilities; NULL monitor. */
static void scene_run(scene *s, cru_monitor *monitor, double *p)
{
    float scores[MOST];
    s->status = s->method->create(&s->self, s->plugin, cru_settings_struct(s->settings), &s->task, s->ctx);
    if (!s->status) s->status = s->method->fit(s->self, monitor);
    if (!s->status) s->status = s->method->predict(s->self, scores);
    if (!s->status)
        for (int64_t i = 0; i < s->task.items * s->task.classes; i++) p[i] = exp((double)scores[i]);
}

static void scene_destroy(scene *s)
{
    if (s->self) s->method->destroy(s->self);
    cru_settings_destroy(s->settings);
    cru_ctx_destroy(s->ctx);
}

/* Two classes, P(class 1) as given. */
static void as_scores(const double *p, int64_t n, float *scores)
{
    for (int64_t i = 0; i < n; i++) {
        scores[2 * i] = (float)log(1 - p[i]);
        scores[2 * i + 1] = (float)log(p[i]);
    }
}

/* ---- na ---------------------------------------------------------------------------------------------------- */

START_TEST(neighbours_average_as_in_the_study)
{
    static const char *const names[] = {"cosine_k3", "euclidean_k3"};
    cJSON *root = fixture_open("gad/na.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double numbers[MOST], base[MOST], p[MOST], expected[MOST];
    float x[MOST], scores[MOST];
    int32_t labels[MOST] = {0};
    const int64_t n = fixture_numbers(fixture_input(item, "scores"), base);
    const int64_t cols = fixture_numbers(fixture_input(item, "x"), numbers) / n;
    for (int64_t i = 0; i < n * cols; i++) x[i] = (float)numbers[i];
    as_scores(base, n, scores);
    told = (struct told){.scores = scores, .epochs = 1};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = n,
                           .nodes = n,
                           .classes = 2,
                           .x = {.rows = n, .cols = cols, .dense = x},
                           .labels = labels};
    const char *const settings[] = {"k", "3", "distance", fixture_input(item, "dist")->valuestring, NULL};
    scene s = scene_create(&task, "na", settings);
    scene_run(&s, NULL, p);
    ck_assert_int_eq(s.status, CRU_OK);
    fixture_numbers(fixture_expected(item, "smoothed"), expected);
    for (int64_t i = 0; i < n; i++) ck_assert_double_eq_tol(2 * p[2 * i + 1], expected[i], 1e-5);
    scene_destroy(&s);
    cJSON_Delete(root);
}
END_TEST

/* The monitor is shown what is predicted in the end. */
static uint32_t remember(void *user, int64_t epoch, double loss, const float *scores)
{
    (void)epoch, (void)loss;
    *(double *)user = exp((double)scores[1]);
    return CRU_KEEP;
}

START_TEST(selection_acts_on_changed_scores)
{
    const double base[] = {0.2, 0.6};
    float x[] = {1, 1}, scores[4];
    int32_t labels[] = {0, 0};
    double p[4], seen = 0;
    as_scores(base, 2, scores);
    told = (struct told){.scores = scores, .epochs = 2};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = 2,
                           .nodes = 2,
                           .classes = 2,
                           .x = {.rows = 2, .cols = 1, .dense = x},
                           .labels = labels};
    scene s = scene_create(&task, "na", (const char *const[]){"k", "2", NULL});
    scene_run(&s, &(cru_monitor){.epoch = remember, .user = &seen, .validation_only = true}, p);
    ck_assert_double_eq_tol(seen, (0.2 + (0.2 + 0.6) / 2) / 2, 1e-6);
    ck_assert_double_eq_tol(p[1], seen, 1e-6);
    scene_destroy(&s);
}
END_TEST

START_TEST(no_neighbours_change_nothing)
{
    const double base[] = {0.2, 0.6};
    float x[] = {1, 2}, scores[4];
    double p[4];
    as_scores(base, 2, scores);
    told = (struct told){.scores = scores};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = 2,
                           .nodes = 2,
                           .classes = 2,
                           .x = {.rows = 2, .cols = 1, .dense = x},
                           .labels = (int32_t[]){0, 0}};
    scene s = scene_create(&task, "na", (const char *const[]){"k", "0", NULL});
    scene_run(&s, NULL, p);
    ck_assert_double_eq_tol(p[1], 0.2, 1e-6);
    ck_assert_double_eq_tol(p[3], 0.6, 1e-6);
    scene_destroy(&s);
    cru_task bare = task;
    bare.x = (cru_features){.rows = 2};
    s = scene_create(&bare, "na", NULL);
    scene_run(&s, NULL, p);
    ck_assert_int_eq(s.status, CRU_UNSUPPORTED);
    scene_destroy(&s);
}
END_TEST

START_TEST(a_failure_inside_names_the_method)
{
    double p[4];
    told = (struct told){.fails = true};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = 2,
                           .nodes = 2,
                           .classes = 2,
                           .x = {.rows = 2, .cols = 1, .dense = (float[]){1, 2}},
                           .labels = (int32_t[]){0, 0}};
    static const char *const names[] = {"na", "ensemble", "self-training"};
    scene s = scene_create(&task, names[_i], NULL);
    scene_run(&s, NULL, p);
    ck_assert_int_eq(s.status, CRU_DIVERGED);
    ck_assert_str_eq(cru_ctx_error(s.ctx)->text, "puppet inside: it had a bad day");
    scene_destroy(&s);
}
END_TEST

/* ---- correct and smooth ------------------------------------------------------------------------------------ */

enum { N = 5, C = 3 };

/* x <- (1 - a) x_0 + a S x, a thousand times, by loops over a full matrix. */
static void naive_spread(const double s[N][N], double a, double x[N][C])
{
    double first[N][C];
    memcpy(first, x, sizeof first);
    for (int step = 0; step < 1000; step++) {
        double next[N][C];
        for (int i = 0; i < N; i++)
            for (int c = 0; c < C; c++) {
                double sum = 0;
                for (int j = 0; j < N; j++) sum += s[i][j] * x[j][c];
                next[i][c] = (1 - a) * first[i][c] + a * sum;
            }
        memcpy(x, next, sizeof next);
    }
}

static void naive_correct_and_smooth(const double s[N][N], const int32_t *train, int count, const int32_t *labels,
                                     double a, double b, double p[N][C])
{
    double e[N][C] = {{0}}, sigma = 0;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < C; c++) {
            e[train[i]][c] = (labels[train[i]] == c) - p[train[i]][c];
            sigma += fabs(e[train[i]][c]) / count;
        }
    naive_spread(s, a, e);
    for (int i = 0; i < N; i++) {
        double length = 0;
        for (int c = 0; c < C; c++) length += fabs(e[i][c]);
        for (int c = 0; c < C && length > 0; c++) p[i][c] += sigma * e[i][c] / length;
    }
    for (int i = 0; i < count; i++)
        for (int c = 0; c < C; c++) p[train[i]][c] = labels[train[i]] == c;
    naive_spread(s, b, p);
}

START_TEST(errors_and_labels_spread_as_written)
{
    /* a path 0 - 1 - 2 - 3 and node 4 by itself */
    static const int64_t offsets[] = {0, 1, 3, 5, 6, 6};
    static const int32_t ids[] = {1, 0, 2, 1, 3, 2}, train[] = {0, 3};
    int32_t labels[N] = {0, -1, -1, 2, -1};
    const double degree[N] = {1, 2, 2, 1, 0};
    double s[N][N] = {{0}}, p[N][C], got[N * C];
    float scores[N * C];
    for (int i = 0; i < N; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) s[i][ids[k]] = 1 / sqrt(degree[i] * degree[ids[k]]);
    for (int i = 0; i < N * C; i++) scores[i] = (float)((i * 7) % 5) / 3;
    cru_probabilities_of(scores, N, C, p[0]);
    told = (struct told){.scores = scores};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_NODES,
                           .items = N,
                           .nodes = N,
                           .classes = C,
                           .graph = {.rows = N, .cols = N, .offsets = offsets, .ids = ids},
                           .labels = labels,
                           .split = {.train = {train, 2}}};
    scene w = scene_create(&task, "correct-and-smooth",
                           (const char *const[]){"correct", "0.7", "smooth", "0.6", "steps", "1000", NULL});
    scene_run(&w, NULL, got);
    ck_assert_msg(w.status == CRU_OK, "%s", cru_ctx_error(w.ctx)->text);
    naive_correct_and_smooth(s, train, 2, labels, 0.7, 0.6, p);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++) ck_assert_double_eq_tol(got[i * C + c], fmax(p[i][c], 0), 1e-5);
    scene_destroy(&w);
}
END_TEST

/* ---- ensemble ---------------------------------------------------------------------------------------------- */

static const float grid[] = {1, 2, 3, 4, 5, 6};
static const int32_t some_labels[] = {0, 1, 0, -1, -1, -1}, some_train[] = {0, 1}, some_val[] = {2};
static const cru_task rows = {.size = sizeof(cru_task),
                              .problem = CRU_ROWS,
                              .items = 6,
                              .nodes = 6,
                              .classes = 2,
                              .x = {.rows = 6, .cols = 1, .dense = grid},
                              .labels = some_labels,
                              .split = {.train = {some_train, 2}, .val = {some_val, 1}}};

/* What the puppet draws for a seed. */
static void drawn(uint64_t seed, double *p)
{
    float scores[12];
    cru_rng rng = cru_rng_stream(seed, "init", 0);
    for (int i = 0; i < 12; i++) scores[i] = (float)cru_rng_normal(&rng);
    cru_probabilities_of(scores, 6, 2, p);
}

START_TEST(an_ensemble_is_the_mean_of_its_members)
{
    double got[12], one[12], two[12];
    cru_rng rng = cru_rng_stream(7, "members", 0);
    told = (struct told){.epochs = 1};
    drawn(7, one); /* the first member is the method with the trial's own seed */
    drawn(cru_rng_u64(&rng), two);
    scene s = scene_create(&rows, "ensemble", (const char *const[]){"members", "1", NULL});
    scene_run(&s, NULL, got);
    for (int i = 0; i < 12; i++) ck_assert_double_eq_tol(got[i], one[i], 1e-6);
    scene_destroy(&s);
    s = scene_create(&rows, "ensemble", (const char *const[]){"members", "2", NULL});
    scene_run(&s, NULL, got);
    for (int i = 0; i < 12; i++) ck_assert_double_eq_tol(got[i], (one[i] + two[i]) / 2, 1e-6);
    scene_destroy(&s);
    ck_assert_int_eq(told.trainings, 3);
}
END_TEST

/* ---- self-training ----------------------------------------------------------------------------------------- */

/* Outside training and validation are 3, 4 and 5: the guess is 1 for 3 (0.6) and 5 (0.9), 0 for 4 (0.8). */
START_TEST(the_surest_of_each_class_are_taken_over)
{
    const double base[] = {0.3, 0.99, 0.01, 0.6, 0.2, 0.9};
    float scores[12];
    double got[12];
    as_scores(base, 6, scores);
    told = (struct told){.scores = scores, .epochs = 1};
    scene s = scene_create(&rows, "self-training", (const char *const[]){"rounds", "1", "per_class", "1", NULL});
    scene_run(&s, NULL, got);
    ck_assert_int_eq(s.status, CRU_OK);
    ck_assert_int_eq(told.trainings, 2);
    ck_assert_int_eq(told.train_counts[0], 2);
    ck_assert_int_eq(told.train_counts[1], 4);
    const int32_t second[] = {0, 1, 0, -1, 0, 1};
    ck_assert_mem_eq(told.labels[0], some_labels, sizeof some_labels);
    ck_assert_mem_eq(told.labels[1], second, sizeof second);
    for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(got[2 * i + 1], base[i], 1e-5);
    scene_destroy(&s);
}
END_TEST

/* ---- plane ------------------------------------------------------------------------------------------------- */

/* The method inside learns from two numbers an item, which are the wrapper's representation; items with equal features
 * are nearer to each other than to the others. */
START_TEST(a_method_learns_from_places_on_a_plane)
{
    enum { ITEMS = 12 };
    float x[ITEMS * 3], scores[2 * ITEMS];
    int32_t labels[ITEMS] = {0};
    const int32_t train[] = {0, 1};
    double base[ITEMS], got[2 * ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        base[i] = 0.5 + 0.03 * i;
        for (int k = 0; k < 3; k++) x[3 * i + k] = (float)(i < ITEMS / 2 ? 10 : -10) + 0.1f * (float)((i * 7 + k) % 5);
    }
    as_scores(base, ITEMS, scores);
    told = (struct told){.scores = scores, .epochs = 1};
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = ITEMS,
                           .nodes = ITEMS,
                           .classes = 2,
                           .labels = labels,
                           .split.train = {train, 2},
                           .x = {.rows = ITEMS, .cols = 3, .dense = x}};
    scene s = scene_create(&task, "plane", NULL);
    scene_run(&s, NULL, got);
    ck_assert_int_eq(s.status, CRU_OK);
    ck_assert_int_eq(told.x.cols, 2);
    for (int i = 0; i < ITEMS; i++) ck_assert_double_eq_tol(got[2 * i + 1], base[i], 1e-5);
    const float *places;
    int64_t cols;
    ck_assert_int_eq(s.method->embed(s.self, &places, &cols), CRU_OK);
    ck_assert_int_eq(cols, 2);
    ck_assert_mem_eq(places, told.rows, sizeof(float) * 2 * ITEMS);
    for (int i = 0; i < ITEMS; i++) {
        double near = INFINITY;
        int nearest = -1;
        for (int k = 0; k < ITEMS; k++) {
            const double far =
                hypot((double)(places[2 * i] - places[2 * k]), (double)(places[2 * i + 1] - places[2 * k + 1]));
            if (k != i && far < near) {
                near = far;
                nearest = k;
            }
        }
        ck_assert_int_eq(nearest < ITEMS / 2, i < ITEMS / 2);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_plane_needs_features)
{
    const int32_t labels[] = {0, 1}, train[] = {0, 1};
    double got[4];
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_ROWS,
                           .items = 2,
                           .nodes = 2,
                           .classes = 2,
                           .labels = labels,
                           .split.train = {train, 2}};
    told = (struct told){.epochs = 1};
    scene s = scene_create(&task, "plane", NULL);
    scene_run(&s, NULL, got);
    ck_assert_int_eq(s.status, CRU_UNSUPPORTED);
    scene_destroy(&s);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("wrappers");
    TCase *c = tcase_create("wrappers");
    tcase_add_loop_test(c, neighbours_average_as_in_the_study, 0, 2);
    tcase_add_test(c, selection_acts_on_changed_scores);
    tcase_add_test(c, no_neighbours_change_nothing);
    tcase_add_loop_test(c, a_failure_inside_names_the_method, 0, 3);
    tcase_add_test(c, errors_and_labels_spread_as_written);
    tcase_add_test(c, an_ensemble_is_the_mean_of_its_members);
    tcase_add_test(c, the_surest_of_each_class_are_taken_over);
    tcase_add_test(c, a_method_learns_from_places_on_a_plane);
    tcase_add_test(c, a_plane_needs_features);
    suite_add_tcase(s, c);
    return s;
}
