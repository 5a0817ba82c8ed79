// SPDX-License-Identifier: Apache-2.0
/* private.c: keeping the store out of forked children.
 *
 * The index of the write-ahead log is shared between the processes that have the file open, by a writable mapping. A
 * forked child would have it too, and code in the child could spoil the store of its parent with a stray pointer. So
 * every piece is marked as it is mapped. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/db.h"

/* The methods of a file with one replaced; stands where SQLite keeps the pointer to them. */
typedef struct private_methods {
    sqlite3_io_methods methods; /* first: found by the pointer */
    int (*map)(sqlite3_file *, int, int, int, void volatile **);
} private_methods;

static int map_private(sqlite3_file *file, int region, int size, int extend, void volatile **out)
{
    const private_methods *p = (const private_methods *)(const void *)file->pMethods;
    int code = p->map(file, region, size, extend, out);
    if (code != SQLITE_OK || !*out) return code;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)*out / page * page;
    if (madvise((void *)start, (uintptr_t)*out + (uintptr_t)size - start, MADV_DONTFORK) != 0)
        return SQLITE_IOERR_SHMMAP;
    return code;
}

cru_status store_keep_private(store *s, cru_error *err)
{
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return db_fail(s, err);
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return CRU_OK;
    private_methods *p = malloc(sizeof *p);
    if (!p) return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", s->path);
    *p = (private_methods){*file->pMethods, file->pMethods->xShmMap};
    p->methods.xShmMap = map_private;
    file->pMethods = &p->methods;
    s->private_methods = p;
    return CRU_OK;
}
