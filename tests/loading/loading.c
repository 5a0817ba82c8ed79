/* crucible-loading: how long it takes to open a dataset, for tools/bench-loading.py.
 *
 *     crucible-loading NAME [ROUNDS]
 *
 * Prints the medians over the rounds, in nanoseconds of processor time: from the files (checksums, parsing, all checks;
 * no cache), and from an image in the cache. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data/data.h"
#include "loader/loader.h"

enum { MOST_ROUNDS = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The median time of so many opens; negative when one fails. */
static double time_opens(const data_request *request, int rounds)
{
    static double taken[MOST_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        cru_error err = {0};
        cru_data *data = NULL;
        double begun = now();
        cru_status status = data_open(request, &data, &err);
        taken[i] = now() - begun;
        cru_data_destroy(data);
        if (status == CRU_OK) continue;
        fprintf(stderr, "crucible-loading: %s\n", err.text);
        return -1;
    }
    qsort(taken, (size_t)rounds, sizeof *taken, by_value);
    return taken[rounds / 2];
}

int main(int argc, char **argv)
{
    int rounds = argc == 3 ? atoi(argv[2]) : 5;
    if (argc < 2 || argc > 3 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: crucible-loading NAME [ROUNDS]\n");
        return 2;
    }
    registry *plugins;
    cru_error err = {0};
    if (loader_scan(NULL, &plugins, NULL, &err) != CRU_OK) {
        fprintf(stderr, "crucible-loading: %s\n", err.text);
        return 1;
    }
    char folder[] = "/tmp/crucible-loading-XXXXXX", command[64];
    const data_places fresh = {.cache = ""}, cached = {.cache = mkdtemp(folder)};
    data_request request = {.name = argv[1], .plugins = plugins, .places = &fresh};
    double cold = time_opens(&request, rounds);
    request.places = &cached;
    double warm = cold < 0 ? -1 : time_opens(&request, 1); /* fills the cache */
    if (warm >= 0) warm = time_opens(&request, 10 * rounds < MOST_ROUNDS ? 10 * rounds : MOST_ROUNDS);
    if (warm >= 0) printf("%.0f %.0f\n", cold, warm);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) perror(folder);
    registry_destroy(plugins);
    return warm < 0;
}
