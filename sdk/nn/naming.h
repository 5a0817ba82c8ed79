// SPDX-License-Identifier: Apache-2.0
/* naming.h: "layer.part" and numbered names of a layer's tensors. */
#ifndef SDK_NN_NAMING_H
#define SDK_NN_NAMING_H

#include <stdio.h>

#include <crucible/status.h>

typedef struct tensor_name {
    char text[96];
} tensor_name;

static inline tensor_name name_of(const char *layer, const char *part)
{
    tensor_name out;
    int length = snprintf(out.text, sizeof out.text, "%s.%s", layer, part);
    cru_assert(length >= 0 && (size_t)length < sizeof out.text, "net: the name %s.%s is too long", layer, part);
    return out;
}

static inline tensor_name name_of_number(const char *layer, const char *part, long long i)
{
    tensor_name out;
    int length = snprintf(out.text, sizeof out.text, "%s.%s%lld", layer, part, i);
    cru_assert(length >= 0 && (size_t)length < sizeof out.text, "net: the name %s.%s%lld is too long", layer, part, i);
    return out;
}

static inline tensor_name name_numbered(const char *layer, long long i)
{
    tensor_name out;
    int length = snprintf(out.text, sizeof out.text, "%s%lld", layer, i);
    cru_assert(length >= 0 && (size_t)length < sizeof out.text, "net: the name %s%lld is too long", layer, i);
    return out;
}

#endif
