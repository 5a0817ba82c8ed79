// SPDX-License-Identifier: Apache-2.0
/* How the arrays of a kernel's arguments go to the device and come back. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "staged.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* ---- memory that was given out --------------------------------------------------------------------------- */

typedef struct given {
    const char *memory;
    size_t bytes;
    struct given *next;
} given;
static given *all_given;

void stage_note_given(const void *memory, size_t bytes)
{
    given *g = malloc(sizeof *g);
    *g = (given){.memory = memory, .bytes = bytes, .next = all_given};
    all_given = g;
}

void stage_note_returned(const void *memory)
{
    for (given **at = &all_given; *at; at = &(*at)->next) {
        given *g = *at;
        if (g->memory != memory) continue;
        *at = g->next;
        free(g);
        return;
    }
}

static bool was_given(const void *memory, size_t bytes)
{
    const char *at = memory;
    for (const given *g = all_given; g; g = g->next)
        if (at >= g->memory && at + bytes <= g->memory + g->bytes) return true;
    return false;
}

/* ---- arrays ---------------------------------------------------------------------------------------------- */

void *stage_send(stage *s, const void *host, int64_t count, size_t size, bool written)
{
    const size_t bytes = count > 0 ? (size_t)count * size : 0;
    char guard[GUARD];
    if (!host) return NULL;
    if (s->check) {
        if (count != 0 && !was_given(host, bytes)) ck_abort_msg("a kernel is handed memory that is not the device's");
        return (void *)host;
    }
    for (int i = 0; i < s->count; i++)
        if (s->parts[i].host == host && s->parts[i].bytes >= bytes) {
            s->parts[i].written |= written;
            return s->parts[i].card;
        }
    ck_assert_int_lt(s->count, MOST_PARTS);
    char *card = s->backend->alloc(s->device, bytes + GUARD);
    ck_assert_ptr_nonnull(card);
    memset(guard, GUARD_BYTE, sizeof guard);
    s->backend->upload(s->device, card, host, bytes);
    s->backend->upload(s->device, card + bytes, guard, sizeof guard);
    s->parts[s->count++] = (part){host, card, bytes, written};
    return card;
}

void stage_end(stage *s)
{
    for (int i = 0; i < s->count; i++) {
        const part *p = &s->parts[i];
        char *back = malloc(p->bytes + GUARD);
        s->backend->download(s->device, back, p->card, p->bytes + GUARD);
        for (size_t k = 0; k < GUARD; k++)
            if ((unsigned char)back[p->bytes + k] != GUARD_BYTE) ck_abort_msg("a kernel wrote beyond an array");
        if (p->written)
            memcpy((void *)p->host, back, p->bytes);
        else if (memcmp(p->host, back, p->bytes) != 0)
            ck_abort_msg("a kernel changed one of its inputs");
        s->backend->release(s->device, p->card);
        free(back);
    }
}

/* ---- extents --------------------------------------------------------------------------------------------- */

int64_t stage_entries(const stage *s, const cru_csr *a)
{
    return s->check ? -1 : a->rows > 0 ? a->offsets[a->rows] : 0;
}

cru_csr stage_in_csr(stage *s, const cru_csr *a)
{
    const int64_t nnz = stage_entries(s, a);
    cru_csr copy = *a;
    copy.offsets = stage_in(s, a->offsets, a->rows + 1, sizeof *a->offsets);
    copy.ids = stage_in_ids(s, a->ids, nnz);
    copy.values = stage_in_floats(s, a->values, nnz);
    return copy;
}

int64_t stage_rows_reached(const stage *s, const int32_t *ids, int64_t count)
{
    int64_t rows = 0;
    if (s->check) return -1;
    for (int64_t i = 0; i < count; i++)
        if (ids[i] >= rows) rows = ids[i] + 1;
    return rows;
}

const cru_finish *stage_in_finish(stage *s, const cru_finish *finish, int64_t cols, cru_finish *copy)
{
    if (!finish) return NULL;
    *copy = *finish;
    copy->bias = stage_in_floats(s, finish->bias, cols);
    return copy;
}
