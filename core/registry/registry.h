// SPDX-License-Identifier: Apache-2.0
/* registry.h: what the host knows of the plugins it found.
 *
 * The host process never loads a plugin. A scan (loader.h) reads every file in a child process, and its findings are
 * rebuilt here in memory of the registry: names, metadata and the parameter table, with which the config validates
 * settings and the runner lays out settings structs, long before and far away from the process that loads the file. */
#ifndef CORE_REGISTRY_H
#define CORE_REGISTRY_H

#include <crucible/plugin.h>

/* One plugin file. All pointers belong to the registry. */
typedef struct registry_entry {
    cru_kind kind;                 /* 0 when the file is so broken that it is not known */
    const char *name;              /* the plugin's; the file's, as in "gcn.so", when it is not known. Never NULL */
    const char *version, *summary; /* never NULL in an entry that is not broken */
    const char *authors, *citation, *license, *homepage, *categories; /* NULL when the plugin does not say */
    uint32_t problems;                                                /* cru_problem bits */
    size_t settings_size;
    const cru_param *params; /* flat: groups are resolved, offsets count from the start of the settings struct. NULL
                                when there are no settings */
    uint32_t flags;          /* cru_algorithm_flags, cru_metric_flags or cru_split_flags; 0 for other kinds. And: */
    const char *path;        /* of the file, absolute */
    const char *broken;      /* NULL: the plugin works. Otherwise the reason why it is skipped, one line */
} registry_entry;

/* Of an algorithm: it offers layers (crucible/encoder-plugin.h). */
enum { REGISTRY_ENCODES = 1 << 16 };

typedef struct registry registry;

/* NULL when memory runs out. */
registry *registry_create(void);
void registry_destroy(registry *r);

/* Adds a copy of `entry`, which is deep: strings, table and all. Fails with CRU_NO_MEMORY only. A working plugin whose
 * kind and name are already taken by a working one is kept as broken, with the path of the winner in its reason. */
cru_status registry_add(registry *r, const registry_entry *entry);

/* Working plugins first, by kind and name, then broken ones by path. Call after the last registry_add and before the
 * entries are looked at. */
void registry_sort(registry *r);

size_t registry_count(const registry *r);
const registry_entry *registry_at(const registry *r, size_t index);
size_t registry_broken_count(const registry *r);

/* The working plugin of that kind and name, or NULL. */
const registry_entry *registry_find(const registry *r, cru_kind kind, const char *name);

/* A broken plugin that would have that name, by its own word or by its file's, or NULL: why registry_find finds none.
 * One that is known to be of another kind does not count; kind 0: any does. */
const registry_entry *registry_find_broken(const registry *r, cru_kind kind, const char *name);

/* The name nearest to `name` among working plugins of `kind` (0: of any kind), for "did you mean"; NULL when none is
 * near. */
const char *registry_nearest(const registry *r, cru_kind kind, const char *name);

/* "dataset", "corruptor", ...; "unknown" for 0. The second takes singular or plural and returns 0 for other words. */
const char *kind_name(cru_kind kind);
cru_kind kind_parse(const char *word);

/* "nodes, graphs" for a set of cru_problem bits; written to `text`, which is returned. */
#define PROBLEMS_TEXT_SIZE 64
const char *problems_text(uint32_t problems, char text[PROBLEMS_TEXT_SIZE]);

#endif
