/* naming.h: "layer.part" names of a layer's tensors. */
#ifndef SDK_NN_NAMING_H
#define SDK_NN_NAMING_H

#include <stdio.h>

typedef struct tensor_name {
    char text[96];
} tensor_name;

static inline tensor_name name_of(const char *layer, const char *part)
{
    tensor_name out;
    snprintf(out.text, sizeof out.text, "%s.%s", layer, part);
    return out;
}

static inline tensor_name name_of_number(const char *layer, const char *part, long long i)
{
    tensor_name out;
    snprintf(out.text, sizeof out.text, "%s.%s%lld", layer, part, i);
    return out;
}

#endif
