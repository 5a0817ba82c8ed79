// SPDX-License-Identifier: Apache-2.0
/* A host that is killed, at whatever moment, loses the trials in flight and nothing else. */
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "session.h"

/* Orphans become children of this process, and waiting for them would never end if one lived on. */
static void wait_for_orphans(void)
{
    while (waitpid(-1, NULL, 0) > 0) continue;
}

static void resume_and_compare(session *s, const contents *expected)
{
    s->fatal = 0;
    runner_summary last = run(s, AGENDA_MISSING);
    ck_assert_int_eq(last.elsewhere, 0);
    expect_same(s, expected);
}

/* The host kills itself between steps, again and again in one store. */
START_TEST(a_run_that_is_killed_many_times_gets_done)
{
    session s;
    contents expected;
    expected_contents(&expected);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    session_open(&s);
    int kills = 0;
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        int status;
        if (child == 0) {
            s.fatal = 1 + 7 * i % 23;
            run(&s, AGENDA_MISSING);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status);
        wait_for_orphans();
    }
    ck_assert_int_ge(kills, 5);
    resume_and_compare(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

/* ---- at any system call ---------------------------------------------------------------------------------- */

/* Runs the experiment in a child and kills it as it enters or leaves its `fatal`-th system call, be it in the middle of
 * writing a page of the store; 0: never. Returns how many of these moments there were. */
static long run_traced(session *s, long fatal)
{
    int status, signal = 0;
    long stops = 0;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
        raise(SIGSTOP);
        run(s, AGENDA_MISSING);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSTOPPED(status), "a process cannot be traced here");
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (;;) {
        ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)signal);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (!WIFSTOPPED(status)) break;
        bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        signal = at_call ? 0 : WSTOPSIG(status);
        if (at_call && ++stops == fatal) kill(child, SIGKILL);
    }
    wait_for_orphans();
    ck_assert(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
    return stops;
}

/* Twenty moments, one in each twentieth of an undisturbed run. */
START_TEST(a_run_that_is_killed_anywhere_goes_on)
{
    enum { MOMENTS = 20 };
    contents expected;
    session whole;
    expected_contents(&expected);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    session_open(&whole);
    long stops = run_traced(&whole, 0);
    expect_same(&whole, &expected);
    fixture_close(&whole.f);
    unsigned random = 1;
    int kills = 0;
    for (int i = 0; i < MOMENTS; i++) {
        session s;
        random = random * 1103515245u + 12345u;
        long fatal = 1 + (stops * i + stops * (long)(random >> 16 & 0xff) / 256) / MOMENTS;
        session_open(&s);
        kills += run_traced(&s, fatal) >= fatal;
        resume_and_compare(&s, &expected);
        fixture_close(&s.f);
    }
    ck_assert_int_ge(kills, MOMENTS / 2); /* a run is not always equally long */
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-killed");
    TCase *t = tcase_create("killed");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_run_that_is_killed_many_times_gets_done);
    tcase_add_test(t, a_run_that_is_killed_anywhere_goes_on);
    suite_add_tcase(s, t);
    return s;
}
