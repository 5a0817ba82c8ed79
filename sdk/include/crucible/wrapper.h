// SPDX-License-Identifier: Apache-2.0
/* wrapper.h: algorithms around another algorithm.
 *
 * A wrapper takes a method by name and changes what it sees or what it predicts. In an experiment file
 *
 *     [algorithm na]
 *     of           = xgb-graph
 *     k            = 5
 *     inner.rounds = 200
 *
 * the keys of the method are reachable as inner.KEY, checked against its own table, and searched where it says so. Name
 * and version of the method are part of the trial's key. The host loads its file into the same worker, under the same
 * limits; a wrapper never loads anything itself. A wrapper cannot be wrapped.
 *
 * What changes only the scores writes one function:
 *
 *     typedef struct settings {
 *         const char *of;
 *         double sharpness;
 *     } settings;
 *
 *     static const cru_param schema[] = {
 *         CRU_WRAPPED(settings, of, "gcn"),
 *         CRU_FLOAT(settings, sharpness, 2, 0, 100, "power of the probabilities"),
 *         CRU_END,
 *     };
 *
 *     static void change(cru_wrapping *w, double *p)
 *     {
 *         const settings *s = w->settings;
 *         for (int64_t i = 0; i < w->task->items * w->task->classes; i++) p[i] = pow(p[i], s->sharpness);
 *     }
 *
 *     CRU_PLUGIN = {
 *         CRU_WRAPPER(settings, schema, .change = change),
 *         .name = "sharpen", .version = "1.0", .problems = CRU_NODES | CRU_ANOMALY,
 *         .summary = "sharper probabilities of another method",
 *     };
 *
 * What trains several times, on other seeds or other labels, has `train` instead, and cru_members. */
#ifndef CRUCIBLE_WRAPPER_H
#define CRUCIBLE_WRAPPER_H

#include <crucible/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The method that a wrapper was given; cru_ctx_inner of its context. */
typedef struct cru_inner {
    const cru_plugin *plugin;
    const void *settings; /* filled, as the plugin declares them */
} cru_inner;

/* The entry of a wrapper's schema for a `const char *`, with the method that is taken when none is named. The key is
 * `of`; the vtable has CRU_ALGORITHM_WRAPS among its flags, as CRU_WRAPPER sets it. */
#define CRU_WRAPPED(type_, field_, default_)                                                                           \
    {                                                                                                                  \
        .key = "of", .type = CRU_PARAM_STRING, .offset = offsetof(type_, field_), .text = (default_),                  \
        .help = "the method inside; its settings are inner.KEY"                                                        \
    }

/* ---- members: instances of the method inside -------------------------------------------------------------- */

/* One training of the method inside, in a context of its own: with the seed of the wrapper's context it draws what the
 * method would draw alone. Failures are copied to the wrapper's context; after one, functions do nothing and return
 * false. */
typedef struct cru_member cru_member;

/* Never NULL. `task` stays valid until destroy. */
CRU_API cru_member *cru_member_create(cru_ctx *ctx, const cru_task *task, uint64_t seed);
CRU_API void cru_member_destroy(cru_member *member); /* NULL is fine */

/* Trains under a monitor. */
CRU_API bool cru_member_fit(cru_member *member, cru_monitor *monitor);

/* Trains without one, for at most `limit` epochs, and keeps those with the highest accuracy on the observed labels of
 * the validation part, the first among equals; without such labels, those of the end. */
CRU_API bool cru_member_fit_alone(cru_member *member, int64_t limit);

/* items x classes. */
CRU_API bool cru_member_predict(cru_member *member, float *scores);

/* What it predicts as probabilities: the softmax of each row. */
CRU_API bool cru_member_probabilities(cru_member *member, double *p);

/* Probabilities to scores and back. Rows of p need not add up to 1; what is not positive becomes the smallest there
 * is. */
CRU_API void cru_scores_from(const double *p, int64_t count, float *scores);
CRU_API void cru_probabilities_of(const float *scores, int64_t rows, int32_t classes, double *p);

/* ---- wrappers --------------------------------------------------------------------------------------------- */

/* An instance of a wrapper. */
typedef struct cru_wrapping {
    const cru_plugin *plugin;
    const void *settings;
    const cru_task *task;
    cru_ctx *ctx;
    cru_member *member; /* of a wrapper with `change`; else NULL */
    void *state;        /* of the plugin, zeroed before open */
    float *scores;      /* items x classes: of a wrapper with `train`, what it predicts; else private */
    double *p;          /* private */
} cru_wrapping;

/* As the vtable of a plugin. */
typedef struct cru_wrapper {
    cru_algorithm vtable;          /* first: CRU_WRAPPER_VTABLE */
    size_t state_size;             /* 0: no state */
    void (*open)(cru_wrapping *w); /* makes the state, for the task; may be NULL. Failures: cru_ctx_fail */

    /* One of the two. Changes items x classes probabilities of the method inside, in place: those of every epoch before
     * the monitor sees them, so that selection acts on what is predicted in the end. */
    void (*change)(cru_wrapping *w, double *p);

    /* Trains members and fills w->scores. Reports to the monitor itself. Cannot learn inductively. */
    void (*train)(cru_wrapping *w, cru_monitor *monitor);
} cru_wrapper;

/* Entries of the vtable. */
CRU_API cru_status cru_wrapper_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                                      cru_ctx *ctx);
CRU_API cru_status cru_wrapper_fit(void *self, cru_monitor *monitor);
CRU_API cru_status cru_wrapper_predict(void *self, float *scores);
CRU_API void cru_wrapper_destroy(void *self);
CRU_API cru_status cru_wrapper_embed(void *self, const float **rows, int64_t *cols);
CRU_API cru_status cru_wrapper_widen(void *self, const cru_task *task);
CRU_API cru_status cru_wrapper_report(void *self, cru_report *report);

#define CRU_WRAPPER_VTABLE                                                                                             \
    .vtable = {.size = sizeof(cru_algorithm),                                                                          \
               .create = cru_wrapper_create,                                                                           \
               .fit = cru_wrapper_fit,                                                                                 \
               .predict = cru_wrapper_predict,                                                                         \
               .destroy = cru_wrapper_destroy,                                                                         \
               .embed = cru_wrapper_embed,                                                                             \
               .widen = cru_wrapper_widen,                                                                             \
               .report = cru_wrapper_report,                                                                           \
               .flags = CRU_ALGORITHM_WRAPS}

/* The first entries of the CRU_PLUGIN of a wrapper: its functions, and .state_size where it has a state. */
#define CRU_WRAPPER(settings_, schema_, ...)                                                                           \
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .settings_size = sizeof(settings_), .params = (schema_),                    \
                                           .vtable = &(const cru_wrapper)                                              \
    {                                                                                                                  \
        CRU_WRAPPER_VTABLE, __VA_ARGS__                                                                                \
    }

#ifdef __cplusplus
}
#endif
#endif
