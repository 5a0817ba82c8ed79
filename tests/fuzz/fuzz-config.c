// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a configuration file: a list of faults or an experiment whose trials can be walked, never a crash. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/fake-plugins.h"

/* A number that any use of the trials depends on, so that none is left out. */
static size_t walk(const experiment *e)
{
    size_t total = 0;
    int64_t count = experiment_trial_count(e);
    for (int64_t step = count / 8 + 1, i = 0; i < count; i += step) {
        trial t;
        experiment_trial(e, i, &t);
        char *text = trial_text(e, &t, "0");
        total += strlen(text);
        free(text);
        cru_settings_destroy(variant_settings(t.algorithm));
    }
    return total;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    int fd = memfd_create("fuzz-config", 0);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    static registry *plugins; /* the same for all inputs */
    if (!plugins) plugins = fake_registry();
    config_request request = {.files = (const char *const[]){path},
                              .file_count = 1,
                              .sets = (const char *const[]){"run.jobs=2"},
                              .set_count = 1,
                              .registry = plugins,
                              .find_dataset = fake_find};
    diagnostics diags = {0};
    experiment *e;
    cru_status status = config_load(&request, &e, &diags);
    if ((status == CRU_OK) != (diags.count == 0) || (e != NULL) != (status == CRU_OK)) abort();
    if (e && walk(e) == 0) abort();
    experiment_destroy(e);
    diagnostics_clear(&diags);
    close(fd);
    return 0;
}
