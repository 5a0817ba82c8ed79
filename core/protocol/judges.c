// SPDX-License-Identifier: Apache-2.0
#include "protocol/judges.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/clock.h"
#include "worker/crash.h"

typedef struct bench {
    pid_t pid; /* 0: not running */
    int socket;
    judge_board *board;
    judge_call *first, **last; /* in the order in which they are answered */
    double since;              /* when the first call got its turn */
} bench;

struct judges {
    judges_options options;
    bench *seats;
};

/* ---- starting and ending --------------------------------------------------------------------------------- */

/* A reply comes in one piece or its sender is broken: waiting for the rest of one must end. */
static void limit_waiting(int socket, double seconds)
{
    struct timeval t = {.tv_sec = (time_t)fmin(seconds + 1, 60)};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

static cru_status start(judges *all, bench *seat, cru_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return cru_fail(err, CRU_FAILED, "cannot make a socket for the judge: %s", strerror(errno));
    memset(seat->board, 0, sizeof *seat->board);
    madvise(seat->board, sizeof *seat->board, MADV_DOFORK); /* for this judge alone */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) judge_main(&all->options.setup, pair[1], seat->board, (int)parent);
    madvise(seat->board, sizeof *seat->board, MADV_DONTFORK);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return cru_fail(err, CRU_FAILED, "cannot start the judge: %s", strerror(errno));
    }
    limit_waiting(pair[0], all->options.seconds);
    seat->pid = pid;
    seat->socket = pair[0];
    return CRU_OK;
}

/* Returns the wait status. */
static int stop(bench *seat)
{
    int status = 0;
    if (!seat->pid) return 0;
    kill(seat->pid, SIGKILL);
    while (waitpid(seat->pid, &status, 0) < 0 && errno == EINTR) continue;
    close(seat->socket);
    seat->pid = 0;
    seat->socket = -1;
    return status;
}

cru_status judges_open(const judges_options *options, judges **out, cru_error *err)
{
    *out = NULL;
    judges *all = calloc(1, sizeof *all);
    if (!all) return cru_fail(err, CRU_NO_MEMORY, "no memory for the judges");
    all->options = *options;
    all->seats = calloc((size_t)options->count, sizeof *all->seats);
    if (!all->seats) {
        free(all);
        return cru_fail(err, CRU_NO_MEMORY, "no memory for the judges");
    }
    cru_status status = CRU_OK;
    for (int32_t i = 0; i < options->count; i++) {
        bench *seat = &all->seats[i];
        seat->socket = -1;
        seat->last = &seat->first;
        void *board = mmap(NULL, sizeof(judge_board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (board == MAP_FAILED) {
            status = cru_fail(err, CRU_NO_MEMORY, "no memory for the judges");
            continue;
        }
        madvise(board, sizeof(judge_board), MADV_DONTFORK);
        seat->board = board;
    }
    if (status == CRU_OK)
        *out = all;
    else
        judges_close(all);
    return status;
}

void judges_close(judges *all)
{
    if (!all) return;
    for (int32_t i = 0; i < all->options.count; i++) {
        stop(&all->seats[i]);
        if (all->seats[i].board) munmap(all->seats[i].board, sizeof(judge_board));
    }
    free(all->seats);
    free(all);
}

int32_t judges_count(const judges *all)
{
    return all->options.count;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

cru_status judges_ask(judges *all, judge_call *call, cru_error *err)
{
    bench *seat = &all->seats[call->lane % all->options.count];
    if (!seat->pid) {
        cru_status status = start(all, seat, err);
        if (status != CRU_OK) return status;
    }
    call->next = NULL;
    if (!seat->first) seat->since = clock_now();
    *seat->last = call;
    seat->last = &call->next;
    /* A judge that is gone shows at the next poll, which sends the call again. */
    request_send(seat->socket, &call->request, call->fd);
    return CRU_OK;
}

static judge_call *pop(bench *seat)
{
    judge_call *call = seat->first;
    seat->first = call->next;
    if (!seat->first) seat->last = &seat->first;
    seat->since = clock_now();
    return call;
}

static void describe_end(const bench *seat, int status, bool late, judge_reply *reply)
{
    const char *step = seat->board->step[0] ? seat->board->step : "the judge";
    size_t size = sizeof reply->text;
    if (late)
        snprintf(reply->text, size, "%s took too long", step);
    else if (seat->board->message[0])
        snprintf(reply->text, size, "%s: %s", step, seat->board->message);
    else if (WIFSIGNALED(status))
        snprintf(reply->text, size, "%s crashed (%s)", step, signal_name(WTERMSIG(status)));
    else
        snprintf(reply->text, size, "%s ended the process with exit code %d", step, WEXITSTATUS(status));
}

/* The call that the judge died of fails; a new judge gets the others. */
static cru_status replace(judges *all, bench *seat, bool late, cru_error *err)
{
    judge_reply reply = {.status = CRU_FAILED, .value = NAN};
    int ended = 0;
    if (late || waitpid(seat->pid, &ended, 0) != seat->pid) {
        stop(seat);
    } else {
        close(seat->socket);
        seat->pid = 0;
    }
    describe_end(seat, ended, late, &reply);
    judge_call *victim = seat->first ? pop(seat) : NULL;
    cru_status status = start(all, seat, err);
    for (judge_call *call = seat->first; call && status == CRU_OK; call = call->next)
        request_send(seat->socket, &call->request, call->fd);
    if (victim) victim->answered(victim, &reply, &(records){0}, -1);
    return status;
}

void judges_fill(const judges *all, struct pollfd *fds)
{
    for (int32_t i = 0; i < all->options.count; i++)
        fds[i] = (struct pollfd){.fd = all->seats[i].pid ? all->seats[i].socket : -1, .events = POLLIN};
}

static cru_status take_reply(judges *all, bench *seat, cru_error *err)
{
    judge_reply reply;
    records payload;
    int fd;
    if (!reply_receive(seat->socket, &reply, &payload, &fd)) {
        kill(seat->pid, SIGKILL); /* no-op when it is dead already; a broken one must not linger */
        return replace(all, seat, false, err);
    }
    if (seat->first) {
        judge_call *call = pop(seat);
        call->answered(call, &reply, &payload, fd);
    } else if (fd >= 0) {
        close(fd);
    }
    records_free(&payload);
    return CRU_OK;
}

cru_status judges_take(judges *all, const struct pollfd *fds, double now, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int32_t i = 0; i < all->options.count && status == CRU_OK; i++) {
        bench *seat = &all->seats[i];
        if (!seat->pid) continue;
        if (fds[i].revents)
            status = take_reply(all, seat, err);
        else if (seat->first && now > seat->since + all->options.seconds)
            status = replace(all, seat, true, err);
    }
    return status;
}

double judges_deadline(const judges *all)
{
    double deadline = INFINITY;
    for (int32_t i = 0; i < all->options.count; i++)
        if (all->seats[i].first) deadline = fmin(deadline, all->seats[i].since + all->options.seconds);
    return deadline;
}
