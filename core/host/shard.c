// SPDX-License-Identifier: Apache-2.0
#include "host/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/runner.h"

static void *zeroed(int64_t count, size_t size)
{
    void *list = calloc((size_t)count + 1, size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for %lld shards or trials", (long long)count);
    return list;
}

bool shard_read(const char *text, shard *s)
{
    char end;
    return strspn(text, "0123456789/") == strlen(text) &&
           sscanf(text, "%9" SCNd64 "/%9" SCNd64 "%c", &s->index, &s->count, &end) == 2 && s->index >= 1 &&
           s->index <= s->count;
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

/* The first trial of those that must stay with this one: the same under the first rule and, when a search covers all
 * seeds, with the first seed. */
static int64_t leader(const experiment *e, int64_t index)
{
    bool seeds_together = e->search.method != SEARCH_NONE && e->search.per != SEARCH_PER_SEED;
    int64_t first = experiment_with_monitor(e, index, 0);
    return seeds_together ? experiment_with_seed(e, first, 0) : first;
}

shard_groups shard_group_trials(const experiment *e, const costs *known, const bool *takes_part)
{
    const int64_t count = experiment_trial_count(e);
    shard_groups g = {.items = zeroed(count, sizeof *g.items), .of_trial = zeroed(count, sizeof *g.of_trial)};
    int64_t *of_leader = zeroed(count, sizeof *of_leader); /* group + 1 */
    for (int64_t i = 0; i < count; i++) {
        g.of_trial[i] = -1;
        if (takes_part && !takes_part[i]) continue;
        trial t;
        experiment_trial(e, i, &t);
        int64_t head = leader(e, i);
        if (!of_leader[head]) {
            g.items[g.count] = (shard_group){.first = i};
            of_leader[head] = ++g.count;
        }
        shard_group *mine = &g.items[of_leader[head] - 1];
        mine->seconds += costs_seconds(known, e, &t);
        mine->trials++;
        g.of_trial[i] = of_leader[head] - 1;
    }
    free(of_leader);
    return g;
}

void shard_groups_clear(shard_groups *g)
{
    free(g->items);
    free(g->of_trial);
    *g = (shard_groups){0};
}

/* ---- dealing --------------------------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b)
{
    const shard_group *x = *(shard_group *const *)a, *y = *(shard_group *const *)b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? 1 : -1;
    return (x > y) - (x < y);
}

/* A shard in a heap whose first has the least to do. */
typedef struct load {
    double seconds;
    int64_t shard;
} load;

static bool before(const load *a, const load *b)
{
    return a->seconds != b->seconds ? a->seconds < b->seconds : a->shard < b->shard;
}

static void sink(load *heap, int64_t count)
{
    for (int64_t at = 0;;) {
        int64_t least = at;
        for (int64_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (before(&heap[child], &heap[least])) least = child;
        if (least == at) return;
        load held = heap[at];
        heap[at] = heap[least];
        heap[least] = held;
        at = least;
    }
}

void shard_deal(shard_group *groups, int64_t group_count, int64_t first, int64_t count)
{
    shard_group **sorted = zeroed(group_count, sizeof *sorted);
    load *heap = zeroed(count, sizeof *heap);
    for (int64_t i = 0; i < group_count; i++) sorted[i] = &groups[i];
    for (int64_t i = 0; i < count; i++) heap[i].shard = first + i;
    if (group_count > 1) qsort(sorted, (size_t)group_count, sizeof *sorted, by_cost);
    for (int64_t i = 0; i < group_count; i++) {
        sorted[i]->part = heap[0].shard;
        heap[0].seconds += sorted[i]->seconds;
        sink(heap, count);
    }
    free(sorted);
    free(heap);
}

/* ---- plans ----------------------------------------------------------------------------------------------- */

static void take_fingerprint(const experiment *e, char hex[SHA256_HEX])
{
    const int64_t count = experiment_trial_count(e);
    char *keys = zeroed(count, SHA256_HEX - 1);
    for (int64_t i = 0; i < count; i++) {
        trial t;
        char key[SHA256_HEX];
        experiment_trial(e, i, &t);
        trial_key(e, &t, "", key, NULL);
        memcpy(keys + i * (SHA256_HEX - 1), key, SHA256_HEX - 1);
    }
    sha256_bytes(keys, (size_t)count * (SHA256_HEX - 1), hex);
    free(keys);
}

shard_subject shard_subject_of(const experiment *e)
{
    shard_subject s = {.name = strdup(e->name), .trials = experiment_trial_count(e)};
    if (!s.name) cru_panic(CRU_NO_MEMORY, "no memory for the name of a plan");
    take_fingerprint(e, s.fingerprint);
    return s;
}

#define PLAN_HEAD "crucible plan 1"

/* The path, with an ending; the caller frees it. A name of an experiment may hold a slash. */
static char *plan_path(const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s.plan%s", folder, name, ending) < 0)
        cru_panic(CRU_NO_MEMORY, "no memory for the name of a plan");
    for (char *c = path + strlen(folder) + 1; *c; c++)
        if (*c == '/') *c = '-';
    return path;
}

cru_status shard_plan_write(const char *folder, const shard_subject *subject, const int64_t *parts, int64_t count,
                            cru_error *err)
{
    char *path = plan_path(folder, subject->name, ""), *part = plan_path(folder, subject->name, ".part");
    FILE *out = fopen(part, "w");
    if (out) {
        fprintf(out, PLAN_HEAD "\n%s\n%lld shards\n%lld trials\n", subject->fingerprint, (long long)count,
                (long long)subject->trials);
        for (int64_t i = 0; i < subject->trials; i++) fprintf(out, "%lld\n", (long long)parts[i]);
    }
    bool good = out && !ferror(out);
    good = out && fclose(out) == 0 && good && rename(part, path) == 0;
    cru_status status = good ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", part, strerror(errno));
    if (!good) unlink(part);
    free(path);
    free(part);
    return status;
}

static cru_status read_parts(FILE *in, const char *path, const experiment *e, int64_t *parts, int64_t *count,
                             cru_error *err)
{
    char hex[SHA256_HEX], wanted[SHA256_HEX];
    int64_t trials = 0;
    if (fscanf(in, PLAN_HEAD " %64s %" SCNd64 " shards %" SCNd64 " trials", hex, count, &trials) != 3 || *count < 1)
        return cru_fail(err, CRU_BAD_INPUT, "%s: not a plan", path);
    take_fingerprint(e, wanted);
    if (trials != experiment_trial_count(e) || strcmp(hex, wanted) != 0)
        return cru_fail(err, CRU_BAD_INPUT,
                        "%s: the plan is of other trials: the experiment was changed since; submit it again", path);
    for (int64_t i = 0; i < trials; i++)
        if (fscanf(in, "%" SCNd64, &parts[i]) != 1 || parts[i] < 0 || parts[i] > *count)
            return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: not a shard", path, (long long)(i + 5));
    return CRU_OK;
}

cru_status shard_plan_read(const char *folder, const experiment *e, int64_t *parts, int64_t *count, bool *there,
                           cru_error *err)
{
    char *path = plan_path(folder, e->name, "");
    FILE *in = fopen(path, "r");
    *there = in;
    cru_status status = CRU_OK;
    if (in)
        status = read_parts(in, path, e, parts, count, err);
    else if (errno != ENOENT)
        status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (in) fclose(in);
    free(path);
    return status;
}
