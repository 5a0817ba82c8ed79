// SPDX-License-Identifier: Apache-2.0
/* doctor.h: what the machine and the installation offer, as a list of findings. */
#ifndef CORE_DOCTOR_H
#define CORE_DOCTOR_H

#include <crucible/arena.h>

typedef enum doctor_state { DOCTOR_OK, DOCTOR_WARN, DOCTOR_MISSING } doctor_state;

typedef struct doctor_finding {
    doctor_state state;
    const char *topic;  /* "seccomp" */
    const char *detail; /* what was found */
    const char *advice; /* what to do; NULL when nothing is needed */
} doctor_finding;

enum { DOCTOR_FINDINGS_MAX = 64 };

/* Findings in the order in which they are shown; texts live in `memory`. */
typedef struct doctor_report {
    cru_arena *memory;
    doctor_finding findings[DOCTOR_FINDINGS_MAX];
    int count;
} doctor_report;

/* Appends a finding; `detail` is copied. */
void doctor_note(doctor_report *report, doctor_state state, const char *topic, const char *detail, const char *advice);

/* The parts of an examination. The last scans the plugin folders. */
void doctor_machine(doctor_report *report);
void doctor_libraries(doctor_report *report);
void doctor_sandbox(doctor_report *report);
void doctor_gpu(doctor_report *report);
void doctor_plugins(doctor_report *report);

#endif
