// SPDX-License-Identifier: Apache-2.0
/* What no plugin of the judge needs, and how much of it worked. */
#ifndef TESTS_HOSTILE_BREAK_OUT_H
#define TESTS_HOSTILE_BREAK_OUT_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket with a name that is in no folder: its owner need not be able to write files. */
static inline double take_name(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0crucible-hostile"};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return fd >= 0 || bind(fd, (const struct sockaddr *)&name, sizeof name) == 0;
}

/* `file` may not be read. */
static inline double break_out(const char *file)
{
    char *const none[] = {NULL};
    char path[] = "/tmp/crucible-hostile-proof";
    double done = 0;
    done += open(file, O_RDONLY) >= 0;
    done += open("/etc/passwd", O_RDONLY) >= 0;
    done += socket(AF_INET, SOCK_STREAM, 0) >= 0;
    done += socket(AF_INET6, SOCK_DGRAM, 0) >= 0;
    done += take_name();
    done += shm_open("/crucible-hostile", O_RDWR | O_CREAT, 0600) >= 0;
    done += shmget(0x637275, 4096, IPC_CREAT | 0600) >= 0;
    done += open(path, O_WRONLY | O_CREAT, 0600) >= 0;
    done += kill(getppid(), 0) == 0;
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    done += pid > 0;
    execv("/bin/true", none);
    return done;
}

#endif
