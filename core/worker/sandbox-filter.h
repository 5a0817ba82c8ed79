// SPDX-License-Identifier: Apache-2.0
/* sandbox-filter.h: the seccomp half of the sandbox, as BPF programs that a worker can switch on in microseconds. */
#ifndef CORE_RUNNER_SANDBOX_FILTER_H
#define CORE_RUNNER_SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>

#include <crucible/status.h>

typedef struct filter_options {
    bool writes;       /* files may be opened for writing: Landlock says which */
    bool memory_files; /* may make memory files, and seal them */
    bool judges;       /* may send and receive on the sockets that it has */
} filter_options;

/* The allow-list. The caller frees program->filter. */
cru_status filter_build(const filter_options *options, struct sock_fprog *program, cru_error *err);

/* For an interpreter, which is the user's and about to be executed, while it imports the user's packages: all but the
 * network, other processes' memory and the odd corners of the kernel. The caller frees program->filter. */
cru_status filter_build_interpreter(struct sock_fprog *program, cru_error *err);

/* A filter that refuses to open anything. The caller frees program->filter. */
cru_status filter_build_sealed(struct sock_fprog *program, cru_error *err);

/* Switches a program on for the calling thread and all it will start. No new privileges must be set before. */
cru_status filter_install(const struct sock_fprog *program, cru_error *err);

/* As filter_install, and signals go to this process only, whose number a program made beforehand cannot know. One
 * program with both costs less to switch on than two. */
cru_status filter_install_own_signals(const struct sock_fprog *program, cru_error *err);

/* Whether the kernel takes filters. */
bool filter_available(void);

#endif
