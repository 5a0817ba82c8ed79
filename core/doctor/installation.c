/* The sandbox that the kernel offers, plugin folders, cache. */
#include <errno.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config/strings.h"
#include "doctor/doctor.h"
#include "loader/cache.h"
#include "loader/loader.h"

void doctor_sandbox(doctor_report *report)
{
    const uint32_t action = SECCOMP_RET_ERRNO;
    bool seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    doctor_note(report, seccomp ? DOCTOR_OK : DOCTOR_WARN, "seccomp",
                seccomp ? "filters available" : "the kernel offers no filters",
                "methods run without the system call filter; trust them or use another kernel");
    long landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    doctor_note(report, landlock > 0 ? DOCTOR_OK : DOCTOR_WARN, "Landlock",
                landlock > 0          ? string_format(report->memory, "version %ld", landlock)
                : errno == EOPNOTSUPP ? "disabled at boot"
                                      : "not in this kernel",
                "methods may write where you may; boot with lsm=landlock,... or use Linux 5.13 or newer");
}

static void note_folders(doctor_report *report)
{
    char **folders = loader_folders(NULL);
    for (char **folder = folders; folder && *folder; folder++) {
        struct stat s;
        bool exists = stat(*folder, &s) == 0 && S_ISDIR(s.st_mode);
        doctor_note(report, exists ? DOCTOR_OK : DOCTOR_MISSING, "plugin folder", *folder,
                    "searched, but not there; create it to drop plugins in");
    }
    folders_free(folders);
}

static void note_plugins(doctor_report *report)
{
    registry *plugins;
    cru_error err = {0};
    if (loader_scan(NULL, &plugins, NULL, &err) != CRU_OK) {
        doctor_note(report, DOCTOR_WARN, "plugins", err.text, "free memory or processes and try again");
        return;
    }
    size_t all = registry_count(plugins), broken = registry_broken_count(plugins);
    const char *detail = string_format(report->memory, "%zu found, %zu broken", all, broken);
    if (all == broken) {
        doctor_note(report, DOCTOR_MISSING, "plugins", detail, "install or build them; 'crucible list' shows more");
    } else {
        doctor_note(report, broken ? DOCTOR_WARN : DOCTOR_OK, "plugins", detail, "'crucible list' shows why");
    }
    registry_destroy(plugins);
}

static void note_cache(doctor_report *report)
{
    char *folder = cache_folder();
    doctor_note(report, folder ? DOCTOR_OK : DOCTOR_WARN, "cache folder", folder ? folder : "not writable",
                "set XDG_CACHE_HOME to a folder that is; until then every start reads all plugins");
    free(folder);
}

void doctor_plugins(doctor_report *report)
{
    note_folders(report);
    note_plugins(report);
    note_cache(report);
}
