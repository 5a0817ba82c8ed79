// SPDX-License-Identifier: Apache-2.0
/* labels.h: what methods say of labels that they have not learned from: the experiment clean/TASK.ini, read into
 * evidence. */
#ifndef CORE_CLI_LABELS_H
#define CORE_CLI_LABELS_H

#include "clean/evidence.h"
#include "cli/look.h"

typedef struct labels_request {
    const char *dataset, *config, *db; /* config and db may be NULL */
    const char *methods;               /* instead of those of the file; NULL: those */
    const cli_words *sets;             /* settings of the dataset */
    int64_t seeds, jobs;               /* 0: as the file says; one a core */
    bool quiet;
    const look *data; /* from look_at; labels that are not candidate sets */
} labels_request;

/* Runs what has no result yet and concludes. CLI_OK or, where some trials failed, CLI_PARTLY; else an exit code after
 * the fault was printed. The caller destroys *out, which may be NULL, in any case. */
int labels_weigh(const labels_request *q, evidence **out);

#endif
