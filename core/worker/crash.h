// SPDX-License-Identifier: Apache-2.0
/* crash.h: last words of a worker. */
#ifndef CORE_RUNNER_CRASH_H
#define CORE_RUNNER_CRASH_H

/* Installs handlers for faults of the process (SIGSEGV, SIGABRT, ...) on a stack of their own. They write the signal
 * and a backtrace to standard error, send a WORKER_OUTCOME message over `socket`, and let the signal end the process. A
 * null pointer or an abort when the address space is all but used up is reported as running out of memory, since that
 * is what most code makes of a failed malloc. */
void crash_install(int socket);

/* In the host, before workers are forked: loads what a backtrace needs. */
void crash_prepare(void);

/* "SIGSEGV", or "signal 99". Valid until the next call with an unknown number. */
const char *signal_name(int number);

#endif
