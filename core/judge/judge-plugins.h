// SPDX-License-Identifier: Apache-2.0
/* judge-plugins.h: the corruptors and metrics that a judge has loaded, each once. */
#ifndef CORE_RUNNER_JUDGE_PLUGINS_H
#define CORE_RUNNER_JUDGE_PLUGINS_H

#include "registry/registry.h"

enum { JUDGE_PLUGINS_MOST = 256 };

/* Zeroed is empty. Plugins stay loaded until the process ends, so there is nothing to free. */
typedef struct judge_plugins {
    const registry_entry *entries[JUDGE_PLUGINS_MOST];
    const cru_plugin *loaded[JUDGE_PLUGINS_MOST];
    int count;
} judge_plugins;

/* Fails as plugin_open does, with the plugin's kind and name in the message. */
cru_status judge_plugin(judge_plugins *plugins, const registry_entry *entry, const cru_plugin **out, cru_error *err);

#endif
