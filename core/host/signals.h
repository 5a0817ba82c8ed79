// SPDX-License-Identifier: Apache-2.0
/* signals.h: Ctrl-C, SIGTERM and the end of children, as something to poll.
 *
 * While open, SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked and come through the descriptor. After the first request
 * to stop the usual handling is restored, so that a second one ends the program at once; its children die with it. */
#ifndef CORE_RUNNER_SIGNALS_H
#define CORE_RUNNER_SIGNALS_H

#include <stdbool.h>

/* The descriptor, or -1 with errno. */
int signals_open(void);
void signals_close(int fd);

/* Takes what came; does not wait. *child: some child ended. True: the program is asked to stop. */
bool signals_take(int fd, bool *child);

#endif
