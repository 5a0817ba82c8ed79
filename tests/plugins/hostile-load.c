// SPDX-License-Identifier: Apache-2.0
/* Does harm while it is being loaded: its summary lists what it got done, of reading and removing files beside it,
 * writing, reaching the network and starting a process. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "algorithm-stub.h"

static char summary[200] = "done:";

static void note(bool done, const char *what)
{
    if (done) strcat(summary, what);
}

static void beside(char *path, size_t size, const char *name)
{
    Dl_info info;
    dladdr(summary, &info);
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, size, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
}

__attribute__((constructor)) static void strike(void)
{
    char path[4096];
    beside(path, sizeof path, "labels");
    note(open(path, O_RDONLY) >= 0, " read");
    note(unlink(path) == 0, " removed");
    beside(path, sizeof path, "proof");
    note(open(path, O_WRONLY | O_CREAT, 0600) >= 0, " wrote");
    note(open("/etc/passwd", O_RDONLY) >= 0, " read-etc");
    note(socket(AF_INET, SOCK_DGRAM, 0) >= 0, " network");
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        _exit(0);
    }
    note(pid > 0, " process");
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = stub_fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-load",
    .version = "1.0",
    .summary = summary,
    .problems = STUB_PROBLEMS,
    .vtable = &vtable,
};
