// SPDX-License-Identifier: Apache-2.0
/* scratch.h: the folder that a run leaves nothing in.
 *
 * Its owner holds a lock on it for as long as it lives, however it ends; the next run removes the folders that nobody
 * holds. */
#ifndef CORE_RUNNER_SCRATCH_H
#define CORE_RUNNER_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <crucible/status.h>

typedef struct scratch {
    char *path; /* NULL: none */
    int lock;   /* descriptor of the folder */
} scratch;

/* Makes a folder in $TMPDIR, else in /tmp, after removing those of this user that runs left behind there. */
cru_status scratch_make(scratch *s, cru_error *err);

/* Removes it with everything inside. One that was never made is fine. */
void scratch_remove(scratch *s);

/* A new folder for one trial in the folder `parent`, under a name that nobody can guess: who cannot name it cannot ask
 * the kernel about it either (stat needs no right that Landlock knows of). Writes the name; returns a descriptor, -1
 * with errno. */
enum { SCRATCH_NAME = 33 };
int scratch_begin(int parent, char name[SCRATCH_NAME]);

/* Whether nobody has put anything into the folder of scratch_begin, removed anything from it or listed it, so that it is
 * as good as a new one. A new one has the times of 1970; each of these acts sets one of them to the present, and no
 * worker can set them back. */
bool scratch_untouched(int folder);

/* Removes it with everything inside, however long its paths are and whatever modes its folders have; symbolic links
 * are removed, not followed. */
void scratch_end(int parent, const char *name);

/* Bytes that the files beneath take, each at least SCRATCH_NAME_BYTES, counted up to `most` and no further; a folder that
 * cannot be counted has as many. */
enum { SCRATCH_NAME_BYTES = 16384 };
int64_t scratch_bytes(int folder, int64_t most);

/* Bytes of files that the process has removed and still holds, open or in memory: they take room of the folder's medium,
 * and no folder has them. */
int64_t scratch_hidden_bytes(int folder, pid_t pid);

#endif
