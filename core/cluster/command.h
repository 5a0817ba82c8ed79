// SPDX-License-Identifier: Apache-2.0
/* command.h: programs of others, run to their end, and the texts that they are given. */
#ifndef CORE_CLUSTER_COMMAND_H
#define CORE_CLUSTER_COMMAND_H

#include <crucible/status.h>

/* Runs a program found on PATH with these words (the first is its name, NULL ends them). *text (may be NULL) receives
 * what it printed on standard output, which the caller frees; its errors go to ours. CRU_IO: it cannot be started, or
 * ended with another code than 0. */
cru_status command_run(const char *const *words, char **text, cru_error *err);

/* What printf would print; the caller frees it. */
CRU_PRINTF(1, 2) char *command_text(const char *format, ...);

#endif
