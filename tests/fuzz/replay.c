// SPDX-License-Identifier: Apache-2.0
/* Runs a fuzz target over every file of a folder, without a fuzzer: corpus files are regression tests everywhere. An
 * input that breaks something ends the process, as it would under libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (!file || fstat(fileno(file), &info) != 0) {
        perror(path);
        return 1;
    }
    unsigned char *bytes = malloc((size_t)info.st_size + 1);
    size_t size = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    int failed = size != (size_t)info.st_size;
    fclose(file);
    if (!failed) failed = LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    if (failed) fprintf(stderr, "%s: failed\n", path);
    return failed;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s <corpus folder>\n", argv[0]);
        return 2;
    }
    int failed = 0, count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        failed |= run_file(path);
        count++;
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return failed || count == 0;
}
