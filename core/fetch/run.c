// SPDX-License-Identifier: Apache-2.0
/* The plan carried out: transfers first, then each dataset is opened once. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fetch/content.h"
#include "fetch/fetch.h"
#include "fetch/unpack.h"
#include "judge/judge-files.h"
#include "process/child.h"

/* ---- opening --------------------------------------------------------------------------------------------- */

typedef struct opening {
    const fetch_plan *plan;
    const card *card;
} opening;

/* What the child tells; bytes of one process, read by the same program. */
typedef struct opened {
    cru_error error;
    fetch_counts counts;
} opened;

static int open_here(void *user, int fd)
{
    const opening *o = user;
    opened answer = {0};
    cru_data *data = NULL;
    data_request request = {.name = o->card->path, .plugins = o->plan->plugins, .places = o->plan->places};
    if (judge_lock_for(&request, &answer.error) == CRU_OK && data_open(&request, &data, &answer.error) == CRU_OK) {
        answer.counts = (fetch_counts){.items = data->items,
                                       .nodes = data->nodes,
                                       .arcs = cru_csr_nnz(&data->graph),
                                       .features = data->x.cols,
                                       .classes = data->classes};
    }
    cru_data_destroy(data);
    return write_all(fd, &answer, sizeof answer) ? 0 : 1;
}

cru_status fetch_open(const fetch_plan *plan, const card *c, fetch_counts *counts, cru_error *err)
{
    opening o = {plan, c};
    opened answer;
    child process;
    child_limits none = {0};
    cru_status status = child_start(&process, &none, open_here, &o, err);
    if (status) return status;
    size_t have = 0, got;
    while (have < sizeof answer &&
           child_read(&process, (char *)&answer + have, sizeof answer - have, &got, 3600) == CHILD_DATA)
        have += got;
    int ended = child_finish(&process);
    if (have < sizeof answer) {
        char text[SIGNAL_TEXT_SIZE];
        return cru_fail(err, CRU_FAILED, "%s: the plugin %s crashed on it: %s", c->name, c->format,
                        WIFSIGNALED(ended) ? signal_text(WTERMSIG(ended), text) : "it left the process");
    }
    *counts = answer.counts;
    if (answer.error.status) cru_fail(err, answer.error.status, "%s", answer.error.text);
    return answer.error.status;
}

/* ---- one round: every file that is still to come, from the address whose turn it is ------------------------------ */

static transfer *find(const transfer_list *r, const char *path)
{
    for (int64_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].goal.path, path) == 0) return &r->items[i];
    return NULL;
}

static part_goal file_goal(const fetch_source *s)
{
    return (part_goal){
        .path = s->path, .url = s->url, .sha256 = s->form->sha256, .bytes = s->form->bytes > 0 ? s->form->bytes : 0};
}

/* What is downloaded for a file: itself, or what it is packed in. */
static part_goal goal_of(const fetch_source *s)
{
    return s->pack.path ? (part_goal){.path = s->pack.path, .url = s->pack.url} : file_goal(s);
}

/* Lines up the files of a dataset; several may be in one archive, and cards that share a folder want the same one. */
static void gather(const fetch_dataset *d, transfer_list *r)
{
    for (int64_t i = 0; !d->status && i < d->count; i++) {
        const fetch_file *f = &d->files[i];
        if (!f->waiting) continue;
        const part_goal goal = goal_of(&f->sources[f->at]);
        if (!find(r, goal.path)) r->items[r->count++] = (transfer){.goal = goal, .name = f->name};
    }
}

static cru_status unpack(const fetch_plan *plan, fetch_file *f, cru_error *err)
{
    const fetch_source *s = &f->sources[f->at];
    const unpack_order order = {s->pack.path, s->pack.member, f->file};
    part_goal goal = file_goal(s);
    goal.most = transfer_limits_whole(&plan->limits).most_bytes;
    cru_error why = {0};
    cru_status status = unpack_file(&order, &goal, f->transfer.sha256, &why);
    if (status) cru_fail(err, status, "%s: %s", f->name, why.text);
    return status;
}

/* The other addresses are not in the message, but that they were tried is. */
static void give_up(fetch_dataset *d, const fetch_file *f)
{
    if (d->status) return;
    const cru_error *why = &f->transfer.error;
    d->status = f->transfer.status;
    if (f->source_count > 1)
        cru_fail(&d->error, d->status, "%.440s (the last of %d addresses)", why->text, f->source_count);
    else
        d->error = *why;
}

/* Gives the outcomes back to the dataset's files; what failed waits for its next address. */
static void settle(const fetch_plan *plan, fetch_dataset *d, const transfer_list *r)
{
    if (d->status) return;
    for (int64_t i = 0; i < d->count; i++) {
        fetch_file *f = &d->files[i];
        if (!f->waiting) continue;
        const fetch_source *s = &f->sources[f->at];
        f->transfer = *find(r, goal_of(s).path);
        if (!f->transfer.status && s->pack.path) f->transfer.status = unpack(plan, f, &f->transfer.error);
        f->waiting = f->transfer.status && f->at + 1 < f->source_count;
        if (f->waiting)
            f->at++;
        else if (f->transfer.status)
            give_up(d, f);
    }
}

static cru_status run_round(fetch_plan *plan, transfer_list *r, const transfer_watch *watch, cru_error *err)
{
    r->count = 0;
    for (int64_t i = 0; i < plan->count; i++) gather(&plan->datasets[i], r);
    cru_status status = transfer_all(r, &plan->limits, watch, err);
    for (int64_t i = 0; !status && i < plan->count; i++) settle(plan, &plan->datasets[i], r);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Only what there is a way to replace. */
static void set_bad_aside(const fetch_dataset *d)
{
    for (int64_t i = 0; !d->status && i < d->count; i++)
        if (d->files[i].bad && d->files[i].waiting) content_set_aside(d->files[i].bad);
}

static void remove_packs(const fetch_dataset *d)
{
    for (int64_t i = 0; i < d->count; i++)
        for (int k = 0; k < d->files[i].source_count; k++)
            if (d->files[i].sources[k].pack.path) unlink(d->files[i].sources[k].pack.path);
}

/* A plugin that cannot make sense of a new file without a checksum has seen something else than data: the next run
 * fetches it again. */
static void open_fetched(const fetch_plan *plan, fetch_dataset *d)
{
    d->status = fetch_open(plan, d->card, &d->counts, &d->error);
    for (int64_t i = 0; d->status && i < d->count; i++) {
        const fetch_file *f = &d->files[i];
        if (f->source_count > 0 && !f->sources[f->at].form->sha256) content_set_aside(fetch_path(f));
    }
}

cru_status fetch_run(fetch_plan *plan, const transfer_watch *watch, cru_error *err)
{
    size_t most = 1;
    for (int64_t i = 0; i < plan->count; i++) most += (size_t)plan->datasets[i].count;
    transfer_list r = {.items = calloc(most, sizeof *r.items)};
    if (!r.items) return cru_fail(err, CRU_NO_MEMORY, "no memory for downloads");
    for (int64_t i = 0; i < plan->count; i++) set_bad_aside(&plan->datasets[i]);
    cru_status status = CRU_OK;
    for (int round = 0; !status && round < FETCH_SOURCES; round++) status = run_round(plan, &r, watch, err);
    for (int64_t i = 0; i < plan->count; i++) remove_packs(&plan->datasets[i]);
    for (int64_t i = 0; !status && i < plan->count; i++)
        if (!plan->datasets[i].status) open_fetched(plan, &plan->datasets[i]);
    free(r.items);
    return status;
}
