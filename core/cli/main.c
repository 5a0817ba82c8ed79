#include "cli/cli.h"
#include "cli/verbs.h"

int main(int argc, char **argv)
{
    int code = verbs_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) return cli_fail("cannot write to standard output");
    return code;
}
