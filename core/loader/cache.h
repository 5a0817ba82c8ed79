// SPDX-License-Identifier: Apache-2.0
/* What earlier scans found, in one file below $XDG_CACHE_HOME/crucible (or ~/.cache/crucible).
 *
 * A record holds for a file at a path with a checksum (SHA-256). A file need not be read again to know that it is the
 * same where its size, device, inode and times of modification and change are those that were seen, and its last change
 * was then at least CACHE_SETTLED_SECONDS ago: nobody can set the time of change, a change sets it to the present, and
 * that is later than any time which the clock of a file system, however coarse, could take for the one that was seen.
 * All others are read. (Who can set the machine's clock back can deceive this, and is the administrator.)
 * The whole file holds for one build of the SDK library, whose parameter tables plugins refer to. Anything unexpected
 * in it - cut off, damaged, from another version - and it counts as empty. */
#ifndef CORE_LOADER_CACHE_H
#define CORE_LOADER_CACHE_H

#include "loader/files.h"
#include "registry/codec.h"

typedef struct cache cache;

/* Never fails: what cannot be read is empty. NULL only when memory ran out, which the other functions take as empty. */
cache *cache_open(void);
void cache_close(cache *c);

enum { CACHE_SETTLED_SECONDS = 2 };

/* True when the cache knows the file as it is now; the entry is then in `memory`. Otherwise notes its checksum. */
bool cache_lookup(cache *c, plugin_file *file, cru_arena *memory, registry_entry *entry);

/* Remembers a finding, in place of an older one for that path; nothing when the file is no more what it was at the
 * lookup. */
void cache_store(cache *c, const plugin_file *file, const registry_entry *entry);

/* Writes the file anew if anything was stored: a temporary file first, then an atomic rename, so that readers see the
 * old one or the new one. Records of files that are gone are dropped. Returns whether a file was written; a folder that
 * is not writable is no error. */
bool cache_save(cache *c);

/* The folder, created when it is missing, in malloc'ed text; NULL when there is none that can be written. */
char *cache_folder(void);

#endif
