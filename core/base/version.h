// SPDX-License-Identifier: Apache-2.0
/* The version of the program, and under which licence it may be used. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define HOST_LICENSE "Apache-2.0"

const char *host_version(void);

#endif
