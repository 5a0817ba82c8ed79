#include "version/version.h"

const char *host_version(void)
{
    return CRU_VERSION;
}
