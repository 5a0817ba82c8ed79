// SPDX-License-Identifier: Apache-2.0
#include "loader/inspect.h"

#include <string.h>

#include <crucible/backend.h>
#include <crucible/encoder-plugin.h>

/* Sizes as of ABI 1.0: a plugin may have been built before later members were appended. */
#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

typedef struct required_entry {
    const char *name;
    size_t offset;
} required_entry;

typedef struct vtable_rule {
    size_t least_size;
    required_entry entries[4]; /* ends with a NULL name */
} vtable_rule;

static const vtable_rule vtable_rules[] = {
    [CRU_KIND_DATASET] = {END_OF(cru_dataset, load), {{"load", offsetof(cru_dataset, load)}}},
    [CRU_KIND_CORRUPTOR] = {END_OF(cru_corruptor, apply), {{"apply", offsetof(cru_corruptor, apply)}}},
    [CRU_KIND_ALGORITHM] = {END_OF(cru_algorithm, report),
                            {{"create", offsetof(cru_algorithm, create)},
                             {"fit", offsetof(cru_algorithm, fit)},
                             {"predict", offsetof(cru_algorithm, predict)}}},
    [CRU_KIND_METRIC] = {END_OF(cru_metric, score), {{"score", offsetof(cru_metric, score)}}},
    [CRU_KIND_BACKEND] = {END_OF(cru_backend, sgd), {{"name", offsetof(cru_backend, name)}}},
    [CRU_KIND_SPLIT] = {END_OF(cru_splitter, divide), {{"divide", offsetof(cru_splitter, divide)}}},
};

static bool is_null(const void *vtable, size_t offset)
{
    void *entry;
    memcpy(&entry, (const char *)vtable + offset, sizeof entry);
    return !entry;
}

/* A backend leaves no kernel out; they are the pointers from `open` to the end of the struct. */
static cru_status check_kernels(const void *vtable, cru_error *err)
{
    for (size_t at = offsetof(cru_backend, open); at < END_OF(cru_backend, sgd); at += sizeof(void *))
        if (is_null(vtable, at))
            return cru_fail(err, CRU_BAD_INPUT, "its backend vtable has no function number %zu",
                            (at - offsetof(cru_backend, open)) / sizeof(void *) + 1);
    return CRU_OK;
}

static cru_status check_vtable(const cru_plugin *plugin, cru_error *err)
{
    const vtable_rule *rule = &vtable_rules[plugin->kind];
    if (!plugin->vtable) return cru_fail(err, CRU_BAD_INPUT, "its vtable is NULL");
    uint32_t size;
    memcpy(&size, plugin->vtable, sizeof size);
    if (size < rule->least_size)
        return cru_fail(err, CRU_BAD_INPUT, "its %s vtable says it has %u bytes, the least is %zu; set .size = sizeof",
                        kind_name(plugin->kind), size, rule->least_size);
    for (const required_entry *entry = rule->entries; entry->name; entry++)
        if (is_null(plugin->vtable, entry->offset))
            return cru_fail(err, CRU_BAD_INPUT, "its %s vtable has no '%s'", kind_name(plugin->kind), entry->name);
    return plugin->kind == CRU_KIND_BACKEND ? check_kernels(plugin->vtable, err) : CRU_OK;
}

static cru_status check_abi(const cru_plugin *plugin, cru_error *err)
{
    if (plugin->abi_major != CRU_ABI_MAJOR)
        return cru_fail(err, CRU_BAD_INPUT, "built for plugin ABI %u.%u, this crucible serves %d.%d; %s",
                        plugin->abi_major, plugin->abi_minor, CRU_ABI_MAJOR, CRU_ABI_MINOR,
                        plugin->abi_major > CRU_ABI_MAJOR ? "upgrade crucible" : "rebuild the plugin with its SDK");
    if (plugin->abi_minor > CRU_ABI_MINOR)
        return cru_fail(err, CRU_BAD_INPUT,
                        "built for plugin ABI %u.%u, this crucible serves only up to %d.%d; upgrade crucible",
                        plugin->abi_major, plugin->abi_minor, CRU_ABI_MAJOR, CRU_ABI_MINOR);
    if (plugin->size < END_OF(cru_plugin, categories))
        return cru_fail(err, CRU_BAD_INPUT, "its plugin struct says it has %u bytes, the least is %zu", plugin->size,
                        END_OF(cru_plugin, categories));
    return CRU_OK;
}

cru_status plugin_check_name(const char *name, cru_error *err)
{
    enum { NAME_MAX_LENGTH = 64 };
    size_t length = strnlen(name, NAME_MAX_LENGTH + 1);
    if (length == 0) return cru_fail(err, CRU_BAD_INPUT, "it has no name");
    if (length > NAME_MAX_LENGTH)
        return cru_fail(err, CRU_BAD_INPUT, "its name is longer than %d characters", NAME_MAX_LENGTH);
    bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
    if (!plain || name[0] == '-' || name[length - 1] == '-')
        return cru_fail(err, CRU_BAD_INPUT, "its name '%s' is not lower-case-with-dashes", name);
    return CRU_OK;
}

static cru_status check_texts(const cru_plugin *plugin, cru_error *err)
{
    cru_status status = plugin_check_name(plugin->name ? plugin->name : "", err);
    if (status) return status;
    if (!plugin->version || !*plugin->version) return cru_fail(err, CRU_BAD_INPUT, "it has no version");
    if (!plugin->summary || !*plugin->summary) return cru_fail(err, CRU_BAD_INPUT, "it has no summary");
    return CRU_OK;
}

static cru_status check_schema(const cru_plugin *plugin, cru_error *err)
{
    if (!plugin->params) return CRU_OK;
    cru_error fault = {0};
    if (cru_params_check(plugin->params, plugin->settings_size, &fault) == CRU_OK) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "bad parameter table: %.400s", fault.text);
}

static bool wraps(const cru_plugin *plugin)
{
    const cru_algorithm *method = plugin->vtable;
    return plugin->kind == CRU_KIND_ALGORITHM && method->size >= END_OF(cru_algorithm, flags) &&
           method->flags & CRU_ALGORITHM_WRAPS;
}

static bool is_of(void *user, const cru_param *param, size_t base)
{
    (void)base;
    bool *found = user;
    *found |= param->type == CRU_PARAM_STRING && strcmp(param->key, "of") == 0;
    return !*found;
}

static cru_status check_wrapper(const cru_plugin *plugin, cru_error *err)
{
    bool found = !wraps(plugin);
    cru_params_visit(plugin->params, is_of, &found);
    return found ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "it wraps another method and has no string setting 'of'");
}

static cru_status check_identity(const cru_plugin *plugin, cru_error *err)
{
    cru_status status = check_abi(plugin, err);
    if (status) return status;
    if (plugin->kind < CRU_KIND_DATASET || plugin->kind > CRU_KIND_SPLIT)
        return cru_fail(err, CRU_BAD_INPUT, "its kind %d is unknown", (int)plugin->kind);
    return check_texts(plugin, err);
}

cru_status plugin_check(const cru_plugin *plugin, cru_error *err)
{
    cru_status status = check_identity(plugin, err);
    if (!status) status = check_vtable(plugin, err);
    if (!status) status = check_schema(plugin, err);
    if (!status) status = check_wrapper(plugin, err);
    return status;
}

void plugin_identify(const cru_plugin *plugin, registry_entry *entry)
{
    if (check_identity(plugin, NULL) != CRU_OK) return;
    entry->kind = plugin->kind;
    entry->name = plugin->name;
    entry->version = plugin->version;
    entry->summary = plugin->summary;
}

static uint32_t flags_of(const cru_plugin *plugin)
{
    if (wraps(plugin)) return CRU_ALGORITHM_WRAPS;
    if (cru_encoder_offered(plugin)) return REGISTRY_ENCODES;
    if (plugin->kind == CRU_KIND_METRIC) return ((const cru_metric *)plugin->vtable)->flags;
    return plugin->kind == CRU_KIND_SPLIT ? ((const cru_splitter *)plugin->vtable)->flags : 0;
}

registry_entry plugin_describe(const cru_plugin *plugin, const char *path)
{
    return (registry_entry){
        .kind = plugin->kind,
        .name = plugin->name,
        .version = plugin->version,
        .summary = plugin->summary,
        .authors = plugin->authors,
        .citation = plugin->citation,
        .license = plugin->license,
        .homepage = plugin->homepage,
        .categories = plugin->categories,
        .problems = plugin->problems,
        .settings_size = plugin->settings_size,
        .params = plugin->params,
        .flags = flags_of(plugin),
        .path = path,
    };
}
