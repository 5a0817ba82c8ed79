// SPDX-License-Identifier: Apache-2.0
/* Ways in which a plugin of the judge can go wrong, chosen by a setting. */
#ifndef TESTS_RUNNER_FAULTS_H
#define TESTS_RUNNER_FAULTS_H

#include <stdlib.h>
#include <unistd.h>

#include <crucible/plugin.h>

enum { FAULT_NONE, FAULT_CRASH, FAULT_HANG, FAULT_PANIC, FAULT_EXIT, FAULT_STATUS };
static const char *const fault_names[] = {"none", "crash", "hang", "panic", "exit", "status", NULL};

typedef struct fault_settings {
    int64_t fault;
} fault_settings;

static const cru_param fault_schema[] = {
    CRU_CHOICE(fault_settings, fault, FAULT_NONE, fault_names, "what goes wrong"),
    CRU_END,
};

static inline cru_status fault_happen(const fault_settings *s, cru_error *err)
{
    volatile int *volatile nowhere = (volatile int *)64;
    switch (s->fault) {
    case FAULT_CRASH:
        *nowhere = 1;
        break;
    case FAULT_HANG:
        while (pause()) continue;
        break;
    case FAULT_PANIC:
        cru_panic(CRU_FAILED, "an assertion of the test");
    case FAULT_EXIT:
        exit(7);
    case FAULT_STATUS:
        return cru_fail(err, CRU_UNSUPPORTED, "cannot be done");
    default:
        break;
    }
    return CRU_OK;
}

#endif
