// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/schedule.h"
#include "protocol/sharing.h"

/* Problems without users that stay ready, for a source that comes back to them. */
enum { IDLE_MOST = 4 };

static void discard(problem *p)
{
    if (p->task >= 0) close(p->task);
    records_free(&p->reports);
    free(p);
}

static void prepared(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    problem *p = call->owner;
    p->status = reply->status;
    p->state = !reply->status && fd >= 0 ? PROBLEM_READY : PROBLEM_BROKEN;
    p->task = fd;
    p->shape = scores_wanted(p->runner->options.experiment, reply->items, reply->classes);
    snprintf(p->message, sizeof p->message, "%s", reply->text);
    if (reply->no_data || reply->ours) runner_stop(p->runner, reply);
    size_t position = 0;
    for (record item; records_next(payload, &position, &item);)
        records_put(&p->reports, item.name, item.values, item.count);
}

/* Moves the problem to the front of the list. */
static problem *find(runner *r, const trial *t)
{
    for (problem **at = &r->problems; *at; at = &(*at)->next) {
        problem *p = *at;
        if (!trials_share_problem(&p->trial, t)) continue;
        *at = p->next;
        p->next = r->problems;
        return r->problems = p;
    }
    return NULL;
}

problem *problems_get(runner *r, const trial *t)
{
    problem *p = find(r, t);
    if (p) {
        p->users++;
        return p;
    }
    p = calloc(1, sizeof *p);
    if (!p) {
        cru_fail(&r->error, CRU_NO_MEMORY, "no memory for a problem");
        return NULL;
    }
    *p = (problem){.next = r->problems, .runner = r, .trial = *t, .task = -1, .users = 1};
    p->call = (judge_call){.request = {.op = JUDGE_PREPARE, .trial = t->index},
                           .fd = -1,
                           .lane = t->index,
                           .answered = prepared,
                           .owner = p};
    r->problems = p;
    return judges_ask(r->judges, &p->call, &r->error) == CRU_OK ? p : NULL;
}

void problems_release(runner *r, problem *p)
{
    int idle = 0;
    p->users--;
    for (problem **at = &r->problems; *at;) {
        problem *q = *at;
        if (q->users == 0 && q->state != PROBLEM_PREPARING && ++idle > IDLE_MOST) {
            *at = q->next;
            discard(q);
        } else {
            at = &q->next;
        }
    }
}

void problems_clear(runner *r)
{
    for (problem *p = r->problems, *next; p; p = next) {
        next = p->next;
        discard(p);
    }
    r->problems = NULL;
}
