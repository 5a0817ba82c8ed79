// SPDX-License-Identifier: Apache-2.0
/* sandbox.h: what a process that runs foreign code may ask of the kernel.
 *
 * Two locks, used together where the kernel has both. Neither needs privileges.
 *
 *   seccomp   an allow-list of system calls. Memory, threads, time and open files work; the network, new programs and
 *             processes, signals to others, ptrace and the memory of other processes, namespaces, io_uring, bpf, keys
 *             and the rest of the kernel are refused with EPERM.
 *   Landlock  files (sandbox-rules.h). A worker reads the system's libraries, its plugin and a few facts about the CPU,
 *             and writes to its scratch folder (TMPDIR). A scanner writes nothing. A judge reads the files of its cards
 *             and writes to the cache.
 *
 * Both are closed before a plugin's file is opened, so that its constructors are locked in as well. Without Landlock
 * paths cannot be told apart: then no file can be opened for writing from the start, and after the plugin has been
 * loaded no file can be opened at all (sandbox_seal). What a method needs must be there by then; the SDK's libraries
 * are. Constructors of a plugin could still read files on such a machine, which `crucible doctor` and `run` say; a
 * judge, which must open files as it goes, is then locked by its list of system calls alone.
 *
 * The filters are made once, in the parent of the processes that use them. */
#ifndef CORE_RUNNER_SANDBOX_H
#define CORE_RUNNER_SANDBOX_H

#include <stdbool.h>

#include <crucible/status.h>

/* What the running kernel offers; for `crucible doctor`. */
typedef struct sandbox_support {
    bool seccomp;
    int landlock;        /* ABI version; 0: none */
    const char *missing; /* what a plugin could do here that it should not; NULL: nothing */
} sandbox_support;

/* `landlock_most` as in sandbox_files. */
sandbox_support sandbox_probe(int landlock_most);

typedef enum sandbox_role {
    SANDBOX_WORKER, /* writes where Landlock lets it */
    SANDBOX_SCAN,   /* writes nothing */
    SANDBOX_CASE,   /* of `crucible check`: as a worker, and makes memory files */
    SANDBOX_JUDGE,  /* speaks over its socket, makes memory files, writes to the cache */
} sandbox_role;

typedef struct sandbox sandbox;

/* The filters of a role. NULL: the kernel has none, or there is no memory; such a process is not locked, and whoever
 * asked for it must have said so. */
sandbox *sandbox_prepare(sandbox_role role);
void sandbox_destroy(sandbox *box); /* NULL is fine */

/* In the process, before it loads a plugin; from then on for good, for all threads to come. `ruleset` is from
 * rules_make, -1: there is no Landlock; it is closed. */
cru_status sandbox_enter(const sandbox *box, int ruleset, cru_error *err);

/* For a process that is to execute an interpreter: Landlock, and no network or memory of others. Before it opens a
 * script the interpreter enters the rest by itself. The ruleset stays open; -1: there is no Landlock. */
cru_status sandbox_enter_interpreter(int ruleset, cru_error *err);

/* After it has loaded the plugin. `locked`: whether there was a ruleset. */
cru_status sandbox_seal(const sandbox *box, bool locked, cru_error *err);

#endif
