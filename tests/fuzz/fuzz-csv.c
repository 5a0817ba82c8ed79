// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the files of the csv format: the table of nodes, a NUL byte, the list of edges. What loads is sound. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../plugins/datasets/readers/csv.c"

static int memory_file(const uint8_t *bytes, size_t size, char path[40])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char paths[2][40];
    const uint8_t *cut = size > 0 ? memchr(bytes, 0, size) : NULL;
    size_t head = cut ? (size_t)(cut - bytes) : size;
    int fds[2] = {memory_file(bytes, head, paths[0]), cut ? memory_file(cut + 1, size - head - 1, paths[1]) : -1};
    cru_file files[] = {{"nodes", paths[0]}, {"edges", paths[1]}};
    cru_source source = {.name = "fuzz", .files = files, .count = cut ? 2 : 1};
    cru_settings *filled = cru_settings_create(schema, sizeof(struct settings));
    cru_data *data = cru_data_create();
    cru_error err = {0};
    const cru_loading loading = {
        .size = sizeof loading, .settings = cru_settings_struct(filled), .source = &source, .data = data, .err = &err};
    cru_status status = load(&loading);
    if (status == CRU_OK && cru_data_check(data, &err) != CRU_OK) abort();
    if (status != CRU_OK && !err.text[0]) abort();
    cru_data_destroy(data);
    cru_settings_destroy(filled);
    close(fds[0]);
    if (fds[1] >= 0) close(fds[1]);
    return 0;
}
