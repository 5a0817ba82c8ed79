// SPDX-License-Identifier: Apache-2.0
/* cores.h: how many processors and how much memory this process may use, which on a shared machine is less than it
 * has. */
#ifndef CORE_RUNNER_CORES_H
#define CORE_RUNNER_CORES_H

#include <stdint.h>

/* What SLURM_CPUS_PER_TASK says; else the smallest of what the process may run on, what its control group grants
 * (cpu.max, or cpu.cfs_quota_us of version 1, rounded up) and what the machine has. At least 1. */
int32_t cores_usable(void);

/* Bytes: the machine's, or what the control group grants (memory.max) where that is less. */
int64_t memory_usable(void);

/* Their parts, for tests. The number that a text is, 0 when it is none; the processors of a quota "MAX PERIOD" in
 * microseconds ("max" or -1: no limit), 0 for no limit or no such text. */
int32_t cores_of_text(const char *text);
int32_t cores_of_quota(const char *text);

/* The bytes of a limit; 0 for "max" or no number. */
int64_t memory_of_limit(const char *text);

/* What a group ("/a/b", "" for the root) and those above it grant at least, in the hierarchy of groups at `root`; 0: no
 * limit. */
int32_t cores_of_group(const char *root, const char *group);
int64_t memory_of_group(const char *root, const char *group);

#endif
