// SPDX-License-Identifier: Apache-2.0
/* crucible-loading: how long it takes to open a dataset, for tools/bench --loading.
 *
 *     crucible-loading NAME ROUNDS FOLDER
 *
 * Prints the least times over the rounds, in nanoseconds, elapsed and of the processor: from the files (checksums,
 * parsing, all checks; no cache); the first open of a cached image; the opens after it. FOLDER, which is empty and the
 * caller's, holds the image; it is empty again at the end. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "data/data.h"
#include "loader/loader.h"

enum { MOST_ROUNDS = 1000 };

typedef struct taken {
    double elapsed, processor;
} taken;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static cru_status time_open(const data_request *request, taken *least)
{
    cru_error err = {0};
    cru_data *data = NULL;
    double elapsed = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
    cru_status status = data_open(request, &data, &err);
    elapsed = now(CLOCK_MONOTONIC) - elapsed;
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    cru_data_destroy(data);
    if (least->elapsed == 0 || elapsed < least->elapsed) least->elapsed = elapsed;
    if (least->processor == 0 || processor < least->processor) least->processor = processor;
    if (status != CRU_OK) fprintf(stderr, "crucible-loading: %s\n", err.text);
    return status;
}

static cru_status time_opens(const data_request *request, int rounds, taken *least)
{
    cru_status status = CRU_OK;
    for (int i = 0; i < rounds && status == CRU_OK; i++) status = time_open(request, least);
    return status;
}

/* The files in a cache, which has no folders. */
static void remove_files(const char *folder)
{
    DIR *files = opendir(folder);
    if (!files) return;
    for (struct dirent *file; (file = readdir(files));)
        if (file->d_type != DT_DIR) unlinkat(dirfd(files), file->d_name, 0);
    closedir(files);
}

/* Each round begins with an empty cache, so that there is a first open in each. */
static cru_status time_cached(data_request *request, int rounds, taken *first, taken *later)
{
    cru_status status = CRU_OK;
    for (int i = 0; i < rounds && status == CRU_OK; i++) {
        taken building = {0};
        status = time_open(request, &building);
        if (status == CRU_OK) status = time_open(request, first);
        if (status == CRU_OK) status = time_opens(request, 10, later);
        remove_files(request->places->cache);
    }
    return status;
}

int main(int argc, char **argv)
{
    int rounds = argc == 4 ? atoi(argv[2]) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: crucible-loading NAME ROUNDS FOLDER\n");
        return 2;
    }
    registry *plugins;
    cru_error err = {0};
    if (loader_scan(NULL, &plugins, NULL, &err) != CRU_OK) {
        fprintf(stderr, "crucible-loading: %s\n", err.text);
        return 1;
    }
    const data_places fresh = {.cache = ""}, cached = {.cache = argv[3]};
    data_request request = {.name = argv[1], .plugins = plugins, .places = &fresh};
    taken cold = {0}, first = {0}, later = {0};
    cru_status status = time_opens(&request, rounds, &cold);
    request.places = &cached;
    if (status == CRU_OK) status = time_cached(&request, rounds, &first, &later);
    if (status == CRU_OK)
        printf("%.0f %.0f %.0f %.0f %.0f %.0f\n", cold.elapsed, cold.processor, first.elapsed, first.processor,
               later.elapsed, later.processor);
    registry_destroy(plugins);
    return status != CRU_OK;
}
