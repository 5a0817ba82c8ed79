// SPDX-License-Identifier: Apache-2.0
/* pickle-machine.h: the stack machine behind pickle.h; pickle.c runs opcodes, pickle-scalar.c reads their operands. */
#ifndef FORMATS_PICKLE_MACHINE_H
#define FORMATS_PICKLE_MACHINE_H

#include "pickle.h"

typedef struct machine {
    const blob *file;
    cru_arena *arena;
    cru_error *err;
    int64_t at;     /* next byte */
    int64_t opcode; /* place of the one that runs */
    pickle_value **stack, **memo;
    int64_t *marks; /* heights of the stack */
    int64_t height, room, mark_count, mark_room, memo_count, memo_room;
} machine;

/* "name: byte N: what is wrong" */
cru_status machine_fail(const machine *m, cru_status status, const char *what);

/* A fresh value on the stack; NULL (CRU_NO_MEMORY) when there is none. */
pickle_value *machine_push(machine *m, pickle_kind kind);

/* The next `count` bytes, or NULL when the file ends before. */
const uint8_t *machine_bytes(machine *m, uint64_t count);

/* A little-endian number of `width` bytes, at most 8. */
cru_status machine_number(machine *m, int width, uint64_t *out);

/* The rest of the line, without its end; the file must go on behind it. */
cru_status machine_line(machine *m, const char **text, int64_t *length);

/* Opcodes that push a scalar. *known is false, and nothing happens, when `op` is none of them. */
cru_status machine_scalar(machine *m, uint8_t op, bool *known);

/* A decimal number of the text protocol. */
cru_status machine_decimal(const machine *m, const char *text, int64_t length, int64_t *out);

#endif
