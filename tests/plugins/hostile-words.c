// SPDX-License-Identifier: Apache-2.0
/* Prints and says what would steer a terminal. */
#include <stdio.h>

#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    (void)monitor;
    fputs("printed \033[31m \xc2\x9b 5n\n", stderr);
    return cru_ctx_fail(s->ctx, CRU_FAILED, "said \033]0;owned\007 and \xe2\x80\xae turned");
}

STUB_ALGORITHM("hostile-words", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
