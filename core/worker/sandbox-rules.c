// SPDX-License-Identifier: Apache-2.0
#include "worker/sandbox-rules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock's numbers, from the kernel's documentation: the headers of a distribution may be older than its kernel. */
enum {
    LANDLOCK_VERSION_FLAG = 1,
    RULE_PATH_BENEATH = 1,
    FS_EXECUTE = 1 << 0,
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
#define FILE_RIGHTS (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

typedef struct ruleset_attr {
    uint64_t fs, net, scoped;
} ruleset_attr;

typedef struct path_attr {
    uint64_t access;
    int32_t fd;
} __attribute__((packed)) path_attr;

typedef struct rule {
    int fd; /* O_PATH */
    uint64_t rights;
} rule;

struct sandbox_rules {
    int version;
    rule *items;
    int count, space;
    bool failed; /* memory or descriptors ran out */
};

/* What every plugin may read: libraries, and what runtimes ask to choose their kernels. How much memory is free is not
 * among it: that would tell of other trials. */
static const char *const system_files[] = {"/lib",           "/lib32",
                                           "/lib64",         "/usr/lib",
                                           "/usr/lib32",     "/usr/lib64",
                                           "/usr/local/lib", "/etc/ld.so.cache",
                                           "/proc/cpuinfo",  "/sys/devices/system/cpu",
                                           "/dev/null",      "/dev/zero",
                                           "/dev/urandom",   NULL};

int rules_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
    return version > 0 ? (int)version : 0;
}

/* ---- collecting ------------------------------------------------------------------------------------------ */

static void add(sandbox_rules *r, int fd, uint64_t rights)
{
    if (r->count == r->space) {
        int space = r->space ? 2 * r->space : 32;
        rule *bigger = realloc(r->items, (size_t)space * sizeof *bigger);
        if (!bigger) {
            r->failed = true;
            close(fd);
            return;
        }
        r->items = bigger;
        r->space = space;
    }
    r->items[r->count++] = (rule){fd, rights};
}

/* A path that is not there gives no access, which is no fault. */
static void add_path(sandbox_rules *r, const char *path, uint64_t rights)
{
    struct stat info;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE) r->failed = true;
        return;
    }
    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= FILE_RIGHTS;
    add(r, fd, rights);
}

/* How processors and memory hang together, which runtimes ask for; not how much memory is free there. */
static void add_nodes(sandbox_rules *r)
{
    static const char *const facts[] = {
        "/sys/devices/system/node/online",         "/sys/devices/system/node/possible",
        "/sys/devices/system/node/has_cpu",        "/sys/devices/system/node/has_memory",
        "/sys/devices/system/node/node*/cpulist",  "/sys/devices/system/node/node*/cpumap",
        "/sys/devices/system/node/node*/distance", NULL};
    add_path(r, "/sys/devices/system/node", FS_READ_DIR);
    for (int i = 0; facts[i]; i++) {
        glob_t found = {0};
        if (glob(facts[i], 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) add_path(r, found.gl_pathv[k], FS_READ_FILE);
        globfree(&found);
    }
}

/* Folders of libraries that the administrator has told the dynamic linker of, such as CUDA's. */
static void add_linker_folders(sandbox_rules *r)
{
    glob_t found = {0};
    char line[PATH_MAX];
    if (glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "re");
        while (file && fgets(line, sizeof line, file)) {
            line[strcspn(line, " \t\r\n#")] = 0;
            bool beneath = strncmp(line, "/usr/lib", 8) == 0 || strncmp(line, "/lib", 4) == 0 ||
                           strncmp(line, "/usr/local/lib", 14) == 0;
            if (line[0] == '/' && line[1] && !beneath) add_path(r, line, READ_RIGHTS);
        }
        if (file) fclose(file);
    }
    globfree(&found);
}

static bool is_library(const char *name)
{
    const char *dot = strstr(name, ".so");
    return dot && (dot[3] == '\0' || dot[3] == '.');
}

/* A regular file that the dynamic linker would take. */
static bool is_elf(int folder, const char *name, int flags)
{
    char magic[4] = "";
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0) return false;
    bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && pread(fd, magic, 4, 0) == 4 &&
                memcmp(magic, "\177ELF", 4) == 0;
    close(fd);
    return good;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool same_folder(const char *a, const char *b)
{
    size_t length = folder_length(a);
    return folder_length(b) == length && memcmp(a, b, length) == 0;
}

static bool is_other(const sandbox_files *files, const char *plugin, const char *name)
{
    size_t length = folder_length(plugin);
    for (int i = 0; files->others && files->others[i]; i++)
        if (same_folder(files->others[i], plugin) && strcmp(files->others[i] + length + 1, name) == 0) return true;
    return false;
}

/* A plugin may bring libraries in its own folder. Other files there stay out of reach. */
static void add_siblings(sandbox_rules *r, const sandbox_files *files, const char *plugin)
{
    char folder[PATH_MAX];
    if (!strchr(plugin, '/') || folder_length(plugin) >= sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", (int)folder_length(plugin), plugin);
    DIR *dir = opendir(*folder ? folder : "/");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
        if (!is_library(entry->d_name) || is_other(files, plugin, entry->d_name)) continue;
        if (!is_elf(dirfd(dir), entry->d_name, O_NOFOLLOW)) continue;
        int fd = openat(dirfd(dir), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            add(r, fd, FS_READ_FILE);
        else
            r->failed |= errno == EMFILE || errno == ENFILE;
    }
    if (dir) closedir(dir);
}

/* The plugin's own path may be a link that the user made; what it names must be a library all the same. */
static void add_plugins(sandbox_rules *r, const sandbox_files *files)
{
    for (int i = 0; files->plugins && files->plugins[i]; i++) {
        const char *path = files->plugins[i];
        bool seen = false;
        if (is_elf(AT_FDCWD, path, 0)) add_path(r, path, FS_READ_FILE);
        for (int k = 0; k < i && !seen; k++) seen = same_folder(files->plugins[k], path);
        if (!seen) add_siblings(r, files, path);
    }
}

static void add_programs(sandbox_rules *r, const sandbox_files *files)
{
    static const char *const linkers[] = {"/lib64/ld-*.so.*", "/lib/ld-*.so.*", "/lib/*/ld-*.so.*", NULL};
    for (int i = 0; files->programs && files->programs[i]; i++)
        add_path(r, files->programs[i], FS_READ_FILE | FS_EXECUTE);
    for (int i = 0; files->programs && linkers[i]; i++) {
        glob_t found = {0};
        if (glob(linkers[i], 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) add_path(r, found.gl_pathv[k], FS_READ_FILE | FS_EXECUTE);
        globfree(&found);
    }
}

static bool is_script(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot != name && strcmp(dot, ".py") == 0;
}

static bool is_listed(const char *const *list, const char *path)
{
    for (; list && *list; list++)
        if (strcmp(*list, path) == 0) return true;
    return false;
}

typedef struct script_walk {
    sandbox_rules *rules;
    const sandbox_files *files;
    int left; /* files that may still be granted */
} script_walk;

static void add_scripts_beneath(script_walk *w, const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && w->left > 0 && (entry = readdir(dir));) {
        char path[PATH_MAX];
        struct stat info;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "__pycache__") == 0) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) continue;
        if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISDIR(info.st_mode) && depth > 1) add_scripts_beneath(w, path, depth - 1);
        if (!S_ISREG(info.st_mode) || !is_script(entry->d_name) || is_listed(w->files->others, path)) continue;
        add_path(w->rules, path, FS_READ_FILE);
        w->left--;
    }
    if (dir) closedir(dir);
}

/* An import lists the folders that it looks into. */
static void add_modules(sandbox_rules *r, const sandbox_files *files, const char *folder)
{
    script_walk walk = {.rules = r, .files = files, .left = SCRIPT_FILES};
    add_path(r, folder, FS_READ_DIR);
    add_scripts_beneath(&walk, folder, SCRIPT_DEPTH);
}

static void add_scripts(sandbox_rules *r, const sandbox_files *files)
{
    for (int i = 0; files->scripts && files->scripts[i]; i++) {
        char folder[PATH_MAX];
        size_t length = folder_length(files->scripts[i]);
        if (!length || length >= sizeof folder) continue;
        snprintf(folder, sizeof folder, "%.*s", (int)length, files->scripts[i]);
        add_path(r, files->scripts[i], FS_READ_FILE);
        add_modules(r, files, folder);
    }
    for (int i = 0; files->modules && files->modules[i]; i++) add_modules(r, files, files->modules[i]);
}

cru_status rules_create(const sandbox_files *files, sandbox_rules **out, cru_error *err)
{
    sandbox_rules *r = calloc(1, sizeof *r);
    *out = r;
    if (!r) return cru_fail(err, CRU_NO_MEMORY, "no memory for the sandbox");
    int most = files->landlock_most;
    r->version = rules_version();
    if (most && r->version > most) r->version = most > 0 ? most : 0;
    if (!r->version) return CRU_OK;
    for (int i = 0; files->libraries && system_files[i]; i++) add_path(r, system_files[i], READ_RIGHTS);
    if (files->libraries) add_linker_folders(r);
    if (files->libraries) add_nodes(r);
    if (files->libraries) add_path(r, "/dev/null", FS_READ_FILE | FS_WRITE_FILE);
    add_plugins(r, files);
    add_programs(r, files);
    add_scripts(r, files);
    for (int i = 0; files->readable && files->readable[i]; i++) add_path(r, files->readable[i], READ_RIGHTS);
    for (int i = 0; files->writable && files->writable[i]; i++) add_path(r, files->writable[i], WRITE_RIGHTS);
    if (!r->failed) return CRU_OK;
    rules_destroy(r);
    *out = NULL;
    return cru_fail(err, CRU_NO_MEMORY, "no memory or no descriptors for the sandbox");
}

void rules_destroy(sandbox_rules *r)
{
    if (!r) return;
    for (int i = 0; i < r->count; i++) close(r->items[i].fd);
    free(r->items);
    free(r);
}

/* ---- making ---------------------------------------------------------------------------------------------- */

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

static bool permit(int ruleset, int fd, uint64_t rights)
{
    path_attr attr = {rights, fd};
    return syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr, 0) == 0;
}

cru_status rules_make(const sandbox_rules *r, int scratch, int *ruleset, cru_error *err)
{
    uint64_t handled;
    *ruleset = -1;
    if (!r->version) return CRU_OK;
    int fd = ruleset_create(r->version, &handled);
    bool good = fd >= 0;
    for (int i = 0; good && i < r->count; i++) good = permit(fd, r->items[i].fd, r->items[i].rights & handled);
    if (good && scratch >= 0) good = permit(fd, scratch, WRITE_RIGHTS & handled);
    *ruleset = good ? fd : -1;
    if (good) return CRU_OK;
    cru_fail(err, CRU_FAILED, "cannot prepare the sandbox (Landlock): %s", strerror(errno));
    if (fd >= 0) close(fd);
    return CRU_FAILED;
}
