// SPDX-License-Identifier: Apache-2.0
/* The main function of every unit test: a test file defines `suite`. */
#include <check.h>
#include <stdlib.h>

Suite *suite(void);

/* Check gives a test 4 s of the clock on the wall: a machine that is busy, or was stopped for a while, makes a right
 * test fail. These limits only end what hangs. Read by Check when the suite is made; the environment wins. */
static void be_patient(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "300", 0);
    setenv("CK_TIMEOUT_MULTIPLIER", "3", 0);
}

int main(void)
{
    be_patient();
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
