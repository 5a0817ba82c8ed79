// SPDX-License-Identifier: Apache-2.0
/* The program's version and where its installed parts are. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

const char *host_version(void);

#endif
