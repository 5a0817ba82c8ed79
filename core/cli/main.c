#include <signal.h>

#include "cli/cli.h"
#include "cli/verbs.h"

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is an error like any other */
    int code = verbs_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) return cli_fail("cannot write to standard output");
    return code;
}
