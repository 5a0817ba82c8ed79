// SPDX-License-Identifier: Apache-2.0
#include "pickle-numpy.h"

/* numpy._reconstruct(ndarray, ...) with the state (version, shape, dtype, is_fortran, data). */
static const pickle_value *array_state(const pickle_value *v)
{
    if (!pickle_is(v, PICKLE_OBJECT) || v->global != GLOBAL_RECONSTRUCT) return NULL;
    return pickle_is(v->state, PICKLE_TUPLE) && v->state->count >= 5 ? v->state : NULL;
}

static cru_status fail_array(const char *name, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s: the pickle holds no sound array here", name);
}

/* dtype("f4", ...) with the state (version, byte order, ...). */
static cru_status set_type(array *a, const pickle_value *dtype, cru_error *err)
{
    if (!pickle_is(dtype, PICKLE_OBJECT) || dtype->global != GLOBAL_DTYPE) return fail_array(a->name, err);
    const pickle_value *code = pickle_item(dtype->args, 0), *order = pickle_item(dtype->state, 1);
    if (!pickle_is(code, PICKLE_BYTES)) return fail_array(a->name, err);
    cru_status status = array_set_type(a, (const char *)code->bytes, code->size, err);
    if (pickle_is(order, PICKLE_BYTES) && order->size == 1 && order->bytes[0] == '>') a->swapped = true;
    return status;
}

cru_status pickle_array(const pickle_value *v, const char *name, array *out, cru_error *err)
{
    *out = (array){.name = name};
    const pickle_value *state = array_state(v);
    const pickle_value *shape = pickle_item(state, 1), *order = pickle_item(state, 3), *data = pickle_item(state, 4);
    if (!pickle_is(shape, PICKLE_TUPLE) || shape->count > ARRAY_DIMS || !pickle_is(data, PICKLE_BYTES))
        return fail_array(name, err);
    cru_status status = set_type(out, pickle_item(state, 2), err);
    if (status) return status;
    int64_t lengths[ARRAY_DIMS];
    for (int64_t d = 0; d < shape->count; d++) {
        if (shape->items[d]->kind != PICKLE_INT) return fail_array(name, err);
        lengths[d] = shape->items[d]->integer;
    }
    out->fortran = order->integer != 0;
    out->bytes = data->bytes;
    out->size = data->size;
    status = array_set_shape(out, lengths, (int32_t)shape->count, err);
    if (!status && out->type == ARRAY_OBJECT) return fail_array(name, err);
    return status;
}

const pickle_value *pickle_objects(const pickle_value *v)
{
    const pickle_value *data = pickle_item(array_state(v), 4);
    return pickle_is(data, PICKLE_LIST) ? data : NULL;
}

cru_status pickle_csr(const pickle_value *v, const char *name, csr_arrays *out, cru_error *err)
{
    bool is_csr = pickle_is(v, PICKLE_OBJECT) && v->global == GLOBAL_CSR;
    const pickle_value *state = is_csr ? v->state : NULL;
    const pickle_value *shape = pickle_get(state, "_shape");
    if (!shape) shape = pickle_get(state, "shape");
    const pickle_value *rows = pickle_item(shape, 0), *cols = pickle_item(shape, 1);
    if (!pickle_is(rows, PICKLE_INT) || !pickle_is(cols, PICKLE_INT))
        return cru_fail(err, CRU_BAD_INPUT, "%s: the pickle holds no sparse matrix here", name);
    out->rows = rows->integer;
    out->cols = cols->integer;
    cru_status status = pickle_array(pickle_get(state, "indptr"), name, &out->indptr, err);
    if (!status) status = pickle_array(pickle_get(state, "indices"), name, &out->indices, err);
    if (!status) status = pickle_array(pickle_get(state, "data"), name, &out->data, err);
    return status;
}
