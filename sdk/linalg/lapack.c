// SPDX-License-Identifier: Apache-2.0
#include "linalg/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Written once, under `once`, and only read afterwards. */
static lapack table;
static char failure[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A function pointer cannot portably be assigned from the void * of dlsym. */
static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);
    int complete = library && find(library, "LAPACKE_dsyevd", &table.dsyevd) &&
                   find(library, "LAPACKE_dgesdd", &table.dgesdd) && find(library, "LAPACKE_dgetrf", &table.dgetrf) &&
                   find(library, "LAPACKE_dgetri", &table.dgetri);
    if (complete) return;
    const char *reason = dlerror();
    strncpy(failure, reason ? reason : "liblapacke.so.3 is incomplete", sizeof failure - 1);
}

const lapack *lapack_open(cru_error *err)
{
    pthread_once(&once, load);
    if (!failure[0]) return &table;
    cru_fail(err, CRU_UNSUPPORTED, "LAPACK is not available: %s", failure);
    return NULL;
}
