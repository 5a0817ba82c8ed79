// SPDX-License-Identifier: Apache-2.0
#include "worker/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/sandbox-filter.h"

/* Landlock's numbers, from the kernel's documentation: the headers of a distribution may be older than its kernel. */
enum {
    LANDLOCK_VERSION_FLAG = 1,
    RULE_PATH_BENEATH = 1,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_REFER = 1 << 13,    /* ABI 2 */
    FS_TRUNCATE = 1 << 14, /* ABI 3 */
    FS_IOCTL_DEV = 1 << 15 /* ABI 5 */
};
#define FS_ABI_1    UINT64_C(0x1fff)
#define NET_ALL     UINT64_C(3) /* ABI 4: bind, connect */
#define SCOPE_ALL   UINT64_C(3) /* ABI 6: abstract sockets, signals */
#define READ_RIGHTS (FS_READ_FILE | FS_READ_DIR)
#define WRITE_RIGHTS                                                                                                   \
    (FS_WRITE_FILE | FS_READ_FILE | FS_READ_DIR | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG |         \
     FS_REFER | FS_TRUNCATE)
#define FILE_RIGHTS (FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

typedef struct ruleset_attr {
    uint64_t fs, net, scoped;
} ruleset_attr;

typedef struct path_attr {
    uint64_t access;
    int32_t fd;
} __attribute__((packed)) path_attr;

struct sandbox {
    int ruleset; /* -1: no Landlock */
    uint64_t handled;
    struct sock_fprog filter, sealed;
};

/* What every method may read: libraries, and what runtimes ask to choose their kernels. */
static const char *const always[] = {"/lib",
                                     "/lib32",
                                     "/lib64",
                                     "/usr/lib",
                                     "/usr/lib32",
                                     "/usr/lib64",
                                     "/usr/local/lib",
                                     "/etc/ld.so.cache",
                                     "/proc/cpuinfo",
                                     "/proc/meminfo",
                                     "/sys/devices/system/cpu",
                                     "/sys/devices/system/node",
                                     "/dev/null",
                                     "/dev/zero",
                                     "/dev/urandom",
                                     NULL};

static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
    return version > 0 ? (int)version : 0;
}

sandbox_support sandbox_probe(void)
{
    sandbox_support s = {.seccomp = filter_available(), .landlock = landlock_version()};
    if (!s.seccomp)
        s.missing = "no seccomp filters: methods cannot be sandboxed; set [run] sandbox = off to run trusted ones";
    else if (!s.landlock)
        s.missing = "no Landlock: a plugin can read files while it is being loaded, and has no scratch folder";
    return s;
}

static int ruleset_create(int version, uint64_t *handled)
{
    ruleset_attr attr = {.fs = FS_ABI_1};
    size_t size = sizeof attr.fs;
    if (version >= 2) attr.fs |= FS_REFER;
    if (version >= 3) attr.fs |= FS_TRUNCATE;
    if (version >= 5) attr.fs |= FS_IOCTL_DEV;
    if (version >= 4) {
        attr.net = NET_ALL;
        size = offsetof(ruleset_attr, scoped);
    }
    if (version >= 6) {
        attr.scoped = SCOPE_ALL;
        size = sizeof attr;
    }
    *handled = attr.fs;
    return (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
}

/* A path that is not there gives no access, which is no fault. */
static bool permit(const sandbox *box, const char *path, uint64_t rights)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat info;
    if (fd < 0) return true;
    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= FILE_RIGHTS;
    path_attr attr = {rights & box->handled, fd};
    long result = syscall(SYS_landlock_add_rule, box->ruleset, RULE_PATH_BENEATH, &attr, 0);
    close(fd);
    return result == 0;
}

static bool is_library(const char *name)
{
    const char *dot = strstr(name, ".so");
    return dot && (dot[3] == '\0' || dot[3] == '.');
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* Whether an earlier library of the list lies in the same folder. */
static bool folder_seen(const char *const *list, int count)
{
    size_t length = folder_length(list[count]);
    for (int i = 0; i < count; i++)
        if (is_library(list[i]) && folder_length(list[i]) == length && memcmp(list[i], list[count], length) == 0)
            return true;
    return false;
}

/* A plugin may bring libraries in its own folder. Other files there stay out of reach. */
static bool permit_siblings(const sandbox *box, const char *path)
{
    char folder[PATH_MAX], file[PATH_MAX + NAME_MAX + 2];
    const char *slash = strrchr(path, '/');
    if (!slash || slash - path >= PATH_MAX) return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    DIR *dir = opendir(folder);
    if (!dir) return true;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(dir));) {
        if (!is_library(entry->d_name)) continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        good = permit(box, file, FS_READ_FILE);
    }
    closedir(dir);
    return good;
}

static cru_status add_rules(const sandbox *box, const sandbox_options *options, cru_error *err)
{
    bool good = true;
    for (int i = 0; good && always[i]; i++) good = permit(box, always[i], READ_RIGHTS);
    for (int i = 0; good && options->readable && options->readable[i]; i++) {
        const char *path = options->readable[i];
        good = permit(box, path, READ_RIGHTS);
        if (good && is_library(path) && !folder_seen(options->readable, i)) good = permit_siblings(box, path);
    }
    if (good && options->scratch) good = permit(box, options->scratch, WRITE_RIGHTS);
    if (good) good = permit(box, "/dev/null", FS_READ_FILE | FS_WRITE_FILE);
    return good ? CRU_OK : cru_fail(err, CRU_FAILED, "cannot prepare the sandbox (Landlock): %s", strerror(errno));
}

cru_status sandbox_create(const sandbox_options *options, sandbox **out, cru_error *err)
{
    *out = NULL;
    if (!filter_available())
        return cru_fail(err, CRU_UNSUPPORTED,
                        "this kernel cannot sandbox methods (no seccomp filters); "
                        "set [run] sandbox = off if you trust them");
    sandbox *box = calloc(1, sizeof *box);
    if (!box) return cru_fail(err, CRU_NO_MEMORY, "no memory for the sandbox");
    int version = landlock_version(), most = options->landlock_most;
    if (most && version > most) version = most > 0 ? most : 0;
    box->ruleset = version ? ruleset_create(version, &box->handled) : -1;
    bool locked = box->ruleset >= 0;
    cru_status status = locked ? add_rules(box, options, err) : CRU_OK;
    if (status == CRU_OK) status = filter_build(&(filter_options){.writes = locked}, &box->filter, err);
    if (status == CRU_OK && !locked) status = filter_build_sealed(&box->sealed, err);
    if (status == CRU_OK)
        *out = box;
    else
        sandbox_destroy(box);
    return status;
}

void sandbox_destroy(sandbox *box)
{
    if (!box) return;
    if (box->ruleset >= 0) close(box->ruleset);
    free(box->filter.filter);
    free(box->sealed.filter);
    free(box);
}

int sandbox_fd(const sandbox *box)
{
    return box->ruleset;
}

cru_status sandbox_enter(const sandbox *box, cru_error *err)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return cru_fail(err, CRU_FAILED, "cannot enter the sandbox: %s", strerror(errno));
    if (box->ruleset >= 0) {
        if (syscall(SYS_landlock_restrict_self, box->ruleset, 0) != 0)
            return cru_fail(err, CRU_FAILED, "cannot enter the sandbox (Landlock): %s", strerror(errno));
        close(box->ruleset);
    }
    return filter_install_own_signals(&box->filter, err);
}

cru_status sandbox_seal(const sandbox *box, cru_error *err)
{
    return box->sealed.filter ? filter_install(&box->sealed, err) : CRU_OK;
}
