// SPDX-License-Identifier: Apache-2.0
#include "protocol/judges.h"

#include <errno.h>
#include <fcntl.h>
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

#include "base/printable.h"
#include "host/clock.h"
#include "process/nursery.h"
#include "worker/crash.h"

enum { ATTEMPTS = 3, DYING_SECONDS = 5, JUDGE_TRADE = 0 };

typedef struct bench {
    pid_t pid; /* 0: not running */
    int socket;
    int board_file; /* memory file, for the judge */
    judge_board *board;
    int log;                   /* what its plugins print, nonblocking; -1: none */
    judge_call *first, **last; /* in the order in which they are answered */
    double since;              /* when the first call got its turn */
} bench;

struct judges {
    judges_options options;
    nursery *nursery; /* where judges come from */
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
    int pair[2], log[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return cru_fail(err, CRU_FAILED, "cannot make a socket for the judge: %s", strerror(errno));
    if (pipe2(log, O_CLOEXEC | O_NONBLOCK) != 0) log[0] = log[1] = -1;
    memset(seat->board, 0, sizeof *seat->board);
    const int fds[] = {pair[1], seat->board_file, log[1]};
    cru_error why = {0};
    cru_status status =
        nursery_start(all->nursery, &(nursery_order){.trade = JUDGE_TRADE, .fds = fds, .fd_count = log[1] >= 0 ? 3 : 2},
                      &seat->pid, &why);
    close(pair[1]);
    if (log[1] >= 0) close(log[1]);
    seat->socket = pair[0];
    seat->log = log[0];
    if (!status) {
        limit_waiting(pair[0], all->options.seconds);
        return CRU_OK;
    }
    close(pair[0]);
    if (log[0] >= 0) close(log[0]);
    seat->socket = seat->log = -1;
    return cru_fail(err, CRU_FAILED, "cannot start the judge: %s", why.text);
}

/* What plugins of a judge print goes to the user, without what would steer a terminal. */
static void print_log(const bench *seat)
{
    char text[4097];
    ssize_t n;
    while (seat->log >= 0 && (n = read(seat->log, text, sizeof text - 1)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            if (!text[i]) text[i] = '?';
        text[n] = 0;
        fputs(printable(text, true), stderr);
    }
}

/* Clears the seat; a judge that has not ended is killed. Returns the wait status. */
static int stop(judges *all, bench *seat, nursery_end end)
{
    if (!seat->pid) return 0;
    if (!end.pid) {
        nursery_kill(all->nursery, seat->pid);
        nursery_await(all->nursery, seat->pid, -1, &end);
    }
    print_log(seat);
    close(seat->socket);
    if (seat->log >= 0) close(seat->log);
    seat->pid = 0;
    seat->socket = seat->log = -1;
    return end.status;
}

static bool make_board(bench *seat)
{
    seat->socket = seat->log = -1;
    seat->last = &seat->first;
    seat->board_file = memfd_create("board", MFD_CLOEXEC);
    if (seat->board_file < 0 || ftruncate(seat->board_file, sizeof(judge_board)) != 0) return false;
    seat->board = mmap(NULL, sizeof(judge_board), PROT_READ | PROT_WRITE, MAP_SHARED, seat->board_file, 0);
    if (seat->board == MAP_FAILED) seat->board = NULL;
    return seat->board;
}

/* In a judge. Its files: socket, board, and where it prints. */
static void sit_down(const nursery_job *job)
{
    judge_board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, job->fds[1], 0);
    if (board == MAP_FAILED) _exit(1);
    judge_main(&(judge_seat){.setup = job->user,
                             .box = job->tools,
                             .board = board,
                             .parent = job->parent,
                             .socket = job->fds[0],
                             .log = job->fd_count > 2 ? job->fds[2] : -1});
}

cru_status judges_open(const judges_options *options, judges **out, cru_error *err)
{
    *out = NULL;
    judges *all = calloc(1, sizeof *all);
    if (!all) return cru_fail(err, CRU_NO_MEMORY, "no memory for the judges");
    all->options = *options;
    all->seats = calloc((size_t)options->count, sizeof *all->seats);
    bool good = all->seats;
    for (int32_t i = 0; all->seats && i < options->count; i++) good = make_board(&all->seats[i]) && good;
    cru_status status = good ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for the judges");
    if (!status) {
        const nursery_trade trade = {.prepare = judge_prepare, .follow = sit_down, .user = &all->options.setup};
        status = nursery_open(&(nursery_options){.trades = &trade, .count = 1, .variables = judge_variables},
                              &all->nursery, err);
    }
    if (!status)
        *out = all;
    else
        judges_close(all);
    return status;
}

void judges_close(judges *all)
{
    if (!all) return;
    for (int32_t i = 0; all->seats && i < all->options.count; i++) {
        bench *seat = &all->seats[i];
        stop(all, seat, (nursery_end){0});
        if (seat->board) munmap(seat->board, sizeof(judge_board));
        if (seat->board_file >= 0) close(seat->board_file);
    }
    nursery_close(all->nursery);
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
        if (status) return status;
    }
    call->next = NULL;
    call->attempts = 0;
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

/* Nothing that a plugin does to itself ends so. */
static bool killed_from_outside(int status)
{
    if (!WIFSIGNALED(status)) return false;
    int number = WTERMSIG(status);
    return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
}

/* A judge that must go. The call that it was busy with fails, unless it was no fault of the call, and a new judge gets
 * the others. */
static cru_status replace(judges *all, bench *seat, bool late, bool blameless, cru_error *err)
{
    judge_reply reply = {.status = CRU_FAILED, .value = NAN, .observed = NAN, .ruled = NAN};
    judge_call *victim = seat->first;
    nursery_end end = {0};
    /* One whose socket has closed is dead in a moment, and how it died shows; else it is broken. */
    if (!late && !blameless && nursery_await(all->nursery, seat->pid, DYING_SECONDS, &end))
        blameless = killed_from_outside(end.status);
    describe_end(seat, stop(all, seat, end), late, &reply);
    bool again = victim && blameless && !late && ++victim->attempts < ATTEMPTS;
    if (victim && !again) pop(seat);
    cru_status status = start(all, seat, err);
    for (judge_call *call = seat->first; call && !status; call = call->next)
        request_send(seat->socket, &call->request, call->fd);
    if (again) seat->since = clock_now();
    if (!victim || again) return status;
    if (blameless) {
        reply.ours = true;
        reply.status = CRU_NO_MEMORY;
    }
    victim->answered(victim, &reply, &(records){0}, -1);
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
    if (!reply_receive(seat->socket, &reply, &payload, &fd)) return replace(all, seat, false, false, err);
    print_log(seat);
    printable(reply.text, true);
    if (reply.ours && seat->first) { /* a new one has more room */
        records_free(&payload);
        if (fd >= 0) close(fd);
        snprintf(seat->board->message, sizeof seat->board->message, "%.300s", reply.text);
        return replace(all, seat, false, true, err);
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
    for (int32_t i = 0; i < all->options.count && !status; i++) {
        bench *seat = &all->seats[i];
        if (!seat->pid) continue;
        if (fds[i].revents)
            status = take_reply(all, seat, err);
        else if (seat->first && now > seat->since + all->options.seconds)
            status = replace(all, seat, true, false, err);
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
