// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker/sandbox-rules.h"
#include "worker/sandbox.h"

/* Each test tries things in a child that has entered a sandbox; the child's exit code is the number of the first
 * expectation that did not hold, or 0. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) _exit(__LINE__ % 251 + 1);                                                                   \
    } while (0)

static char scratch[64];
static char secret[64];

static void make_files(void)
{
    strcpy(scratch, "/tmp/crucible-box-XXXXXX");
    strcpy(secret, "/tmp/crucible-secret-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    int fd = mkstemp(secret);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void remove_files(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s %s", scratch, secret);
    ck_assert_int_eq(system(command), 0);
}

enum { WITHOUT_LANDLOCK = -1, AS_IT_IS = 0 };

static bool no_landlock(const char *test)
{
    bool none = !sandbox_probe(0).landlock;
    if (none) printf("SKIP %s: this kernel has no Landlock\n", test);
    return none;
}

static int make_ruleset(const sandbox_files *files)
{
    cru_error err = {0};
    sandbox_rules *rules;
    int ruleset;
    ck_assert_msg(rules_create(files, &rules, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(rules_make(rules, -1, &ruleset, &err) == CRU_OK, "%s", err.text);
    rules_destroy(rules);
    return ruleset;
}

static void in_sandbox(int landlock_most, void (*try)(void))
{
    cru_error err = {0};
    const char *const writable[] = {scratch, NULL};
    sandbox *box = sandbox_prepare(SANDBOX_WORKER);
    ck_assert_ptr_nonnull(box);
    int ruleset =
        make_ruleset(&(sandbox_files){.writable = writable, .libraries = true, .landlock_most = landlock_most});
    pid_t child = fork();
    if (child == 0) {
        EXPECT(sandbox_enter(box, ruleset, &err) == CRU_OK);
        EXPECT(sandbox_seal(box, ruleset >= 0, &err) == CRU_OK);
        try();
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == 0, "the expectation at line %d (mod 251) did not hold",
                  WEXITSTATUS(status) - 1);
    if (ruleset >= 0) close(ruleset);
    sandbox_destroy(box);
}

static bool refused(long result)
{
    return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static void no_network_processes_or_programs(void)
{
    char *const none[] = {NULL};
    EXPECT(refused(socket(AF_INET, SOCK_STREAM, 0)));
    EXPECT(refused(socket(AF_UNIX, SOCK_STREAM, 0)));
    EXPECT(refused(fork()));
    EXPECT(refused(syscall(SYS_vfork)));
    EXPECT(refused(
        syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, NULL))); /* with a table of files of its own */
    EXPECT(refused(syscall(SYS_clone3, NULL, 0)));
    EXPECT(refused(execve("/bin/true", none, none)));
    EXPECT(refused(syscall(SYS_io_uring_setup, 1, NULL)));
    EXPECT(refused(syscall(SYS_bpf, 0, NULL, 0)));
    EXPECT(refused(syscall(SYS_unshare, 0)));
    EXPECT(refused(syscall(SYS_memfd_create, "x", 0)));
}

static void no_other_process(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    EXPECT(refused(kill(getppid(), 0)));
    EXPECT(refused(syscall(SYS_tgkill, getppid(), getppid(), 0)));
    EXPECT(refused(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)));
    EXPECT(refused(process_vm_readv(getppid(), &part, 1, &part, 1, 0)));
    EXPECT(refused(syscall(SYS_pidfd_open, getppid(), 0)));
    EXPECT(syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
    struct timespec now;
    const clockid_t parents =
        (clockid_t)(~(unsigned)getppid() << 3 | 2); /* its processor time: what others make it work */
    EXPECT(refused(clock_gettime(parents, &now)));
    EXPECT(refused(syscall(SYS_clock_getres, parents, &now)));
    EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0 && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    EXPECT(refused(syscall(SYS_get_robust_list, getppid(), &part, &now)));
}

/* Whatever else a kernel has that reaches another process, leaves something behind or makes it act for the caller. */
static void no_odd_corner_of_the_kernel(void)
{
    static const int calls[] = {SYS_add_key,
                                SYS_request_key,
                                SYS_keyctl,
                                SYS_userfaultfd,
                                SYS_perf_event_open,
                                SYS_process_vm_writev,
                                SYS_kcmp,
                                SYS_execveat,
                                SYS_open_by_handle_at,
                                SYS_name_to_handle_at,
                                SYS_io_setup,
                                SYS_io_submit,
                                SYS_io_uring_enter,
                                SYS_io_uring_register,
                                SYS_shmget,
                                SYS_shmat,
                                SYS_semget,
                                SYS_msgget,
                                SYS_mq_open,
                                SYS_socketpair,
                                SYS_accept4,
                                SYS_bind,
                                SYS_listen,
                                SYS_setns,
                                SYS_mount,
                                SYS_umount2,
                                SYS_pivot_root,
                                SYS_chroot,
                                SYS_personality,
                                SYS_syslog,
                                SYS_quotactl,
                                SYS_swapon,
                                SYS_reboot,
                                SYS_init_module,
                                SYS_ioctl,
                                SYS_ioperm,
                                SYS_splice,
                                SYS_vmsplice,
                                SYS_tee,
                                SYS_sendfile,
                                SYS_copy_file_range,
                                SYS_inotify_init1,
                                SYS_fanotify_init,
                                SYS_signalfd4,
                                SYS_timerfd_create,
                                SYS_timer_create,
                                SYS_epoll_create1,
                                SYS_setxattr,
                                SYS_fsetxattr,
                                SYS_utimensat,
                                SYS_fchmod,
                                SYS_fchmodat,
                                SYS_fchown,
                                SYS_mknodat,
                                SYS_linkat,
                                SYS_symlinkat,
                                SYS_flock,
                                SYS_chdir,
                                SYS_setpgid,
                                SYS_setsid,
                                SYS_setpriority,
                                SYS_sched_setaffinity,
                                SYS_sched_setscheduler,
                                SYS_setrlimit,
                                SYS_setuid,
                                SYS_capset,
                                SYS_mlock,
                                SYS_mbind,
                                SYS_migrate_pages,
                                SYS_move_pages,
                                SYS_remap_file_pages,
                                SYS_pkey_alloc,
                                SYS_rt_sigqueueinfo,
                                SYS_tkill,
                                SYS_kill,
                                SYS_wait4,
                                SYS_waitid,
                                SYS_pidfd_send_signal};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!refused(syscall(calls[i], -1L, 0L, 0L, 0L, 0L, 0L))) _exit((int)i + 1);
    EXPECT(refused(syscall(438 /* pidfd_getfd */, -1, 0, 0)) &&
           refused(syscall(440 /* process_madvise */, -1, 0, 0, 0, 0)));
    EXPECT(refused(syscall(437 /* openat2 */, -1, "/dev/null", 0, 0)) && refused(syscall(447 /* memfd_secret */, 0)));
    /* that a page is broken, which a privileged process can tell the kernel of one that others have, too */
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(refused(madvise(page, 0, 100)) && refused(madvise(page, 0, 101)));
    EXPECT(madvise(page, 4096, MADV_DONTNEED) == 0);
    struct rlimit limit;
    EXPECT(refused(prlimit(getppid(), RLIMIT_AS, NULL, &limit)) && refused(prlimit(0, RLIMIT_AS, &limit, NULL)));
    EXPECT(prlimit(0, RLIMIT_AS, NULL, &limit) == 0);
}

static void no_file_outside(void)
{
    struct stat info;
    EXPECT(refused(open(secret, O_RDONLY)));
    EXPECT(refused(open(secret, O_WRONLY)));
    EXPECT(refused(open("/proc/self/maps", O_RDONLY)));
    EXPECT(refused(open("/etc/passwd", O_RDONLY)));
    EXPECT(refused(open("/tmp/crucible-new-file", O_WRONLY | O_CREAT, 0600)));
    EXPECT(refused(unlink(secret)));
    EXPECT(refused(truncate(secret, 0)));
    EXPECT(refused(chmod(secret, 0777)));
    EXPECT(refused(link(secret, "/tmp/crucible-new-link")));
    EXPECT(refused(symlink(secret, "/tmp/crucible-new-link")));
    EXPECT(stat(secret, &info) == 0);
}

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

static void memory_threads_and_time_work(void)
{
    pthread_t thread;
    int number = 0;
    struct timespec now;
    void *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(block != MAP_FAILED);
    EXPECT(mprotect(block, 1 << 20, PROT_READ | PROT_EXEC) == 0);
    EXPECT(munmap(block, 1 << 20) == 0);
    EXPECT(pthread_create(&thread, NULL, add_one, &number) == 0);
    EXPECT(pthread_join(thread, NULL) == 0 && number == 1);
    EXPECT(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    EXPECT(malloc(1 << 24) != NULL);
    EXPECT(sysconf(_SC_NPROCESSORS_ONLN) > 0);
}

static void scratch_works(void)
{
    char path[96], other[96];
    snprintf(path, sizeof path, "%s/a", scratch);
    snprintf(other, sizeof other, "%s/b", scratch);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT(fd >= 0);
    EXPECT(write(fd, "text", 4) == 4 && ftruncate(fd, 2) == 0);
    EXPECT(rename(path, other) == 0 && unlink(other) == 0);
    EXPECT(open("/usr/lib", O_RDONLY | O_DIRECTORY) >= 0);
    EXPECT(dlopen("libm.so.6", RTLD_NOW) != NULL);
}

/* Runtimes ask how memory is spread; how much is free would tell of other trials. */
static void memory_is_laid_out_but_not_counted(void)
{
    static const char *const counts[] = {"/proc/meminfo",
                                         "/proc/vmstat",
                                         "/proc/loadavg",
                                         "/sys/devices/system/node/node0/meminfo",
                                         "/sys/devices/system/node/node0/numastat",
                                         "/sys/devices/system/node/node0/vmstat"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) EXPECT(open(counts[i], O_RDONLY) < 0);
    if (access("/sys/devices/system/node/node0/cpulist", R_OK) != 0) return;
    EXPECT(open("/sys/devices/system/node", O_RDONLY | O_DIRECTORY) >= 0);
    EXPECT(open("/sys/devices/system/node/online", O_RDONLY) >= 0);
    EXPECT(open("/sys/devices/system/node/node0/cpulist", O_RDONLY) >= 0);
}

enum { TRIES = 5 };
static void (*const tries[TRIES])(void) = {no_network_processes_or_programs, no_other_process,
                                           no_odd_corner_of_the_kernel, no_file_outside, memory_threads_and_time_work};

START_TEST(with_seccomp_alone)
{
    make_files();
    in_sandbox(WITHOUT_LANDLOCK, tries[_i]);
    remove_files();
}
END_TEST

START_TEST(with_landlock)
{
    if (no_landlock("with_landlock")) return;
    make_files();
    in_sandbox(AS_IT_IS, tries[_i]);
    remove_files();
}
END_TEST

START_TEST(landlock_leaves_the_scratch_folder_and_libraries)
{
    if (no_landlock("landlock_leaves_the_scratch_folder_and_libraries")) return;
    make_files();
    in_sandbox(AS_IT_IS, scratch_works);
    in_sandbox(AS_IT_IS, memory_is_laid_out_but_not_counted);
    remove_files();
}
END_TEST

/* Every version of Landlock knows other rights; a ruleset that asks for one too many is refused as a whole. */
START_TEST(older_versions_of_landlock_protect_as_well)
{
    int version = _i;
    if (no_landlock("older_versions_of_landlock_protect_as_well") || version > sandbox_probe(0).landlock) return;
    make_files();
    in_sandbox(version, no_file_outside);
    in_sandbox(version, scratch_works);
    remove_files();
}
END_TEST

static void constructor_reads(void)
{
    EXPECT(refused(open(secret, O_RDONLY | O_TRUNC)));
    EXPECT(refused(open(secret, O_RDWR)));
}

/* Before it is sealed, a sandbox without Landlock lets libraries be loaded, but nothing be written. */
START_TEST(before_the_seal_nothing_can_be_written)
{
    cru_error err = {0};
    make_files();
    sandbox *box = sandbox_prepare(SANDBOX_WORKER);
    ck_assert_ptr_nonnull(box);
    pid_t child = fork();
    if (child == 0) {
        EXPECT(sandbox_enter(box, -1, &err) == CRU_OK);
        EXPECT(dlopen("libm.so.6", RTLD_NOW) != NULL);
        constructor_reads();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    sandbox_destroy(box);
    remove_files();
}
END_TEST

/* Files beside a plugin are out of reach, its libraries are not. */
START_TEST(a_plugins_folder_shows_its_libraries_only)
{
    if (no_landlock("a_plugins_folder_shows_its_libraries_only")) return;
    make_files();
    static const char *const names[] = {"one.so", "two.so.1", "results.db", "more/three.so", "more/four.so"};
    char files[5][96], folder[96];
    const char *plugin = files[0], *sibling = files[1], *data = files[2];
    snprintf(folder, sizeof folder, "%s/more", scratch);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    for (int i = 0; i < 5; i++) {
        snprintf(files[i], sizeof files[i], "%s/%s", scratch, names[i]);
        int fd = open(files[i], O_WRONLY | O_CREAT, 0600);
        ck_assert_int_eq(write(fd, "\177ELF", 4), 4);
        close(fd);
    }
    char disguised[96], linked[96];
    snprintf(disguised, sizeof disguised, "%s/labels.so", scratch); /* what is no library, by its content ... */
    snprintf(linked, sizeof linked, "%s/linked.so", scratch);       /* ... and what lies elsewhere */
    close(open(disguised, O_WRONLY | O_CREAT, 0600));
    ck_assert_int_eq(symlink(secret, linked), 0);
    cru_error err = {0};
    sandbox *box = sandbox_prepare(SANDBOX_WORKER);
    const char *const plugins[] = {plugin, "/does/not/exist", sibling, files[3], NULL};
    int ruleset = make_ruleset(&(sandbox_files){.plugins = plugins});
    pid_t child = fork();
    if (child == 0) {
        EXPECT(sandbox_enter(box, ruleset, &err) == CRU_OK);
        EXPECT(refused(open(disguised, O_RDONLY)));
        EXPECT(refused(open(linked, O_RDONLY)));
        EXPECT(open(plugin, O_RDONLY) >= 0);
        EXPECT(open(sibling, O_RDONLY) >= 0);
        EXPECT(open(files[3], O_RDONLY) >= 0);
        EXPECT(open(files[4], O_RDONLY) >= 0);
        EXPECT(refused(open(data, O_RDONLY)));
        EXPECT(refused(open(plugin, O_WRONLY)));
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    sandbox_destroy(box);
    remove_files();
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("sandbox");
    TCase *t = tcase_create("limits");
    tcase_add_loop_test(t, with_seccomp_alone, 0, TRIES);
    tcase_add_loop_test(t, with_landlock, 0, TRIES);
    tcase_add_test(t, landlock_leaves_the_scratch_folder_and_libraries);
    tcase_add_loop_test(t, older_versions_of_landlock_protect_as_well, 1, 8);
    tcase_add_test(t, before_the_seal_nothing_can_be_written);
    tcase_add_test(t, a_plugins_folder_shows_its_libraries_only);
    suite_add_tcase(s, t);
    return s;
}
