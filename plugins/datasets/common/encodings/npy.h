// SPDX-License-Identifier: Apache-2.0
/* npy.h: numpy's .npy files, versions 1 to 3, and .npz, a zip of them. */
#ifndef FORMATS_NPY_H
#define FORMATS_NPY_H

#include "archive.h"
#include "array.h"

/* Reads the header; the array borrows the blob's bytes. For objects (|O) they are the pickle (pickle.h). */
cru_status npy_parse(const blob *file, array *out, cru_error *err);

/* The array `key` of an npz; its bytes live in the arena. CRU_BAD_INPUT: it is not there or broken. */
cru_status npz_array(const archive *npz, cru_arena *arena, const char *key, array *out, cru_error *err);
/* Several arrays, unpacked by several threads. */
cru_status npz_arrays(const archive *npz, cru_arena *arena, member_list keys, array *out, cru_error *err);
bool npz_has(const archive *npz, const char *key);

#endif
