// SPDX-License-Identifier: Apache-2.0
/* torch-file.h: files of torch.save (since PyTorch 1.6): a zip with a pickle, data.pkl, and one member a storage. */
#ifndef FORMATS_TORCH_FILE_H
#define FORMATS_TORCH_FILE_H

#include "archive.h"
#include "array.h"
#include "pickle.h"

typedef struct torch_file {
    archive *zip;
    cru_arena *arena;
    const char *prefix; /* of the members' names */
    const pickle_value *top;
} torch_file;

/* Reads the pickle; values and tensors live in the arena. `path` is borrowed. On CRU_OK the caller calls torch_close.
 * CRU_BAD_INPUT: no such file. */
cru_status torch_open(const char *path, cru_arena *arena, torch_file *out, cru_error *err);
void torch_close(torch_file *file); /* also after a failed open */

/* A tensor of numbers, stored row by row or column by column. `v` may be NULL; `name` begins messages. CRU_BAD_INPUT:
 * no tensor, or one that its storage does not hold; CRU_UNSUPPORTED: other strides or types. */
cru_status torch_tensor(const torch_file *file, const pickle_value *v, const char *name, array *out, cru_error *err);

#endif
