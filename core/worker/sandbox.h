// SPDX-License-Identifier: Apache-2.0
/* sandbox.h: what a worker may ask of the kernel.
 *
 * Two locks, used together where the kernel has both. Neither needs privileges.
 *
 *   seccomp   an allow-list of system calls. Memory, threads, time and open files work; the network, new programs and
 *             processes, signals to others, ptrace and the memory of other processes, namespaces, io_uring, bpf, keys
 * and the rest of the kernel are refused with EPERM. Landlock  files. Reading is limited to the system's libraries, the
 * plugins and a few facts about the CPU; writing to the scratch folder (TMPDIR). /proc, the datasets and the results
 * are out of reach.
 *
 * Both are closed before the plugin's file is opened, so that its constructors are locked in as well. Without Landlock
 * paths cannot be told apart: then no file can be opened for writing from the start, and after the plugin has been
 * loaded no file can be opened at all (sandbox_seal). What a method needs must be there by then; the SDK's libraries
 * are. Constructors of a plugin could still read files on such a machine, which `crucible doctor` says.
 *
 * The filter and the rules are made once, by the host; a worker only switches them on. */
#ifndef CORE_RUNNER_SANDBOX_H
#define CORE_RUNNER_SANDBOX_H

#include <stdbool.h>

#include <crucible/status.h>

/* What the running kernel offers; for `crucible doctor`. */
typedef struct sandbox_support {
    bool seccomp;
    int landlock;        /* ABI version; 0: none */
    const char *missing; /* what a worker could do here that it should not; NULL: nothing */
} sandbox_support;
sandbox_support sandbox_probe(void);

typedef struct sandbox sandbox;

typedef struct sandbox_options {
    const char *const *readable; /* files and folders, NULL-terminated; those that do not exist are left out */
    const char *scratch;         /* a folder that exists; NULL: no writing at all */
    int landlock_most;           /* act as on a kernel with that version at most; 0: as it is; negative: as on one
                                    without Landlock; for tests */
} sandbox_options;

/* Host. CRU_UNSUPPORTED: the kernel has no seccomp filters. */
cru_status sandbox_create(const sandbox_options *options, sandbox **out, cru_error *err);
void sandbox_destroy(sandbox *box); /* NULL is fine */

/* Worker, before it loads the plugin; from then on for good, for all threads to come. */
cru_status sandbox_enter(const sandbox *box, cru_error *err);

/* Worker, after it has loaded the plugin. */
cru_status sandbox_seal(const sandbox *box, cru_error *err);

/* The descriptor that must survive until sandbox_enter, or -1. */
int sandbox_fd(const sandbox *box);

#endif
