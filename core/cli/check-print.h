// SPDX-License-Identifier: Apache-2.0
/* check-print.h: what `crucible check` does once it knows what to check; also called in an interpreter, for scripts. */
#ifndef CORE_CLI_CHECK_PRINT_H
#define CORE_CLI_CHECK_PRINT_H

#include "check/check.h"

/* Runs the suite and prints it; the exit code. */
int check_print(const char *path, const check_options *how, bool json);

#endif
