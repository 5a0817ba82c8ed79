/* fps: candidate sets by independent flips.
 *
 *     y is in S; every other class k joins with probability T_yk
 *
 * constant: T_yk = rate.  pair: only the class after y can join, with the rate.  matrix: T is given.
 *
 * Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021. */
#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef enum shape { CONSTANT, PAIR, MATRIX } shape;
static const char *const shapes[] = {"constant", "pair", "matrix", NULL};

typedef struct settings {
    double rate;
    int64_t shape, where;
    cru_list matrix;
    bool at_least_two;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "probability that a class joins"),
    CRU_CHOICE(settings, shape, CONSTANT, shapes, "which classes join"),
    CRU_LIST(settings, matrix, "", 0, 1, "for shape = matrix: T, classes x classes numbers, row after row"),
    CRU_BOOL(settings, at_least_two, false, "a set of the label alone gets one more class, drawn uniformly"),
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names, "who gets candidate sets"),
    CRU_END,
};

static double joins(const settings *s, int32_t label, int32_t c, int32_t classes)
{
    if (s->shape == MATRIX) return s->matrix.values[(int64_t)label * classes + c];
    return s->shape == CONSTANT || c == (label + 1) % classes ? s->rate : 0;
}

static void draw(const void *user, cru_rng *rng, int32_t label, int32_t classes, uint8_t *set)
{
    const settings *s = user;
    int32_t size = 1;
    for (int32_t c = 0; c < classes; c++) {
        if (c == label || cru_rng_uniform(rng) >= joins(s, label, c, classes)) continue;
        set[c] = 1;
        size++;
    }
    if (!s->at_least_two || size > 1) return;
    const int32_t other = (int32_t)cru_rng_below(rng, classes - 1);
    set[other < label ? other : other + 1] = 1;
}

static cru_status apply(const void *settings_, cru_data *data, cru_rng *rng, cru_report *report, cru_error *err)
{
    const settings *s = settings_;
    const int64_t needed = (int64_t)data->classes * data->classes;
    if (s->shape == MATRIX && s->matrix.count != needed)
        return cru_fail(err, CRU_BAD_INPUT, "matrix has %lld numbers, and %d classes need %lld",
                        (long long)s->matrix.count, data->classes, (long long)needed);
    const candidate_job job = {(noise_where)s->where, data, rng, report, err};
    return candidate_sets_apply(&job, draw, s);
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "fps",
    .version = "1.0",
    .summary = "candidate sets: every false class joins with a probability",
    .citation = "Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
