// SPDX-License-Identifier: Apache-2.0
/* pickle.h: Python pickles as a tree of values. Nothing is ever called.
 *
 * A pickle is a program for a small stack machine. This reader runs it with data only: a "global" must be one of the
 * few below, and calling or instantiating one merely makes an object value that remembers the global and its
 * arguments. pickle-numpy.h knows what the objects of numpy and scipy mean. Opcodes of protocols 0 to 4 that such
 * files use are understood; all others are CRU_UNSUPPORTED.
 *
 * Memory is bounded by the size of the input: each opcode makes at most one value, and strings are borrowed from it.
 * Values may be shared or even contain themselves, so do not walk them without a bound on the depth. */
#ifndef FORMATS_PICKLE_H
#define FORMATS_PICKLE_H

#include <stdbool.h>

#include "blob.h"

typedef enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT,
    PICKLE_BYTES, /* bytes, str and unicode */
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT, /* items: key, value, key, value, ... */
    PICKLE_GLOBAL,
    PICKLE_OBJECT, /* `global` called with the tuple `args`; later items or a state may be added */
} pickle_kind;

typedef enum pickle_global {
    GLOBAL_CSR,         /* scipy.sparse csr_matrix */
    GLOBAL_NDARRAY,     /* numpy.ndarray */
    GLOBAL_DTYPE,       /* numpy.dtype */
    GLOBAL_RECONSTRUCT, /* numpy _reconstruct */
    GLOBAL_SCALAR,      /* numpy scalar */
    GLOBAL_DEFAULTDICT, /* or OrderedDict: becomes an empty PICKLE_DICT when called */
    GLOBAL_LIST,        /* the class */
    GLOBAL_OBJECT,      /* the class */
    GLOBAL_NEW,         /* copy_reg._reconstructor: becomes an object of its first argument */
    GLOBAL_ENCODE,      /* _codecs.encode(text, "latin1"): becomes the bytes when called */
    GLOBAL_PERSISTENT,  /* no global: an object whose `args` is what stands for something outside the pickle */
    GLOBAL_TENSOR,      /* torch's _rebuild_tensor_v2 */
    GLOBAL_FLOAT_STORAGE,
    GLOBAL_DOUBLE_STORAGE,
    GLOBAL_LONG_STORAGE,
    GLOBAL_INT_STORAGE,
    GLOBAL_SHORT_STORAGE,
    GLOBAL_CHAR_STORAGE,
    GLOBAL_BYTE_STORAGE,
    GLOBAL_BOOL_STORAGE,
    GLOBAL_GRAPH, /* a class of torch_geometric: a graph, its storage, or what tells of its attributes */
} pickle_global;

typedef struct pickle_value pickle_value;
struct pickle_value {
    pickle_kind kind;
    pickle_global global;
    int64_t integer; /* of bool and int */
    double real;
    const uint8_t *bytes;
    int64_t size; /* of bytes */
    pickle_value **items;
    int64_t count, room;
    const pickle_value *args, *state; /* of an object; state NULL until BUILD */
};

/* Runs the pickle and returns what is on the stack at its end. Values live in the arena and borrow from the blob.
 * CRU_BAD_INPUT and CRU_UNSUPPORTED name the byte of the opcode. */
cru_status pickle_parse(const blob *file, cru_arena *arena, const pickle_value **out, cru_error *err);

/* The value of a string key in a dict; NULL when it is not there or `dict` is no dict (NULL included). */
const pickle_value *pickle_get(const pickle_value *dict, const char *key);

/* Item i of a tuple or list; NULL when there is none. */
const pickle_value *pickle_item(const pickle_value *list, int64_t i);

static inline bool pickle_is(const pickle_value *v, pickle_kind kind)
{
    return v && v->kind == kind;
}

#endif
