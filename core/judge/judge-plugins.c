// SPDX-License-Identifier: Apache-2.0
#include "judge/judge-plugins.h"

#include "loader/loader.h"

cru_status judge_plugin(judge_plugins *plugins, const registry_entry *entry, const cru_plugin **out, cru_error *err)
{
    for (int i = 0; i < plugins->count; i++) {
        if (plugins->entries[i] != entry) continue;
        *out = plugins->loaded[i];
        return CRU_OK;
    }
    cru_error why = {0};
    cru_status status = plugin_open(entry->path, entry->kind, entry->name, out, &why);
    if (status) return cru_fail(err, status, "%s %s: %s", kind_name(entry->kind), entry->name, why.text);
    if (plugins->count < JUDGE_PLUGINS_MOST) {
        plugins->entries[plugins->count] = entry;
        plugins->loaded[plugins->count++] = *out;
    }
    return CRU_OK;
}
