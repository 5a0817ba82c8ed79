// SPDX-License-Identifier: Apache-2.0
/* Calls a function that no library has, as a slip in a name does; nothing but a call needs it. */
#include "metric-stub.h"

double nobody_defines_this_function(void);

__attribute__((visibility("default"))) double calls_it(void);

double calls_it(void)
{
    return nobody_defines_this_function();
}

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "call-unresolved",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
