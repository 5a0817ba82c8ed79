/* worker.h: the process in which a method runs. */
#ifndef CORE_RUNNER_WORKER_H
#define CORE_RUNNER_WORKER_H

#include <crucible/trace.h>

#include "config/config.h"
#include "runner/protocol.h"
#include "runner/sandbox.h"

typedef struct worker_job {
    const trial *trial;
    bool inductive;               /* trial_inductive */
    const monitor_settings *rule; /* of the trial's monitor */
    const cru_settings *settings; /* of its algorithm */
    const run_settings *run;
    const registry_entry *backend; /* NULL: the CPU */
    int32_t card;                  /* which of the backend's devices */
    const sandbox *box;            /* NULL: no sandbox */
    const char *scratch;           /* folder for TMPDIR; NULL: none */
    score_shape shape;
    cru_trace_sink *trace; /* told of every operator, in process only; NULL: nobody is */
    void *trace_user;
    int socket;            /* packets to the host */
    int task, scores, log; /* memory files: the task, where scores go, what the method prints */
} worker_job;

/* Runs the trial in a process that was just forked from `parent`, and leaves it. Exit code 0 says that an outcome was
 * sent; anything else is a crash. */
_Noreturn void worker_main(const worker_job *job, int parent);

/* Runs the trial in the calling process: no limits, no sandbox, no handlers, no learning curve, and no rule that needs
 * an answer from the host. */
void worker_run_here(const worker_job *job);

#endif
