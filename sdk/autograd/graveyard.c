// SPDX-License-Identifier: Apache-2.0
/* Where steps are checked, memory of a step that has ended is not given out again at once: its tensors keep their
 * shapes, but their values become NaN and they are marked, so that the operator that is handed one can say so. Without
 * this, the next step's tensors take the same places and the mistake goes unnoticed, or even looks like a good
 * method. */
#include "autograd/tape.h"

void tape_note_made(cru_tape *t, cru_tensor *x)
{
    if (!t->checks_steps) return;
    tape_made *made = cru_arena_alloc(t->host, 1, sizeof *made);
    *made = (tape_made){.x = x, .next = t->made};
    t->made = made;
}

static void past_release(tape_past *past)
{
    pool_destroy(&past->memory);
    cru_arena_destroy(past->host);
    *past = (tape_past){0};
}

/* The step's memory goes to the past, where the oldest makes room, and the tape gets new memory. */
void tape_bury(cru_tape *t)
{
    for (const tape_made *made = t->made; made; made = made->next) {
        made->x->role = ROLE_STALE;
        made->x->needs_grad = false;
        made->x->node = NULL;
    }
    pool_poison(&t->memory);
    tape_past *oldest = &t->past[t->buried++ % TAPE_PAST];
    if (oldest->host) past_release(oldest);
    *oldest = (tape_past){.host = t->host, .memory = t->memory};
    t->made = NULL;
    t->memory = (pool){.device = t->device};
    t->host = cru_arena_create();
    if (!t->host) cru_panic(CRU_NO_MEMORY, "out of memory: no tape");
    t->start = cru_arena_mark(t->host);
}

void tape_release_past(cru_tape *t)
{
    for (int i = 0; i < TAPE_PAST; i++)
        if (t->past[i].host) past_release(&t->past[i]);
}

void tape_check_alive(const char *user, const cru_tensor *x)
{
    cru_assert(x->role != ROLE_STALE,
               "%s: is given a tensor of a step that has ended; what the next step needs is kept with cru_tensor_keep "
               "in a tensor of cru_tensor_create, or made again",
               user);
}
