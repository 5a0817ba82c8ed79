// SPDX-License-Identifier: Apache-2.0
/* Says much while it trains: two lines of its own, a warning, and more than anyone wants to keep. */
#include <stdio.h>

#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    cru_ctx_log(s->ctx, "the first line");
    cru_ctx_log(s->ctx, "warning: the moon is full");
    cru_ctx_log(s->ctx, "warning: and the tide is high");
    for (int i = 0; i < 2000; i++) cru_ctx_log(s->ctx, "line %d of many", i);
    cru_ctx_log(s->ctx, "the last line \033[31mred");
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("fit-log", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
