// SPDX-License-Identifier: Apache-2.0
#include "worker/sandbox-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Allowed whatever the arguments. Numbers that an architecture does not have are skipped by libseccomp. */
static const int plain[] = {
    /* memory */
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(brk), SCMP_SYS(get_mempolicy),
    SCMP_SYS(membarrier),
    /* threads */
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(gettid),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(getcpu), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(arch_prctl),
    /* time */
    SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times), SCMP_SYS(getrusage),
    SCMP_SYS(restart_syscall),
    /* own signals */
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(tgkill),
    /* who and where am I; without sysinfo glibc's qsort would take uninitialised memory for the machine's size */
    SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getcwd), SCMP_SYS(getrandom), SCMP_SYS(getrlimit),
    /* open files */
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
    SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(lstat),
    SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getdents64), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
    SCMP_SYS(umask),
    /* the whole task, from the host */
    SCMP_SYS(recvmsg)};

/* Allowed where Landlock decides which paths they reach. */
static const int writing[] = {SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fsync),    SCMP_SYS(fdatasync),
                              SCMP_SYS(unlink),    SCMP_SYS(unlinkat),  SCMP_SYS(mkdir),    SCMP_SYS(mkdirat),
                              SCMP_SYS(rmdir),     SCMP_SYS(rename),    SCMP_SYS(renameat), SCMP_SYS(renameat2)};

static const int memory_files[] = {SCMP_SYS(memfd_create), SCMP_SYS(ftruncate)};

/* Sockets and locks that are there; none can be made. */
static const int judging[] = {SCMP_SYS(sendmsg), SCMP_SYS(sendto),    SCMP_SYS(recvfrom), SCMP_SYS(flock),
                              SCMP_SYS(statfs),  SCMP_SYS(fstatfs),   SCMP_SYS(fchmod),   SCMP_SYS(msync),
                              SCMP_SYS(mincore), SCMP_SYS(fadvise64), SCMP_SYS(truncate)};

/* What an interpreter that imports packages has no use for. */
static const int refused[] = {SCMP_SYS(socket),
                              SCMP_SYS(connect),
                              SCMP_SYS(bind),
                              SCMP_SYS(listen),
                              SCMP_SYS(accept),
                              SCMP_SYS(accept4),
                              SCMP_SYS(ptrace),
                              SCMP_SYS(process_vm_readv),
                              SCMP_SYS(process_vm_writev),
                              SCMP_SYS(pidfd_getfd),
                              SCMP_SYS(io_uring_setup),
                              SCMP_SYS(bpf),
                              SCMP_SYS(perf_event_open),
                              SCMP_SYS(userfaultfd),
                              SCMP_SYS(add_key),
                              SCMP_SYS(request_key),
                              SCMP_SYS(keyctl),
                              SCMP_SYS(unshare),
                              SCMP_SYS(setns),
                              SCMP_SYS(mount),
                              SCMP_SYS(umount2),
                              SCMP_SYS(chroot),
                              SCMP_SYS(pivot_root),
                              SCMP_SYS(open_by_handle_at)};

/* An argument that must have one value under a mask. */
typedef struct guarded {
    int call;
    unsigned argument;
    uint64_t mask, value;
} guarded;

#define ALL UINT64_C(0xffffffff)

/* A thread shares everything with the others of its process, its table of open files among it, which is what limits those.
 * Where it writes its number and what its stack is may differ. */
#define THREAD_HAS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define THREAD_MAY                                                                                                     \
    (CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED)
#define FOREIGN_CLOCK                                                                                                  \
    UINT64_C(0x80000000) /* set in the clocks that count the processor time of any process by its number */

static const guarded guards[] = {
    /* advice, but not that a page is broken (100 and 101), which takes it from every process that has it */
    {SCMP_SYS(madvise), 2, ALL & ~UINT64_C(63), 0},
    /* threads, but no processes; glibc falls back to clone when clone3 does not exist */
    {SCMP_SYS(clone), 0, ALL & ~(uint64_t)THREAD_MAY, THREAD_HAS},
    {SCMP_SYS(clock_gettime), 0, FOREIGN_CLOCK, 0},
    {SCMP_SYS(clock_getres), 0, FOREIGN_CLOCK, 0},
    {SCMP_SYS(clock_nanosleep), 0, FOREIGN_CLOCK, 0},
    {SCMP_SYS(prctl), 0, ALL, PR_SET_NAME},
    {SCMP_SYS(prctl), 0, ALL, PR_GET_NAME},
    {SCMP_SYS(prctl), 0, ALL, 0x53564d41 /* PR_SET_VMA: names for anonymous memory */},
    {SCMP_SYS(seccomp), 0, ALL, SECCOMP_SET_MODE_FILTER /* narrowing further */},
    {SCMP_SYS(fcntl), 1, ALL, F_GETFD},
    {SCMP_SYS(fcntl), 1, ALL, F_SETFD},
    {SCMP_SYS(fcntl), 1, ALL, F_GETFL},
    {SCMP_SYS(fcntl), 1, ALL, F_SETFL},
    {SCMP_SYS(fcntl), 1, ALL, F_DUPFD},
    {SCMP_SYS(fcntl), 1, ALL, F_DUPFD_CLOEXEC},
};

static const guarded sealing[] = {
    {SCMP_SYS(fcntl), 1, ALL, F_ADD_SEALS},
    {SCMP_SYS(fcntl), 1, ALL, F_GET_SEALS},
};

/* Read-only means: no write access, and no truncation either, which open does even to a file opened for reading. */
#define WRITE_FLAGS (uint64_t)(O_ACCMODE | O_CREAT | O_TRUNC)

static const guarded reading[] = {
    {SCMP_SYS(open), 1, WRITE_FLAGS, O_RDONLY},
    {SCMP_SYS(openat), 2, WRITE_FLAGS, O_RDONLY},
};

static const guarded opening[] = {
    {SCMP_SYS(open), 1, O_ACCMODE, O_WRONLY},
    {SCMP_SYS(open), 1, O_ACCMODE, O_RDWR},
    {SCMP_SYS(openat), 2, O_ACCMODE, O_WRONLY},
    {SCMP_SYS(openat), 2, O_ACCMODE, O_RDWR},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int allow(scmp_filter_ctx ctx, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int result = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, calls[i], 0);
        if (result < 0) return result;
    }
    return 0;
}

static int allow_guarded(scmp_filter_ctx ctx, const guarded *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct scmp_arg_cmp match = {list[i].argument, SCMP_CMP_MASKED_EQ, list[i].mask, list[i].value};
        int result = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, list[i].call, 1, &match);
        if (result < 0) return result;
    }
    return 0;
}

/* Limits: reading, and one's own; those of another process tell how large it is. */
static int allow_own_limits(scmp_filter_ctx ctx)
{
    const struct scmp_arg_cmp match[] = {{0, SCMP_CMP_MASKED_EQ, ALL, 0}, {2, SCMP_CMP_EQ, 0, 0}};
    return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), COUNT(match), match);
}

/* libseccomp writes programs to files only. */
static int export_program(scmp_filter_ctx ctx, struct sock_fprog *program)
{
    int fd = memfd_create("filter", MFD_CLOEXEC), result = -1;
    struct stat info;
    if (fd < 0 || seccomp_export_bpf(ctx, fd) < 0 || fstat(fd, &info) < 0) goto done;
    program->filter = malloc((size_t)info.st_size);
    program->len = (unsigned short)((size_t)info.st_size / sizeof *program->filter);
    if (program->filter && pread(fd, program->filter, (size_t)info.st_size, 0) == info.st_size) result = 0;
done:
    if (fd >= 0) close(fd);
    return result;
}

cru_status filter_build(const filter_options *options, struct sock_fprog *program, cru_error *err)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    *program = (struct sock_fprog){0};
    bool good = ctx && seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
                allow(ctx, plain, COUNT(plain)) == 0 && allow_guarded(ctx, guards, COUNT(guards)) == 0 &&
                allow_guarded(ctx, reading, COUNT(reading)) == 0 && allow_own_limits(ctx) == 0 &&
                seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    if (good && options->writes)
        good = allow(ctx, writing, COUNT(writing)) == 0 && allow_guarded(ctx, opening, COUNT(opening)) == 0;
    if (good && options->memory_files)
        good = allow(ctx, memory_files, COUNT(memory_files)) == 0 && allow_guarded(ctx, sealing, COUNT(sealing)) == 0;
    if (good && options->judges) good = allow(ctx, judging, COUNT(judging)) == 0;
    good = good && export_program(ctx, program) == 0;
    if (ctx) seccomp_release(ctx);
    if (good) return CRU_OK;
    free(program->filter);
    program->filter = NULL;
    return cru_fail(err, CRU_FAILED, "cannot build the sandbox's system call filter");
}

static int refuse(scmp_filter_ctx ctx, const int *calls, size_t count, int cause)
{
    for (size_t i = 0; i < count; i++) {
        int result = seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint32_t)cause), calls[i], 0);
        if (result < 0) return result;
    }
    return 0;
}

/* Allows all but the calls. */
static cru_status build_refusing(const int *calls, size_t count, int cause, struct sock_fprog *program, cru_error *err)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    *program = (struct sock_fprog){0};
    bool good = ctx && refuse(ctx, calls, count, cause) == 0 && export_program(ctx, program) == 0;
    if (ctx) seccomp_release(ctx);
    if (good) return CRU_OK;
    free(program->filter);
    program->filter = NULL;
    return cru_fail(err, CRU_FAILED, "cannot build the sandbox's system call filter");
}

cru_status filter_build_interpreter(struct sock_fprog *program, cru_error *err)
{
    return build_refusing(refused, COUNT(refused), EPERM, program, err);
}

cru_status filter_build_sealed(struct sock_fprog *program, cru_error *err)
{
    static const int opens[] = {SCMP_SYS(open), SCMP_SYS(openat)};
    return build_refusing(opens, COUNT(opens), EACCES, program, err);
}

cru_status filter_install(const struct sock_fprog *program, cru_error *err)
{
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0) return CRU_OK;
    return cru_fail(err, CRU_FAILED, "cannot enter the sandbox (seccomp): %s", strerror(errno));
}

cru_status filter_install_own_signals(const struct sock_fprog *program, cru_error *err)
{
    const struct sock_filter prefix[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])), /* low word: little-endian */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        /* jumps are relative: the program goes on here */
    };
    size_t length = COUNT(prefix) + program->len;
    struct sock_filter *code = length <= BPF_MAXINSNS ? malloc(length * sizeof *code) : NULL;
    if (!code) return cru_fail(err, CRU_NO_MEMORY, "no memory for the sandbox's system call filter");
    memcpy(code, prefix, sizeof prefix);
    memcpy(code + COUNT(prefix), program->filter, program->len * sizeof *code);
    cru_status status = filter_install(&(struct sock_fprog){.len = (unsigned short)length, .filter = code}, err);
    free(code);
    return status;
}

bool filter_available(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}
