// SPDX-License-Identifier: Apache-2.0
/* The plan carried out: transfers first, then each dataset is opened once. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fetch/fetch.h"
#include "fetch/unzip.h"
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
    if (status != CRU_OK) return status;
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
    if (answer.error.status != CRU_OK) cru_fail(err, answer.error.status, "%s", answer.error.text);
    return answer.error.status;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

typedef struct row {
    transfer *items;
    int64_t count;
} row;

static transfer *find(const row *r, const char *path)
{
    for (int64_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].goal.path, path) == 0) return &r->items[i];
    return NULL;
}

/* What is downloaded for a file: itself, or the zip file that it is in. */
static part_goal goal_of(const fetch_file *f)
{
    if (f->pack.path) return (part_goal){.path = f->pack.path, .url = f->pack.url};
    return (part_goal){.path = f->path, .url = f->source, .sha256 = f->file->sha256};
}

/* Lines up the files of a dataset; several may be in one zip file, and cards that share a folder want the same one. */
static void gather(const fetch_dataset *d, row *r)
{
    for (int64_t i = 0; d->status == CRU_OK && i < d->count; i++) {
        const fetch_file *f = &d->files[i];
        if (!f->source || find(r, goal_of(f).path)) continue;
        r->items[r->count++] = (transfer){.goal = goal_of(f), .name = f->name};
    }
}

static cru_status unpack(fetch_file *f, cru_error *err)
{
    cru_error why = {0};
    part_goal goal = {.path = f->path, .url = f->source, .sha256 = f->file->sha256};
    cru_status status = unzip_member(f->pack.path, f->pack.member, &goal, f->transfer.sha256, &why);
    if (status != CRU_OK) cru_fail(err, status, "%s: %s", f->name, why.text);
    return status;
}

/* Gives the outcomes back to the dataset's files. */
static void hand_back(fetch_dataset *d, const row *r)
{
    if (d->status != CRU_OK) return;
    for (int64_t i = 0; i < d->count; i++) {
        fetch_file *f = &d->files[i];
        if (!f->source) continue;
        f->transfer = *find(r, goal_of(f).path);
        if (f->transfer.status == CRU_OK && f->pack.path) f->transfer.status = unpack(f, &f->transfer.error);
        if (d->status == CRU_OK) {
            d->status = f->transfer.status;
            d->error = f->transfer.error;
        }
    }
}

static void remove_packs(const fetch_dataset *d)
{
    for (int64_t i = 0; i < d->count; i++)
        if (d->files[i].pack.path && d->files[i].transfer.sha256[0]) unlink(d->files[i].pack.path);
}

cru_status fetch_run(fetch_plan *plan, const transfer_watch *watch, cru_error *err)
{
    size_t most = 1;
    for (int64_t i = 0; i < plan->count; i++) most += (size_t)plan->datasets[i].count;
    row r = {.items = calloc(most, sizeof *r.items)};
    if (!r.items) return cru_fail(err, CRU_NO_MEMORY, "no memory for downloads");
    for (int64_t i = 0; i < plan->count; i++) gather(&plan->datasets[i], &r);
    cru_status status = transfer_all(r.items, r.count, watch, err);
    for (int64_t i = 0; status == CRU_OK && i < plan->count; i++) {
        fetch_dataset *d = &plan->datasets[i];
        hand_back(d, &r);
        if (d->status == CRU_OK) d->status = fetch_open(plan, d->card, &d->counts, &d->error);
    }
    for (int64_t i = 0; i < plan->count; i++) remove_packs(&plan->datasets[i]);
    free(r.items);
    return status;
}
