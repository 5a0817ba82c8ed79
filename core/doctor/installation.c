// SPDX-License-Identifier: Apache-2.0
/* The sandbox that the kernel offers, plugin folders, cache. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/strings.h"
#include "doctor/doctor.h"
#include "loader/cache.h"
#include "loader/loader.h"
#include "worker/device.h"
#include "worker/sandbox.h"

void doctor_sandbox(doctor_report *report)
{
    sandbox_support kernel = sandbox_probe(0);
    doctor_note(report, kernel.seccomp ? DOCTOR_OK : DOCTOR_WARN, "seccomp",
                kernel.seccomp ? "filters available" : "the kernel offers no filters", kernel.missing);
    doctor_note(report, kernel.landlock ? DOCTOR_OK : DOCTOR_WARN, "Landlock",
                kernel.landlock ? string_format(report->memory, "version %d", kernel.landlock)
                                : "not in this kernel, or disabled at boot",
                "a plugin can read files while it is being loaded, and has no scratch folder; "
                "boot with lsm=landlock,... or use Linux 5.13 or newer");
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

/* Opens the first card of every backend: what it says is what a run would say. */
static void note_devices(doctor_report *report, const registry *plugins)
{
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (entry->kind != CRU_KIND_BACKEND || entry->broken) continue;
        cru_error err = {0};
        const bool opens = device_probe(&(device_choice){.backend = entry, .card_count = 1}, false, &err) == CRU_OK;
        doctor_note(report, opens ? DOCTOR_OK : DOCTOR_MISSING, "device",
                    opens ? string_format(report->memory, "%s: its first card opens", entry->name) : err.text,
                    string_format(report->memory, "only for device = %s", entry->name));
    }
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
    note_devices(report, plugins);
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
