// SPDX-License-Identifier: Apache-2.0
#include "torch-file.h"

#include <stdio.h>
#include <string.h>

static const char pickle_name[] = "data.pkl";

static cru_status read_pickle(torch_file *f, const char *path, cru_error *err)
{
    blob bytes;
    const char *member = archive_ending(f->zip, pickle_name);
    if (!member) return cru_fail(err, CRU_BAD_INPUT, "%s: has no member '%s'", path, pickle_name);
    size_t length = strlen(member) - strlen(pickle_name);
    char *prefix = cru_arena_try_zeroed(f->arena, (int64_t)length + 1, 1);
    if (!prefix) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    memcpy(prefix, member, length);
    f->prefix = prefix;
    cru_status status = archive_read(f->zip, f->arena, member, &bytes, err);
    return status ? status : pickle_parse(&bytes, f->arena, &f->top, err);
}

cru_status torch_open(const char *path, cru_arena *arena, torch_file *out, cru_error *err)
{
    *out = (torch_file){.arena = arena};
    cru_status status = archive_open(path, &out->zip, err);
    return status ? status : read_pickle(out, path, err);
}

void torch_close(torch_file *file)
{
    archive_close(file->zip);
    file->zip = NULL;
}

/* ---- tensors --------------------------------------------------------------------------------------------- */

static cru_status fail_tensor(const char *name, const char *what, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s: %s", name, what);
}

/* numpy's code of what a storage holds; NULL: no numbers. */
static const char *storage_code(const pickle_value *type)
{
    static const struct {
        pickle_global global;
        const char *code;
    } codes[] = {
        {GLOBAL_FLOAT_STORAGE, "<f4"}, {GLOBAL_DOUBLE_STORAGE, "<f8"}, {GLOBAL_LONG_STORAGE, "<i8"},
        {GLOBAL_INT_STORAGE, "<i4"},   {GLOBAL_SHORT_STORAGE, "<i2"},  {GLOBAL_CHAR_STORAGE, "|i1"},
        {GLOBAL_BYTE_STORAGE, "|u1"},  {GLOBAL_BOOL_STORAGE, "|b1"},
    };
    for (size_t i = 0; pickle_is(type, PICKLE_GLOBAL) && i < sizeof codes / sizeof *codes; i++)
        if (codes[i].global == type->global) return codes[i].code;
    return NULL;
}

/* The persistent id ("storage", type, key, device, numbers): the member data/KEY. */
static cru_status read_storage(const torch_file *f, const pickle_value *v, array *out, cru_error *err)
{
    bool stored = pickle_is(v, PICKLE_OBJECT) && v->global == GLOBAL_PERSISTENT;
    const pickle_value *id = stored ? v->args : NULL, *key = pickle_item(id, 2);
    const char *code = storage_code(pickle_item(id, 1));
    if (!pickle_is(key, PICKLE_BYTES) || !code) return fail_tensor(out->name, "the pickle holds no tensor here", err);
    cru_status status = array_set_type(out, code, (int64_t)strlen(code), err);
    if (status) return status;
    char member[200];
    blob bytes;
    snprintf(member, sizeof member, "%sdata/%.*s", f->prefix, (int)(key->size < 60 ? key->size : 60),
             (const char *)key->bytes);
    status = archive_read(f->zip, f->arena, member, &bytes, err);
    if (status) return status;
    out->bytes = bytes.bytes;
    out->size = bytes.size;
    return CRU_OK;
}

/* `count` whole numbers of a tuple. */
static bool read_tuple(const pickle_value *tuple, int64_t *out)
{
    if (!pickle_is(tuple, PICKLE_TUPLE) || tuple->count > ARRAY_DIMS) return false;
    for (int64_t i = 0; i < tuple->count; i++) {
        if (tuple->items[i]->kind != PICKLE_INT || tuple->items[i]->integer < 0) return false;
        out[i] = tuple->items[i]->integer;
    }
    return true;
}

/* Whether the strides say row by row (or, with `columns`, column by column); those of length 1 do not matter. */
static bool is_laid_out(const int64_t *shape, const int64_t *stride, int64_t dims, bool columns)
{
    int64_t step = 1;
    for (int64_t k = 0; k < dims; k++) {
        int64_t d = columns ? k : dims - 1 - k;
        if (shape[d] != 1 && stride[d] != step) return false;
        if (__builtin_mul_overflow(step, shape[d], &step)) return false;
    }
    return true;
}

static bool is_empty(const int64_t *shape, int64_t dims)
{
    for (int64_t d = 0; d < dims; d++)
        if (shape[d] == 0) return true;
    return false;
}

cru_status torch_tensor(const torch_file *file, const pickle_value *v, const char *name, array *out, cru_error *err)
{
    *out = (array){.name = name};
    int64_t shape[ARRAY_DIMS], stride[ARRAY_DIMS], skipped;
    bool tensor = pickle_is(v, PICKLE_OBJECT) && v->global == GLOBAL_TENSOR;
    const pickle_value *args = tensor ? v->args : NULL, *first = pickle_item(args, 1), *sizes = pickle_item(args, 2);
    const pickle_value *strides = pickle_item(args, 3);
    if (!pickle_is(first, PICKLE_INT) || !read_tuple(sizes, shape) || !read_tuple(strides, stride) ||
        sizes->count != strides->count)
        return fail_tensor(name, "the pickle holds no tensor here", err);
    cru_status status = read_storage(file, pickle_item(args, 0), out, err);
    if (status) return status;
    if (first->integer < 0 || __builtin_mul_overflow(first->integer, (int64_t)out->width, &skipped) ||
        skipped > out->size)
        return fail_tensor(name, "a tensor that begins behind its storage", err);
    out->bytes += skipped;
    out->size -= skipped;
    bool rows = is_laid_out(shape, stride, sizes->count, false) || is_empty(shape, sizes->count);
    out->fortran = !rows;
    if (!rows && !is_laid_out(shape, stride, sizes->count, true))
        return cru_fail(err, CRU_UNSUPPORTED, "%s: a tensor that is stored neither by rows nor by columns", name);
    return array_set_shape(out, shape, (int32_t)sizes->count, err);
}
