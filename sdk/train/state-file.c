// SPDX-License-Identifier: Apache-2.0
#include "train/state-file.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'C', 'R', 'U', 'S', 'T', 'A', 'T', 'E'};

typedef struct file_head {
    char magic[8];
    uint32_t version, parts;
} file_head;

typedef struct part_head {
    uint32_t name_size, rank;
    int64_t dim[4];
    uint64_t bytes;
} part_head;

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static unsigned char *append(state_bytes *b, size_t size)
{
    if (b->size + size > b->space) {
        size_t space = 2 * b->space + size + 4096;
        unsigned char *bytes = realloc(b->bytes, space);
        if (!bytes) return NULL;
        b->bytes = bytes;
        b->space = space;
    }
    unsigned char *at = b->bytes + b->size;
    memset(at, 0, size);
    b->size += size;
    return at;
}

bool state_begin(state_bytes *b)
{
    return append(b, sizeof(file_head)) != NULL;
}

bool state_put(state_bytes *b, const state_part *part)
{
    part_head head = {(uint32_t)strlen(part->name) + 1, (uint32_t)part->shape.rank, {0}, part->bytes};
    memcpy(head.dim, part->shape.dim, sizeof head.dim);
    const size_t name = padded(head.name_size);
    unsigned char *at = append(b, sizeof head + name + padded(part->bytes));
    if (!at) return false;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, part->name, head.name_size);
    if (part->bytes) memcpy(at + sizeof head + name, part->values, part->bytes);
    b->parts++;
    return true;
}

void state_end(state_bytes *b)
{
    file_head head = {.version = STATE_VERSION, .parts = b->parts};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(b->bytes, &head, sizeof head);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

const char *state_open(state_reader *r, const void *bytes, size_t size)
{
    file_head head;
    *r = (state_reader){.bytes = bytes, .size = size};
    if (size < sizeof head) return "it is too short for a saved model";
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0) return "it is no saved model";
    if (head.version != STATE_VERSION) return "it was saved by another version of Crucible";
    r->parts = head.parts;
    r->at = sizeof head;
    return NULL;
}

static bool shape_is_fine(const part_head *h)
{
    if (h->rank > 4) return false;
    for (int i = 0; i < 4; i++)
        if (h->dim[i] < 0) return false;
    return true;
}

bool state_next(state_reader *r, state_part *out)
{
    part_head head;
    size_t left = r->size - r->at;
    if (r->seen >= r->parts || left < sizeof head) return false;
    memcpy(&head, r->bytes + r->at, sizeof head);
    left -= sizeof head;
    const size_t name = padded(head.name_size);
    if (head.name_size < 1 || head.name_size > STATE_NAME_MOST || !shape_is_fine(&head) || name > left) return false;
    left -= name;
    if (head.bytes > left || padded(head.bytes) > left) return false;
    const unsigned char *at = r->bytes + r->at + sizeof head;
    if (memchr(at, 0, head.name_size) != at + head.name_size - 1) return false;
    *out = (state_part){(const char *)at, {(int32_t)head.rank, {0}}, at + name, head.bytes};
    memcpy(out->shape.dim, head.dim, sizeof head.dim);
    r->at += sizeof head + name + padded(head.bytes);
    r->seen++;
    return true;
}

bool state_is_whole(const state_reader *r)
{
    return r->seen == r->parts && r->at == r->size;
}
