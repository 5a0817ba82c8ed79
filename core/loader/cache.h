// SPDX-License-Identifier: Apache-2.0
/* What earlier scans found, in one file below $XDG_CACHE_HOME/crucible (or ~/.cache/crucible).
 *
 * A record holds for a file as long as its path, size, inode and times of modification and change (ns) are the same. The whole file
 * holds for one build of the SDK library, whose parameter tables plugins refer to. Anything unexpected in it - cut off,
 * damaged, from another version - and it counts as empty. */
#ifndef CORE_LOADER_CACHE_H
#define CORE_LOADER_CACHE_H

#include "loader/files.h"
#include "registry/codec.h"

typedef struct cache cache;

/* Never fails: what cannot be read is empty. NULL only when memory ran out, which the other functions take as empty. */
cache *cache_open(void);
void cache_close(cache *c);

/* True when the cache knows the file as it is now; the entry is then in `memory`. */
bool cache_lookup(cache *c, const plugin_file *file, cru_arena *memory, registry_entry *entry);

/* Remembers a finding, in place of an older one for that path. */
void cache_store(cache *c, const plugin_file *file, const registry_entry *entry);

/* Writes the file anew if anything was stored: a temporary file first, then an atomic rename, so that readers see the
 * old one or the new one. Records of files that are gone are dropped. Returns whether a file was written; a folder that
 * is not writable is no error. */
bool cache_save(cache *c);

/* The folder, created when it is missing, in malloc'ed text; NULL when there is none that can be written. */
char *cache_folder(void);

#endif
