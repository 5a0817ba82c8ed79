// SPDX-License-Identifier: Apache-2.0
/* environment.h: where a result comes from, as text that is kept with it. */
#ifndef CORE_STORE_ENVIRONMENT_H
#define CORE_STORE_ENVIRONMENT_H

/* Lines "key = value": cpu, cores, memory, system, crucible (version), sqlite and, when `revision` is not NULL,
 * revision. The caller frees it. NULL: out of memory. */
char *environment_describe(const char *revision);

#endif
