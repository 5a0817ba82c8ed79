// SPDX-License-Identifier: Apache-2.0
/* Two passes of a model in one step: one that judges, in eval mode, and one that learns, in train mode.
 *
 * They have the same weights, so that whatever comes before the first dropout is the same in both. For most models that
 * includes the product of all features with the first weights, which costs more than anything behind it. */
#include <crucible/draft/tensor.h>

#include "autograd/tape.h"

struct tape_block {
    float *memory;
    int64_t floats;
    struct tape_block *next;
};

void tape_note_block(cru_tape *t, float *memory, int64_t floats)
{
    struct tape_block *block = cru_arena_alloc(t->host, 1, sizeof *block);
    *block = (struct tape_block){.memory = memory, .floats = floats, .next = t->judged};
    t->judged = block;
}

static bool is_remembered(const cru_tape *t, const float *memory)
{
    for (int32_t i = 0; i < t->product_count; i++)
        if (t->products[i].y == memory) return true;
    return false;
}

void cru_tape_judge(cru_tape *tape, bool on)
{
    tape->judging = on;
    tape->mode = on ? CRU_EVAL : CRU_TRAIN;
    tape->recording = !on;
    if (on) return;
    for (const struct tape_block *b = tape->judged; b; b = b->next)
        if (!is_remembered(tape, b->memory)) pool_return(&tape->memory, b->memory, b->floats);
    tape->judged = NULL;
}

bool tape_same_in_both(const cru_tape *t, const cru_tensor *x)
{
    return x->role == ROLE_WEIGHT || x->role == ROLE_CONSTANT || is_remembered(t, x->data);
}

static bool same_finish(const cru_finish *f, const cru_finish *g)
{
    return f->bias == g->bias && f->act == g->act && f->a == g->a;
}

/* What the pass in eval mode finished is dropped out from there; without dropout it is the result. */
bool tape_recall(cru_tape *t, const tape_product *what, cru_tensor *y)
{
    for (int32_t i = 0; i < t->product_count && !t->judging; i++) {
        const tape_product *p = &t->products[i];
        if (p->op != what->op || p->a != what->a || p->b != what->b || !same_finish(&p->finish, &what->finish))
            continue;
        const cru_finish *f = &what->finish;
        if (f->p == 0) {
            pool_return(&t->memory, y->data, cru_tensor_count(y));
            y->data = p->y;
            return true;
        }
        const cru_dropout_args drop = {.n = cru_tensor_count(y),
                                       .x = p->y,
                                       .y = y->data,
                                       .p = f->p,
                                       .key = {f->key[0], f->key[1]},
                                       .stream = f->stream};
        t->device->backend->dropout(t->device, &drop);
        return true;
    }
    return false;
}

void tape_remember(cru_tape *t, const tape_product *what, const cru_tensor *y)
{
    if (!t->judging || what->finish.p > 0 || t->product_count == TAPE_PRODUCTS) return;
    t->products[t->product_count] = *what;
    t->products[t->product_count++].y = y->data;
}
