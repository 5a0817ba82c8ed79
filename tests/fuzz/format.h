// SPDX-License-Identifier: Apache-2.0
/* format.h: any bytes as the files of a dataset format. The target includes the plugin's source before this file. The
 * input is cut at every "\n----\n"; the pieces are the files of the given roles, in order. What loads is sound, and
 * what does not load says why. */
#ifndef FUZZ_FORMAT_H
#define FUZZ_FORMAT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUZZ_MOST_FILES 10

static void format_memory_file(const uint8_t *bytes, size_t size, int *fd, char path[40])
{
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (*fd < 0 || write(*fd, bytes, size) != (ssize_t)size) abort();
    snprintf(path, 40, "/proc/self/fd/%d", *fd);
}

/* `pairs`: settings, as key, text, ..., NULL. */
static int format_fuzz(const char *const *roles, const char *const *pairs, const uint8_t *bytes, size_t size)
{
    static const char cut[] = "\n----\n";
    char paths[FUZZ_MOST_FILES][40];
    int fds[FUZZ_MOST_FILES];
    cru_file files[FUZZ_MOST_FILES];
    cru_source source = {.name = "fuzz", .files = files};
    const uint8_t *end = bytes + size;
    while (bytes && source.count < FUZZ_MOST_FILES && roles[source.count]) {
        const uint8_t *stop = memmem(bytes, (size_t)(end - bytes), cut, sizeof cut - 1);
        int64_t k = source.count++;
        format_memory_file(bytes, (size_t)((stop ? stop : end) - bytes), &fds[k], paths[k]);
        files[k] = (cru_file){roles[k], paths[k]};
        bytes = stop ? stop + sizeof cut - 1 : NULL;
    }
    cru_error err = {0};
    cru_settings *filled = cru_settings_create(crucible_plugin.params, crucible_plugin.settings_size);
    for (; pairs && *pairs; pairs += 2)
        if (cru_settings_set(filled, pairs[0], pairs[1], &err) != CRU_OK) abort();
    cru_data *data = cru_data_create();
    const cru_loading loading = {
        .size = sizeof loading, .settings = cru_settings_struct(filled), .source = &source, .data = data, .err = &err};
    cru_status status = load(&loading);
    if (status == CRU_OK) status = cru_data_check(data, &err);
    if (status != CRU_OK && !err.text[0]) abort();
    cru_data_destroy(data);
    cru_settings_destroy(filled);
    for (int64_t k = 0; k < source.count; k++) close(fds[k]);
    return 0;
}

#endif
