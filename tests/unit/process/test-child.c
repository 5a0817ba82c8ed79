// SPDX-License-Identifier: Apache-2.0
/* Whatever a child does, its parent hears of it and nothing is left behind. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/child.h"

static child start(child_body *body, const child_limits *limits)
{
    static const child_limits none;
    child c;
    cru_error err = {0};
    ck_assert_msg(child_start(&c, limits ? limits : &none, body, NULL, &err) == CRU_OK, "%s", err.text);
    return c;
}

/* Reads to the end. Returns the last event; what was said is in `text`. */
static child_event listen_to(child *c, char *text, size_t size, double seconds)
{
    size_t used = 0, got;
    child_event event;
    while ((event = child_read(c, text + used, size - 1 - used, &got, seconds)) == CHILD_DATA) used += got;
    text[used] = 0;
    return event;
}

static int say_hello(void *user, int fd)
{
    (void)user;
    return write_all(fd, "hello", 5) ? 7 : 1;
}

static int close_and_wait(void *user, int fd)
{
    (void)user;
    close(fd);
    while (pause()) continue;
    return 0;
}

/* The grandchild keeps the pipe open after its parent has gone; its process id is the message. */
static int leave_grandchild(void *user, int fd)
{
    (void)user;
    pid_t pid = fork();
    if (pid == 0)
        while (pause()) continue;
    write_all(fd, &pid, sizeof pid);
    raise(SIGKILL);
    return 0;
}

static int write_a_file(void *user, int fd)
{
    (void)user;
    FILE *file = tmpfile();
    (void)fd;
    if (file && fputs("text", file) >= 0 && fflush(file) == 0) return 0;
    return 1;
}

/* The pipe and the three standard streams are all that is open. */
static int count_files(void *user, int fd)
{
    int open_files = 0;
    (void)user;
    for (int other = 0; other < 256; other++) open_files += other != fd && fcntl(other, F_GETFD) >= 0;
    return open_files;
}

START_TEST(words_and_exit_code_arrive)
{
    char text[64];
    child c = start(say_hello, NULL);
    ck_assert_int_eq(listen_to(&c, text, sizeof text, 60), CHILD_DEAD);
    ck_assert_str_eq(text, "hello");
    int status = child_finish(&c);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 7);
}
END_TEST

START_TEST(a_child_that_closes_its_pipe_and_stays_is_late)
{
    char text[64];
    child c = start(close_and_wait, NULL);
    ck_assert_int_eq(listen_to(&c, text, sizeof text, 0.05), CHILD_LATE);
    ck_assert_int_eq(WTERMSIG(child_finish(&c)), SIGKILL);
    ck_assert(waitpid(c.pid, NULL, WNOHANG) < 0 && errno == ECHILD);
}
END_TEST

START_TEST(an_open_pipe_does_not_hide_the_end_and_the_group_is_killed)
{
    char text[64];
    pid_t grandchild;
    child c = start(leave_grandchild, NULL);
    ck_assert_int_eq(listen_to(&c, text, sizeof text, 60), CHILD_DEAD);
    memcpy(&grandchild, text, sizeof grandchild);
    ck_assert_int_eq(kill(grandchild, 0), 0);
    child_finish(&c);
    /* Whoever inherits the orphan reaps it in its own time; until then it is a zombie, which ended by our signal. */
    char path[64], state[64] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
    for (int turn = 0; turn < 1000; turn++) {
        FILE *file = fopen(path, "r");
        if (!file) return;
        if (fscanf(file, "%*d %*s %63s", state) == 1 && state[0] == 'Z') turn = 1000;
        fclose(file);
        sched_yield();
    }
    ck_assert_str_eq(state, "Z");
}
END_TEST

START_TEST(writing_files_can_be_forbidden)
{
    char text[64];
    child c = start(write_a_file, &(child_limits){.no_files = true});
    listen_to(&c, text, sizeof text, 60);
    ck_assert_int_eq(WTERMSIG(child_finish(&c)), SIGXFSZ);
    c = start(write_a_file, NULL);
    listen_to(&c, text, sizeof text, 60);
    ck_assert_int_eq(child_finish(&c), 0);
}
END_TEST

START_TEST(files_of_the_parent_are_closed)
{
    char text[64];
    int extra = open("/dev/null", O_RDONLY);
    child c = start(count_files, NULL);
    listen_to(&c, text, sizeof text, 60);
    ck_assert_int_eq(WEXITSTATUS(child_finish(&c)), 3);
    close(extra);
}
END_TEST

START_TEST(signals_have_names)
{
    char text[SIGNAL_TEXT_SIZE];
    ck_assert_str_eq(signal_text(SIGSEGV, text), "SIGSEGV");
    ck_assert_str_eq(signal_text(63, text), "signal 63");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("child");
    TCase *c = tcase_create("child");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, words_and_exit_code_arrive);
    tcase_add_test(c, a_child_that_closes_its_pipe_and_stays_is_late);
    tcase_add_test(c, an_open_pipe_does_not_hide_the_end_and_the_group_is_killed);
    tcase_add_test(c, writing_files_can_be_forbidden);
    tcase_add_test(c, files_of_the_parent_are_closed);
    tcase_add_test(c, signals_have_names);
    suite_add_tcase(s, c);
    return s;
}
