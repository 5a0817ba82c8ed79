// SPDX-License-Identifier: Apache-2.0
/* signals.h: Ctrl-C and SIGTERM as something to poll.
 *
 * While open, SIGINT, SIGTERM and SIGHUP are blocked and come through the descriptor. After the first request
 * to stop the usual handling is restored, so that a second one ends the program at once; its children die with it. */
#ifndef CORE_RUNNER_SIGNALS_H
#define CORE_RUNNER_SIGNALS_H

#include <stdbool.h>

/* The descriptor, or -1 with errno. */
int signals_open(void);
void signals_close(int fd);

/* Takes what came; does not wait. True: the program is asked to stop. */
bool signals_take(int fd);

#endif
