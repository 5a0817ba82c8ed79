// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <math.h>
#include <string.h>

cru_status array_set_type(array *a, const char *code, int64_t length, cru_error *err)
{
    static const char letters[] = "biufO";
    const char *at = code, *end = code + length;
    a->swapped = length > 0 && *at == '>';
    if (length > 0 && memchr("<>|=", *at, 4)) at++;
    const char *letter = at < end ? memchr(letters, *at, sizeof letters - 1) : NULL;
    if (letter) a->type = (array_type)(letter - letters);
    bool object = letter && a->type == ARRAY_OBJECT; /* "O" and "O8" */
    a->width = object ? 8 : letter && end - at == 2 ? at[1] - '0' : 0;
    bool known = a->width == 8 || a->width == 4;
    if (letter && a->type != ARRAY_FLOAT) known = known || a->width == 1 || a->width == 2;
    if (letter && a->type == ARRAY_BOOL) known = a->width == 1;
    if (letter && known) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED, "%s: numbers of type '%.*s' are not supported", a->name,
                    (int)(length < 40 ? length : 40), code);
}

cru_status array_set_shape(array *a, const int64_t *shape, int32_t dims, cru_error *err)
{
    if (dims < 0 || dims > ARRAY_DIMS)
        return cru_fail(err, CRU_UNSUPPORTED, "%s: an array of %d dimensions", a->name, dims);
    a->dims = dims;
    a->count = 1;
    int64_t bytes;
    for (int32_t d = 0; d < dims; d++) {
        a->shape[d] = shape[d];
        if (shape[d] < 0 || __builtin_mul_overflow(a->count, shape[d], &a->count))
            return cru_fail(err, CRU_BAD_INPUT, "%s: an impossible shape", a->name);
    }
    if (a->type == ARRAY_OBJECT) return CRU_OK;
    if (__builtin_mul_overflow(a->count, a->width, &bytes) || bytes > a->size)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld bytes are too few for %lld numbers of %d bytes", a->name,
                        (long long)a->size, (long long)a->count, a->width);
    return CRU_OK;
}

cru_status array_expect(const array *a, array_form form, cru_error *err)
{
    if (a->type == ARRAY_OBJECT) return cru_fail(err, CRU_BAD_INPUT, "%s: holds objects, not numbers", a->name);
    if (a->dims != form.dims)
        return cru_fail(err, CRU_BAD_INPUT, "%s: has %d dimensions, expected %d", a->name, a->dims, form.dims);
    if (form.rows >= 0 && a->shape[0] != form.rows)
        return cru_fail(err, CRU_BAD_INPUT, "%s: has %lld rows, expected %lld", a->name, (long long)a->shape[0],
                        (long long)form.rows);
    if (form.dims > 1 && form.cols >= 0 && a->shape[1] != form.cols)
        return cru_fail(err, CRU_BAD_INPUT, "%s: has %lld columns, expected %lld", a->name, (long long)a->shape[1],
                        (long long)form.cols);
    return CRU_OK;
}

/* The bits of a number in the machine's order, the lowest `width` bytes. */
static uint64_t bits_at(const array *a, int64_t place)
{
    uint64_t bits = 0;
    const uint8_t *at = a->bytes + place * a->width;
    if (a->swapped)
        for (int32_t i = 0; i < a->width; i++) bits = bits << 8 | at[i];
    else
        memcpy(&bits, at, (size_t)a->width);
    return bits;
}

static int64_t signed_at(const array *a, int64_t place)
{
    int shift = 64 - 8 * a->width;
    return (int64_t)(bits_at(a, place) << shift) >> shift;
}

static double float_at(const array *a, int64_t place)
{
    uint64_t bits = bits_at(a, place);
    if (a->width == 8) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, 4);
    return (double)value;
}

double array_real(const array *a, int64_t place)
{
    switch (a->type) {
    case ARRAY_FLOAT:
        return float_at(a, place);
    case ARRAY_INT:
        return (double)signed_at(a, place);
    case ARRAY_BOOL:
        return bits_at(a, place) != 0;
    default:
        return (double)bits_at(a, place);
    }
}

cru_status array_whole(const array *a, int64_t place, array_range range, int64_t *out, cru_error *err)
{
    double real = array_real(a, place);
    bool sound = real >= (double)range.lo && real <= (double)range.hi; /* false for NaN */
    if (a->type != ARRAY_INT) sound = sound && real < 0x1p63;          /* (double)INT64_MAX is 2^63 */
    if (sound && a->type == ARRAY_FLOAT) sound = real == floor(real);
    if (sound) *out = a->type == ARRAY_INT ? signed_at(a, place) : (int64_t)real;
    if (sound && *out >= range.lo && *out <= range.hi) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s: number %lld is %g, expected a whole number in %lld..%lld", a->name,
                    (long long)place, real, (long long)range.lo, (long long)range.hi);
}

/* Whole numbers of one type in the machine's order, all in range: true, and the numbers in `out`. */
#define COPY_IDS(type)                                                                                                 \
    static bool copy_##type(const array *a, array_range range, int32_t *out)                                           \
    {                                                                                                                  \
        bool sound = true;                                                                                             \
        for (int64_t i = 0; i < a->count; i++) {                                                                       \
            type value;                                                                                                \
            memcpy(&value, a->bytes + i * (int64_t)sizeof value, sizeof value);                                        \
            sound &= value >= range.lo && value <= range.hi;                                                           \
            out[i] = (int32_t)value;                                                                                   \
        }                                                                                                              \
        return sound;                                                                                                  \
    }
COPY_IDS(int32_t)
COPY_IDS(int64_t)

cru_status array_ids(const array *a, array_range range, int32_t *out, cru_error *err)
{
    bool plain = a->type == ARRAY_INT && !a->swapped;
    if (plain && a->width == 4 && copy_int32_t(a, range, out)) return CRU_OK;
    if (plain && a->width == 8 && copy_int64_t(a, range, out)) return CRU_OK;
    for (int64_t i = 0; i < a->count; i++) { /* any type, and the message for the number that is wrong */
        int64_t value = 0;
        cru_status status = array_whole(a, i, range, &value, err);
        if (status) return status;
        out[i] = (int32_t)value;
    }
    return CRU_OK;
}

/* Numbers that lie as they are wanted. */
static bool copy_floats(const array *a, float *out)
{
    if (a->type != ARRAY_FLOAT || a->swapped || (a->fortran && a->dims > 1)) return false;
    if (a->width == 4 && a->count > 0) memcpy(out, a->bytes, (size_t)a->count * sizeof *out);
    for (int64_t i = 0; a->width == 8 && i < a->count; i++) {
        double value;
        memcpy(&value, a->bytes + 8 * i, sizeof value);
        out[i] = (float)value;
    }
    return true;
}

/* x - x is 0 for finite x and NaN otherwise; a block without a branch in it can use vector registers. */
static int64_t first_infinite(const float *x, int64_t count)
{
    enum { BLOCK = 4096 };
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t end = start + BLOCK < count ? start + BLOCK : count;
        float sum = 0;
        for (int64_t i = start; i < end; i++) sum += x[i] - x[i];
        for (int64_t i = start; sum != 0 && i < end; i++)
            if (!isfinite(x[i])) return i;
    }
    return -1;
}

cru_status array_floats(const array *a, float *out, cru_error *err)
{
    int64_t cols = a->dims == 2 ? a->shape[1] : 1;
    int64_t rows = cols > 0 ? a->count / cols : 0;
    bool copied = copy_floats(a, out);
    for (int64_t r = 0; r < rows && !copied; r++)
        for (int64_t c = 0; c < cols; c++)
            out[r * cols + c] = (float)array_real(a, a->dims == 2 ? array_place(a, r, c) : r);
    int64_t bad = first_infinite(out, a->count);
    if (bad < 0) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s: row %lld, column %lld is not a finite number", a->name,
                    (long long)(bad / cols), (long long)(bad % cols));
}
