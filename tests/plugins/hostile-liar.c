// SPDX-License-Identifier: Apache-2.0
/* Predicts class 0 for all and says over the host's own connection that it was quick and good; and lets its words steer
 * the reader's terminal. */
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "protocol/protocol.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    int64_t count = s->task->items * s->task->classes;
    worker_message m = {.type = WORKER_OUTCOME,
                        .outcome = STORE_OK,
                        .epoch = 7,
                        .value = INFINITY,
                        .loss = -INFINITY,
                        .seconds_construct = -5,
                        .seconds_train = -INFINITY};
    for (int64_t i = 0; i < count; i++) s->scores[i] = i % s->task->classes == 0;
    const worker_message best = {.type = WORKER_BETTER, .epoch = 7, .value = 0.99, .loss = 0.01};
    for (int fd = 3; fd < 16; fd++)
        if (write(fd, &best, sizeof best) == (ssize_t)sizeof best && write(fd, &m, sizeof m) == (ssize_t)sizeof m)
            break;
    (void)monitor;
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-liar",
    .version = "1.0",
    .summary = "good \033[2J\033]0;title\007 \xc2\x9b"
               "31m \xe2\x80\xae backwards",
    .problems = STUB_PROBLEMS,
    .vtable = &vtable,
};
