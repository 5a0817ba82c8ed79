// SPDX-License-Identifier: Apache-2.0
/* self-training: a method learns again and again, each time also from what it was surest of before.
 *
 *     T_0 = the training items      f_r = train(T_r)
 *     T_r+1 = T_0 and, of every class c, the `per_class` items outside training and validation with the largest
 *             softmax(f_r)_c among those for which c is the guess, labelled c
 *
 * Each training has the trial's seed and is selected by its accuracy on observed validation labels; which round counts
 * is the experiment's rule to say, which hears of every one as of an epoch. rounds = 0 is the method alone.
 *
 * Li, Han, Wu. Deeper Insights into Graph Convolutional Networks for Semi-Supervised Learning. AAAI 2018, Algorithm 2;
 * the idea: Yarowsky. Unsupervised Word Sense Disambiguation Rivaling Supervised Methods. ACL 1995. */
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

typedef struct settings {
    const char *of;
    int64_t rounds, per_class;
} settings;

static const cru_param schema[] = {
    CRU_WRAPPED(settings, of, "gcn"),
    CRU_INT(settings, rounds, 1, 0, 1000, "trainings after the first", .search = CRU_ONE_OF(1, 2, 3, 5)),
    CRU_INT(settings, per_class, 20, 0, 1e9, "items of each class that are taken over",
            .search = CRU_ONE_OF(5, 10, 20, 50)),
    CRU_END,
};

/* An item that may be taken over. */
typedef struct guess {
    double p;
    int32_t item, label;
} guess;

static int by_class_and_trust(const void *left, const void *right)
{
    const guess *a = left, *b = right;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    if (a->p != b->p) return a->p > b->p ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

/* Every item outside training and validation, the surest of each class first. */
static int64_t rank(const cru_task *task, const uint8_t *taken, const double *p, guess *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < task->items; i++) {
        const double *row = p + i * task->classes;
        int32_t best = 0;
        for (int32_t c = 1; c < task->classes; c++)
            if (row[c] > row[best]) best = c;
        if (!taken[i]) out[count++] = (guess){row[best], (int32_t)i, best};
    }
    qsort(out, (size_t)count, sizeof *out, by_class_and_trust);
    return count;
}

/* T_r+1, in memory of the context. */
static cru_task enlarge(cru_wrapping *w, const double *p)
{
    const cru_task *task = w->task;
    const settings *s = w->settings;
    uint8_t *taken = cru_ctx_alloc(w->ctx, task->items, sizeof *taken);
    guess *guesses = cru_ctx_alloc(w->ctx, task->items, sizeof *guesses);
    int32_t *ids = cru_ctx_alloc(w->ctx, task->split.train.count + task->items, sizeof *ids);
    int32_t *labels = cru_ctx_alloc(w->ctx, task->items, sizeof *labels);
    memcpy(labels, task->labels, (size_t)task->items * sizeof *labels);
    cru_task more = *task;
    int64_t train = 0, of_class = 0;
    for (int64_t i = 0; i < task->split.train.count; i++) taken[ids[train++] = task->split.train.ids[i]] = 1;
    for (int64_t i = 0; i < task->split.val.count; i++) taken[task->split.val.ids[i]] = 1;
    const int64_t count = rank(task, taken, p, guesses);
    for (int64_t i = 0; i < count; i++) {
        of_class = i && guesses[i].label == guesses[i - 1].label ? of_class + 1 : 0;
        if (of_class >= s->per_class) continue;
        ids[train++] = guesses[i].item;
        labels[guesses[i].item] = guesses[i].label;
    }
    more.split.train = (cru_ids){ids, train};
    more.labels = labels;
    return more;
}

static void train(cru_wrapping *w, cru_monitor *monitor)
{
    const settings *s = w->settings;
    const int64_t count = w->task->items * w->task->classes;
    double *p = cru_ctx_alloc(w->ctx, count, sizeof *p);
    float *scores = cru_ctx_alloc(w->ctx, count, sizeof *scores);
    cru_task task = *w->task;
    uint32_t verdict = CRU_GO_ON;
    bool kept = false;
    for (int64_t round = 0; round <= s->rounds && !(verdict & CRU_STOP); round++) {
        if (round) task = enlarge(w, p);
        cru_member *member = cru_member_create(w->ctx, &task, cru_ctx_seed(w->ctx));
        const bool good =
            cru_member_fit_alone(member, cru_monitor_limit(monitor)) && cru_member_probabilities(member, p);
        cru_member_destroy(member);
        if (!good) return;
        cru_scores_from(p, count, scores);
        verdict = cru_monitor_epoch(monitor, round, NAN, scores);
        kept |= (verdict & CRU_KEEP) != 0;
        if (verdict & CRU_KEEP || !kept) memcpy(w->scores, scores, (size_t)count * sizeof *scores);
    }
}

static void open(cru_wrapping *w)
{
    if (!w->task->labels || w->task->candidates)
        cru_ctx_fail(w->ctx, CRU_UNSUPPORTED, "items are taken over with one label, and here are candidates");
}

CRU_PLUGIN = {
    CRU_WRAPPER(settings, schema, .open = open, .train = train),
    .name = "self-training",
    .version = "1.0",
    .summary = "another method, trained again on what it was surest of",
    .citation =
        "Li, Han, Wu. Deeper Insights into Graph Convolutional Networks for Semi-Supervised Learning. AAAI 2018.",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
