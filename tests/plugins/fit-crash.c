/* Writes through a null pointer while it trains. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    int *volatile nowhere = NULL;
    (void)self;
    (void)monitor;
    *nowhere = 1;
    return CRU_OK;
}

STUB_ALGORITHM("fit-crash", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
