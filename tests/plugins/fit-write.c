// SPDX-License-Identifier: Apache-2.0
/* Writes a file into the folder that TRESPASS names, or else the working directory. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    char path[4096];
    const char *folder = getenv("TRESPASS");
    snprintf(path, sizeof path, "%s/trespass", folder ? folder : ".");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) return cru_ctx_fail(s->ctx, CRU_IO, "writing is forbidden");
    close(fd);
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("fit-write", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
