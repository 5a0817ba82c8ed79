// SPDX-License-Identifier: Apache-2.0
#include "cluster/command.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Everything up to the end of the pipe. */
static char *read_all(int fd)
{
    char *text = NULL, buffer[4096];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ssize_t got;
    if (!out) return NULL;
    while ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) fwrite(buffer, 1, (size_t)got, out);
    return fclose(out) == 0 ? text : NULL;
}

static cru_status await(pid_t pid, const char *name, cru_error *err)
{
    int ended;
    while (waitpid(pid, &ended, 0) < 0)
        if (errno != EINTR) return cru_fail(err, CRU_IO, "%s: %s", name, strerror(errno));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return CRU_OK;
    if (WIFEXITED(ended)) return cru_fail(err, CRU_IO, "%s ended with exit code %d", name, WEXITSTATUS(ended));
    return cru_fail(err, CRU_IO, "%s was ended by signal %d", name, WTERMSIG(ended));
}

cru_status command_run(const char *const *words, char **text, cru_error *err)
{
    int ends[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) return cru_fail(err, CRU_IO, "%s: %s", words[0], strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int code = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char *printed = code ? NULL : read_all(ends[0]);
    close(ends[0]);
    if (code)
        return cru_fail(err, CRU_IO, "%s cannot be started: %s%s", words[0], strerror(code),
                        code == ENOENT ? "; is Slurm installed here?" : "");
    cru_status status = await(pid, words[0], err);
    if (!status && !printed) status = cru_fail(err, CRU_NO_MEMORY, "no memory for what %s printed", words[0]);
    if (text && !status)
        *text = printed;
    else
        free(printed);
    return status;
}

char *command_text(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) cru_panic(CRU_NO_MEMORY, "no memory for a text");
    va_end(args);
    return text;
}
