// SPDX-License-Identifier: Apache-2.0
/* tensor-fixture.h: tensors and sparse matrices out of a fixture file, and comparisons with one. */
#ifndef TESTS_TENSOR_FIXTURE_H
#define TESTS_TENSOR_FIXTURE_H

#include <math.h>

#include <crucible/crucible.h>

#include "json-fixture.h"
#include "on-device.h"

/* All numbers of a nested array, in memory of the context; *count may be NULL. */
static inline double *fixture_values(cru_ctx *ctx, const cJSON *array, int64_t *count)
{
    int64_t most = 1;
    const cJSON *inner = array;
    for (; cJSON_IsArray(inner); inner = inner->child) most *= cJSON_GetArraySize(inner);
    double *values = cru_ctx_alloc(ctx, most, sizeof *values);
    int64_t found = fixture_numbers(array, values);
    ck_assert_int_le(found, most);
    if (count) *count = found;
    return values;
}

/* The values of fixture_values as floats; a plain number is one value. */
static inline float *fixture_floats(cru_ctx *ctx, const cJSON *array, int64_t *count)
{
    *count = 1;
    const double *values = cJSON_IsArray(array) ? fixture_values(ctx, array, count) : &array->valuedouble;
    float *floats = cru_ctx_alloc(ctx, *count, sizeof *floats);
    for (int64_t i = 0; i < *count; i++) floats[i] = (float)values[i];
    return floats;
}

/* A constant of the context with the shape of the nested array; a plain number is a scalar. */
static inline cru_tensor *fixture_tensor(cru_ctx *ctx, const cJSON *array)
{
    int64_t dim[4] = {1, 1, 1, 1};
    int32_t rank = 0;
    for (const cJSON *inner = array; cJSON_IsArray(inner); inner = inner->child) {
        ck_assert_int_lt(rank, 4);
        dim[rank++] = cJSON_GetArraySize(inner);
    }
    int64_t count;
    const float *values = fixture_floats(ctx, array, &count);
    ck_assert_int_eq(count, dim[0] * dim[1] * dim[2] * dim[3]);
    return cru_tensor_from(ctx, cru_nd(rank, dim), values);
}

/* Writes the numbers over the values of an existing tensor of the same size. */
static inline void fixture_fill(cru_ctx *ctx, cru_tensor *x, const cJSON *array)
{
    ck_assert_ptr_nonnull(x);
    int64_t count;
    const float *values = fixture_floats(ctx, array, &count);
    ck_assert_int_eq(cru_tensor_count(x), count);
    cru_tensor_set(ctx, x, values);
}

/* Fills the weights and buffers of a net by name, "<prefix>.<key>" or, without a prefix, "<key>". */
static inline void fixture_fill_net(cru_net *net, const char *prefix, const cJSON *by_name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, by_name)
    {
        char name[200];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", item->string);
        ck_assert_msg(cru_net_find(net, name) != NULL, "no tensor %s", name);
        fixture_fill(cru_net_ctx(net), cru_net_find(net, name), item);
    }
}

/* Every number within tolerance * max(1, |expected|). */
static inline void fixture_check(cru_ctx *ctx, const char *name, const float *values, const cJSON *array,
                                 double tolerance)
{
    ck_assert_msg(values != NULL && array != NULL, "%s: nothing to compare", name);
    int64_t count;
    const float *expected = fixture_floats(ctx, array, &count);
    for (int64_t i = 0; i < count; i++) {
        double want = (double)expected[i], got = (double)values[i];
        ck_assert_msg(fabs(got - want) <= tolerance * fmax(1, fabs(want)), "%s[%lld]: %.8g, not %.8g", name,
                      (long long)i, got, want);
    }
}

/* Gradients of the net's weights, or values of its tensors, by name as above. */
static inline void fixture_check_net(cru_net *net, const char *prefix, const cJSON *by_name, bool gradients,
                                     double tolerance)
{
    const cJSON *item;
    ck_assert_ptr_nonnull(by_name);
    cJSON_ArrayForEach(item, by_name)
    {
        char name[200];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", item->string);
        const cru_tensor *x = cru_net_find(net, name);
        ck_assert_msg(x != NULL, "no tensor %s", name);
        fixture_check(cru_net_ctx(net), name, gradients ? test_grad(x) : test_values(x), item, tolerance);
    }
}

#endif
