// SPDX-License-Identifier: Apache-2.0
/* The main function of every unit test: a test file defines `suite`. */
#include <check.h>
#include <stdlib.h>

Suite *suite(void);

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
