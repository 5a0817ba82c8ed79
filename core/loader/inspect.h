// SPDX-License-Identifier: Apache-2.0
/* What makes a plugin valid. Runs in a process that has loaded the file. */
#ifndef CORE_LOADER_INSPECT_H
#define CORE_LOADER_INSPECT_H

#include "registry/registry.h"

/* Every promise of plugin.h that can be checked without calling the plugin. CRU_BAD_INPUT with the reason. */
cru_status plugin_check(const cru_plugin *plugin, cru_error *err);

/* lower-case-with-dashes, and not too long. */
cru_status plugin_check_name(const char *name, cru_error *err);

/* For a plugin that plugin_check refused: stores its kind, name, version and summary in `entry` when these at least can
 * be trusted, and otherwise leaves it alone. */
void plugin_identify(const cru_plugin *plugin, registry_entry *entry);

/* The description of a plugin for the registry; borrows from it. Call for plugins that plugin_check accepts. */
registry_entry plugin_describe(const cru_plugin *plugin, const char *path);

/* Loads `path` and finds its `crucible_plugin`, without looking into it. CRU_IO: the file cannot be loaded (a library
 * that it needs is missing, say), which another day may end otherwise; CRU_BAD_INPUT: it is no plugin. */
cru_status plugin_load(const char *path, const cru_plugin **plugin, cru_error *err);

#endif
