// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "host/schedule.h"

static const double seconds_between_looks = 0.1;

void held_add(runner *r, const trial *t, const char *key)
{
    if (r->held_count == r->held_space) {
        int64_t space = r->held_space ? 2 * r->held_space : 16;
        held_trial *bigger = realloc(r->held, (size_t)space * sizeof *bigger);
        if (!bigger) {
            cru_fail(&r->error, CRU_NO_MEMORY, "no memory for the trials of other processes");
            return;
        }
        r->held = bigger;
        r->held_space = space;
    }
    held_trial *h = &r->held[r->held_count++];
    h->trial = *t;
    memcpy(h->key, key, sizeof h->key);
}

/* True when the trial is no longer another process's. */
static bool settle(runner *r, const held_trial *h, bool (*start)(runner *, const trial *, const char *))
{
    store_outcome outcome;
    bool held;
    if (store_status(r->options.store, h->key, &outcome, &held, &r->error) != CRU_OK) return false;
    if (outcome == STORE_PENDING) return !held && start(r, &h->trial, h->key);
    r->summary->elsewhere++;
    r->source_waits = false;
    if (r->source->known) r->source->known(r->source->user, h->key);
    return true;
}

void held_look(runner *r, double now, bool (*start)(runner *r, const trial *t, const char *key))
{
    if (r->held_count == 0 || now < r->look_again) return;
    r->look_again = now + seconds_between_looks;
    int64_t kept = 0;
    for (int64_t i = 0; i < r->held_count; i++) {
        /* By value: a trial that starts looks for partners, and those of others are added to the list. */
        held_trial h = r->held[i];
        if (r->error.status || !settle(r, &h, start)) r->held[kept++] = h;
    }
    r->held_count = kept;
}

void held_clear(runner *r)
{
    free(r->held);
    r->held = NULL;
    r->held_count = r->held_space = 0;
}
