// SPDX-License-Identifier: Apache-2.0
#include "process/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/child.h"

/* What the host says. Descriptors of an order come along, its bytes follow the struct in the same packet. */
typedef enum demand_type { DEMAND_CHILD = 1, DEMAND_KILL } demand_type;

typedef struct demand {
    demand_type type;
    int trade;
    pid_t pid;
    uint32_t size;
} demand;

/* What it hears. */
typedef enum notice_type { NOTICE_STARTED = 1, NOTICE_REFUSED, NOTICE_ENDED } notice_type;

typedef struct notice {
    notice_type type;
    int cause; /* errno, of a refusal */
    nursery_end end;
} notice;

struct nursery {
    pid_t pid;
    int socket;
    bool gone;
    nursery_end *ended; /* that nobody has taken yet, oldest first */
    int ended_count, ended_space;
};

typedef union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(NURSERY_FILES_MOST * sizeof(int))];
} control;

/* ---- the environment ------------------------------------------------------------------------------------- */

/* Languages, time and what numeric runtimes and cards listen to. */
static const char *const harmless[] = {"LANG", "LANGUAGE", "TZ",      "OMP_",  "GOMP_",
                                       "LC_",  "DNNL_",    "ONEDNN_", "CUDA_", NULL};

static bool known(const char *variable, const char *const *names)
{
    for (; names && *names; names++) {
        size_t length = strlen(*names);
        bool family = (*names)[length - 1] == '_';
        if (strncmp(variable, *names, length) == 0 && (family || variable[length] == '=')) return true;
    }
    return false;
}

/* Variables beyond the list are overwritten where they are: a child has the memory even of those that were unset. */
static void forget_environment(const char *const *also)
{
    extern char **environ;
    size_t count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **copies = calloc(count + 1, sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        if (copies && (known(environ[i], harmless) || known(environ[i], also))) copies[kept++] = strdup(environ[i]);
        memset(environ[i], 0, strlen(environ[i]));
    }
    clearenv();
    for (size_t i = 0; i < kept; i++) {
        char *value = copies[i] ? strchr(copies[i], '=') : NULL;
        if (value) {
            *value = '\0';
            setenv(copies[i], value + 1, 1);
        }
        free(copies[i]);
    }
    free(copies);
}

/* ---- in the nursery -------------------------------------------------------------------------------------- */

typedef struct station {
    const nursery_options *options;
    bool prepared[NURSERY_TRADES_MOST];
    void *tools[NURSERY_TRADES_MOST];
    int socket, signals;
    pid_t *children; /* that live or are not reaped */
    int count, space;
    unsigned char *order; /* NURSERY_BYTES_MOST */
} station;

static bool tell(const station *s, const notice *n)
{
    ssize_t sent;
    do sent = send(s->socket, n, sizeof *n, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *n;
}

static int find(const station *s, pid_t pid)
{
    for (int i = 0; i < s->count; i++)
        if (s->children[i] == pid) return i;
    return -1;
}

static bool room_for_one(station *s)
{
    if (s->count < s->space) return true;
    int space = s->space ? 2 * s->space : 16;
    pid_t *bigger = realloc(s->children, (size_t)space * sizeof *bigger);
    if (!bigger) return false;
    s->children = bigger;
    s->space = space;
    return true;
}

/* What was freed is put together once and here, instead of in every child at its first large allocation. */
static void prepare_trade(station *s, int number)
{
    const nursery_trade *trade = &s->options->trades[number];
    if (s->prepared[number]) return;
    if (trade->prepare) s->tools[number] = trade->prepare();
    s->prepared[number] = true;
    malloc_trim(0);
}

static bool start_child(station *s, const demand *d, const int *fds, int fd_count)
{
    notice n = {.type = NOTICE_REFUSED, .cause = EINVAL};
    if (d->trade < 0 || d->trade >= s->options->count || fd_count < 0) return tell(s, &n);
    const nursery_trade *trade = &s->options->trades[d->trade];
    prepare_trade(s, d->trade);
    pid_t parent = getpid(), pid = !room_for_one(s) ? -1 : s->options->fork ? s->options->fork() : fork();
    n.cause = errno;
    if (pid == 0) {
        trade->follow(&(nursery_job){s->order, d->size, fds, fd_count, parent, s->tools[d->trade], trade->user});
        _exit(1);
    }
    if (pid > 0) {
        setpgid(pid, pid); /* also here: whoever comes first, the group exists before it may have to be killed */
        s->children[s->count++] = pid;
        n = (notice){.type = NOTICE_STARTED, .end = {.pid = pid}};
    }
    return tell(s, &n);
}

/* The descriptors of a packet; -1: more than there may be. */
static int take_files(struct msghdr *message, int fds[NURSERY_FILES_MOST])
{
    struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (!c || c->cmsg_type != SCM_RIGHTS) return message->msg_flags & MSG_CTRUNC ? -1 : 0;
    int count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof *fds);
    memcpy(fds, CMSG_DATA(c), (size_t)count * sizeof *fds);
    return message->msg_flags & MSG_CTRUNC ? -1 : count;
}

/* One demand; false: the host is gone. */
static bool serve(station *s)
{
    demand d = {0};
    control space = {.bytes = {0}};
    int fds[NURSERY_FILES_MOST];
    struct iovec parts[] = {{&d, sizeof d}, {s->order, NURSERY_BYTES_MOST}};
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
    ssize_t got = recvmsg(s->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got < (ssize_t)sizeof d) return false;
    bool well = true;
    int fd_count = take_files(&message, fds);
    d.size = (uint32_t)((size_t)got - sizeof d);
    if (d.type == DEMAND_CHILD) well = start_child(s, &d, fds, fd_count);
    if (d.type == DEMAND_KILL && find(s, d.pid) >= 0) {
        kill(-d.pid, SIGKILL);
        kill(d.pid, SIGKILL); /* in case it left its group */
    }
    for (int i = 0; i < fd_count; i++) close(fds[i]);
    memset(s->order, 0, d.size);
    return well;
}

/* A host that does not listen finds its dead as zombies, later. */
static bool host_listens(const station *s)
{
    struct pollfd p = {.fd = s->socket, .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && p.revents & POLLOUT;
}

static bool reap(station *s)
{
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) > 0) continue;
    for (;;) {
        notice n = {.type = NOTICE_ENDED};
        siginfo_t waiting = {0};
        if (waitid(P_ALL, 0, &waiting, WEXITED | WNOHANG | WNOWAIT) != 0 || !waiting.si_pid) return true;
        if (!host_listens(s)) return true;
        n.end.pid = wait4(waiting.si_pid, &n.end.status, 0, &n.end.usage);
        if (n.end.pid <= 0) continue;
        int at = find(s, n.end.pid);
        if (at < 0) continue;      /* an orphan of a child */
        kill(-n.end.pid, SIGKILL); /* what it may have started, where there is no sandbox */
        s->children[at] = s->children[--s->count];
        if (!tell(s, &n)) return false;
    }
}

CRU_NORETURN static void serve_all(const nursery_options *options, int socket, bool greet)
{
    enum { LOOK_AGAIN_MS = 50 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    station s = {.options = options,
                 .socket = socket,
                 .signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
                 .order = malloc(NURSERY_BYTES_MOST)};
    bool well = s.signals >= 0 && s.order;
    if (well && greet) well = tell(&s, &(notice){.type = NOTICE_STARTED});
    while (well) {
        struct pollfd fds[] = {{.fd = socket, .events = POLLIN}, {.fd = s.signals, .events = POLLIN}};
        siginfo_t waiting = {0};
        bool zombies = waitid(P_ALL, 0, &waiting, WEXITED | WNOHANG | WNOWAIT) == 0 && waiting.si_pid;
        if (poll(fds, 2, zombies ? LOOK_AGAIN_MS : -1) < 0 && errno != EINTR) break;
        if (fds[0].revents & POLLIN)
            well = serve(&s);
        else if (fds[0].revents)
            break;
        if (well) well = reap(&s);
    }
    for (int i = 0; i < s.count; i++) kill(-s.children[i], SIGKILL);
    _exit(0);
}

CRU_NORETURN static void nurse(const nursery_options *options, int socket, pid_t host)
{
    child_begin(host, &(child_keep){.name = "crucible-nurse", .fds = &socket, .count = 1});
    forget_environment(options->variables);
    serve_all(options, socket, false);
}

CRU_NORETURN void nursery_serve(const nursery_options *options, int socket)
{
    prctl(PR_SET_NAME, "crucible-nurse");
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    serve_all(options, socket, true);
}

/* ---- in the host ----------------------------------------------------------------------------------------- */

/* A nursery without a process, and the two ends of its socket. */
static cru_status create(nursery **out, int pair[2], cru_error *err)
{
    nursery *n = calloc(1, sizeof *n);
    if (!n) return cru_fail(err, CRU_NO_MEMORY, "no memory for the parent of workers");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        free(n);
        return cru_fail(err, CRU_FAILED, "cannot make a socket: %s", strerror(errno));
    }
    *out = n;
    return CRU_OK;
}

cru_status nursery_open(const nursery_options *options, nursery **out, cru_error *err)
{
    int pair[2];
    *out = NULL;
    nursery *n = NULL;
    cru_status status = create(&n, pair, err);
    if (status) return status;
    pid_t host = getpid();
    n->pid = fork();
    if (n->pid == 0) nurse(options, pair[1], host);
    close(pair[1]);
    n->socket = pair[0];
    if (n->pid > 0) {
        *out = n;
        return CRU_OK;
    }
    cru_fail(err, CRU_FAILED, "cannot start a process: %s", strerror(errno));
    close(n->socket);
    free(n);
    return CRU_FAILED;
}

/* The child of nursery_open_program. */
CRU_NORETURN static void become(const nursery_program *p, int socket, pid_t host)
{
    const int kept[] = {socket, p->log, p->keep};
    child_begin(host, &(child_keep){.name = "crucible-nurse", .fds = kept, .count = 3});
    dup2(p->log, STDOUT_FILENO);
    dup2(p->log, STDERR_FILENO);
    if (p->enter && !p->enter(p->user)) _exit(126);
    if (socket == NURSERY_SOCKET)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, NURSERY_SOCKET);
    forget_environment(NULL);
    for (const char *const *v = p->variables; v && *v; v++) putenv((char *)(uintptr_t)*v);
    execv(p->argv[0], (char *const *)(uintptr_t)p->argv);
    dprintf(STDERR_FILENO, "%s: %s\n", p->argv[0], strerror(errno));
    _exit(127);
}

static bool hear(nursery *n, notice *out, int flags);

cru_status nursery_open_program(const nursery_program *program, nursery **out, cru_error *err)
{
    int pair[2];
    notice ready = {0};
    *out = NULL;
    nursery *n = NULL;
    cru_status status = create(&n, pair, err);
    if (status) return status;
    pid_t host = getpid();
    n->pid = fork();
    if (n->pid == 0) become(program, pair[1], host);
    close(pair[1]);
    n->socket = pair[0];
    struct pollfd p = {.fd = n->socket, .events = POLLIN};
    if (n->pid > 0 && poll(&p, 1, (int)(1e3 * program->seconds)) > 0 && hear(n, &ready, 0)) {
        *out = n;
        return CRU_OK;
    }
    if (n->pid > 0) kill(n->pid, SIGKILL);
    nursery_close(n);
    return cru_fail(err, CRU_FAILED, "%s does not begin to serve", program->argv[0]);
}

void nursery_close(nursery *n)
{
    if (!n) return;
    close(n->socket); /* it kills its children and leaves */
    while (waitpid(n->pid, NULL, 0) < 0 && errno == EINTR) continue;
    free(n->ended);
    free(n);
}

static bool send_demand(nursery *n, const demand *d, const nursery_order *order)
{
    control space = {.bytes = {0}};
    struct iovec parts[] = {{(void *)(uintptr_t)d, sizeof *d},
                            {order ? (void *)(uintptr_t)order->bytes : NULL, order ? order->size : 0}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = order ? 2 : 1};
    if (order && order->fd_count) {
        message.msg_control = space.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)order->fd_count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                              .cmsg_type = SCM_RIGHTS,
                              .cmsg_len = CMSG_LEN((size_t)order->fd_count * sizeof(int))};
        memcpy(CMSG_DATA(c), order->fds, (size_t)order->fd_count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(n->socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno == EPIPE) n->gone = true;
    return sent >= 0;
}

static void keep_end(nursery *n, const nursery_end *end)
{
    if (n->ended_count == n->ended_space) {
        int space = n->ended_space ? 2 * n->ended_space : 16;
        nursery_end *bigger = realloc(n->ended, (size_t)space * sizeof *bigger);
        if (!bigger) cru_panic(CRU_NO_MEMORY, "no memory for the end of a process");
        n->ended = bigger;
        n->ended_space = space;
    }
    n->ended[n->ended_count++] = *end;
}

/* One notice; an end is kept. False: none is there, or the nursery is gone. */
static bool hear(nursery *n, notice *out, int flags)
{
    ssize_t got;
    do got = recv(n->socket, out, sizeof *out, flags);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof *out) {
        if (out->type == NOTICE_ENDED) keep_end(n, &out->end);
        return true;
    }
    if (got >= 0 || errno != EAGAIN) n->gone = true;
    return false;
}

static cru_status fail_gone(const nursery *n, cru_error *err)
{
    if (n->gone) return cru_fail(err, CRU_FAILED, "the process that starts workers is gone");
    return cru_fail(err, CRU_FAILED, "cannot ask for a process: %s", strerror(errno));
}

cru_status nursery_start(nursery *n, const nursery_order *order, pid_t *pid, cru_error *err)
{
    notice answer = {0};
    *pid = 0;
    if (order->size > NURSERY_BYTES_MOST || order->fd_count > NURSERY_FILES_MOST)
        return cru_fail(err, CRU_FAILED, "cannot start a process: its order has %zu bytes and %d files", order->size,
                        order->fd_count);
    if (!send_demand(n, &(demand){.type = DEMAND_CHILD, .trade = order->trade}, order)) return fail_gone(n, err);
    do {
        if (!hear(n, &answer, 0)) return fail_gone(n, err);
    } while (answer.type == NOTICE_ENDED);
    if (answer.type == NOTICE_REFUSED) {
        errno = answer.cause;
        return cru_fail(err, CRU_FAILED, "cannot start a process: %s", strerror(answer.cause));
    }
    *pid = answer.end.pid;
    return CRU_OK;
}

void nursery_kill(nursery *n, pid_t pid)
{
    send_demand(n, &(demand){.type = DEMAND_KILL, .pid = pid}, NULL);
}

bool nursery_take(nursery *n, nursery_end *end)
{
    notice ignored;
    if (!n->ended_count && !hear(n, &ignored, MSG_DONTWAIT)) return false;
    if (!n->ended_count) return false;
    *end = n->ended[0];
    memmove(n->ended, n->ended + 1, (size_t)--n->ended_count * sizeof *n->ended);
    return true;
}

int nursery_fd(const nursery *n)
{
    return n->socket;
}

bool nursery_await(nursery *n, pid_t pid, double seconds, nursery_end *end)
{
    notice ignored;
    struct pollfd p = {.fd = n->socket, .events = POLLIN};
    for (;;) {
        for (int i = 0; i < n->ended_count; i++) {
            if (n->ended[i].pid != pid) continue;
            *end = n->ended[i];
            memmove(n->ended + i, n->ended + i + 1, (size_t)(--n->ended_count - i) * sizeof *n->ended);
            return true;
        }
        if (seconds >= 0 && poll(&p, 1, (int)(1e3 * seconds)) <= 0) return false;
        if (!hear(n, &ignored, 0)) return false;
    }
}

bool nursery_has_ended(const nursery *n)
{
    return n->ended_count > 0;
}

bool nursery_gone(const nursery *n)
{
    return n->gone;
}
