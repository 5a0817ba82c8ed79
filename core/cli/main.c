// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "cli/cli.h"
#include "cli/verbs.h"

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is an error like any other */
    int code = verbs_run(argc, argv);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (!written && code == CLI_OK) return cli_fail("cannot write to standard output"); /* else it was told */
    return code;
}
