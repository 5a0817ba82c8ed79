// SPDX-License-Identifier: Apache-2.0
/* device.h: from `[run] device` and `devices` to a backend and the cards that trials are spread over. */
#ifndef CORE_RUNNER_DEVICE_H
#define CORE_RUNNER_DEVICE_H

#include <crucible/context.h>

#include "config/settings.h"
#include "registry/registry.h"

enum { DEVICE_MAX_CARDS = 64 };

typedef struct device_choice {
    const registry_entry *backend; /* NULL: the CPU, which is built in */
    int32_t cards[DEVICE_MAX_CARDS];
    int32_t card_count; /* at least 1 */
} device_choice;

/* `device = cpu`, or the name of a backend plugin, alone or with the number of a card: cuda, cuda:1. `devices = 0, 1`
 * names several cards; the trial in slot i takes card i modulo their number. CRU_BAD_INPUT for a text that is neither,
 * CRU_UNSUPPORTED when no such backend is installed. */
cru_status device_choose(const run_settings *run, const registry *plugins, device_choice *out, cru_error *err);

/* Opens every chosen card once, in a process of its own, so that a device that is not there is one sentence before any
 * trial runs; `locked`: in the sandbox of a worker. The CPU is always there. */
cru_status device_probe(const device_choice *choice, bool locked, cru_error *err);

/* In the worker: opens the device of the context with the limit of `[run] device_memory`; 0: none. */
cru_status device_limit(int64_t mib, const cru_backend *backend, cru_ctx *ctx, cru_error *err);

#endif
