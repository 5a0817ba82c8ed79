// SPDX-License-Identifier: Apache-2.0
/* plane: a method that sees of every item only its place on a plane, for pictures of where methods draw their borders.
 *
 *     F = [X | P X | ... | P^hops X]      P: the mean over in-neighbours      x' = t-SNE(F), two numbers an item
 *
 * The graph stays as it is. The places are also the representation, so that metrics and pictures of it show the plane
 * on which the method learned. What the method predicts for items that were hidden while it learned cannot be known.
 *
 * Tang, Hua, Gao, Zhao, Li. GADBench. NeurIPS 2023 (figures 3 and 4). van der Maaten, Hinton. Visualizing Data using
 * t-SNE. JMLR 2008. */
#include <crucible/crucible.h>

typedef struct settings {
    const char *of;
    int64_t hops;
    double perplexity;
} settings;

static const cru_param schema[] = {
    CRU_WRAPPED(settings, of, "mlp"),
    CRU_INT(settings, hops, 2, 0, CRU_MAX_LAYERS, "neighbourhoods whose means are features, too"),
    CRU_FLOAT(settings, perplexity, 30, 1, 1e4, "of t-SNE"),
    CRU_END,
};

typedef struct state {
    float *places; /* items x 2 */
} state;

static void open(cru_wrapping *w)
{
    state *st = w->state;
    const settings *s = w->settings;
    const cru_task *task = w->task;
    cru_error err = {0};
    if (task->x.cols == 0) {
        cru_ctx_fail(w->ctx, CRU_UNSUPPORTED, "a plane is made from features, and this task has none");
        return;
    }
    const int64_t hops = task->graph.offsets ? s->hops : 0, cols = task->x.cols * (hops + 1);
    cru_tape *tape = cru_tape_create(w->ctx);
    cru_tape_begin(tape, CRU_EVAL);
    cru_input x = cru_input_create(w->ctx, &task->x);
    cru_tensor *f = cru_input_dense(tape, &x); /* items x cols */
    if (hops) f = cru_hop_features(tape, cru_sparse_create(w->ctx, &task->graph), f, hops, CRU_REDUCE_MEAN);
    float *all = cru_ctx_alloc(w->ctx, task->items * cols, sizeof *all);
    cru_tensor_download(tape, f, all);
    st->places = cru_ctx_alloc(w->ctx, task->items * 2, sizeof *st->places);
    cru_rng rng = cru_ctx_stream(w->ctx, "plane");
    const cru_tsne_options options = {.perplexity = s->perplexity};
    if (cru_ctx_status(w->ctx) == CRU_OK &&
        cru_tsne(&(cru_dense){task->items, cols, all}, &options, &rng, st->places, &err) != CRU_OK)
        cru_ctx_fail(w->ctx, err.status, "%s", err.text);
}

static void train(cru_wrapping *w, cru_monitor *monitor)
{
    const state *st = w->state;
    cru_task task = *w->task;
    task.x = (cru_features){.rows = task.items, .cols = 2, .dense = st->places};
    cru_member *member = cru_member_create(w->ctx, &task, cru_ctx_seed(w->ctx));
    if (cru_member_fit(member, monitor)) cru_member_predict(member, w->scores);
    cru_member_destroy(member);
}

static cru_status embed(void *self, const float **rows, int64_t *cols)
{
    const cru_wrapping *w = self;
    *rows = ((const state *)w->state)->places;
    *cols = 2;
    return CRU_OK;
}

static const cru_wrapper wrapper = {.vtable = {.size = sizeof(cru_algorithm),
                                               .create = cru_wrapper_create,
                                               .fit = cru_wrapper_fit,
                                               .predict = cru_wrapper_predict,
                                               .destroy = cru_wrapper_destroy,
                                               .embed = embed,
                                               .report = cru_wrapper_report,
                                               .flags = CRU_ALGORITHM_WRAPS},
                                    .state_size = sizeof(state),
                                    .open = open,
                                    .train = train};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &wrapper,
    .name = "plane",
    .version = "1.0",
    .summary = "another method on the plane that t-SNE makes of features and neighbourhoods",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
