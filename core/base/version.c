// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

const char *host_version(void)
{
    return CRU_VERSION;
}
