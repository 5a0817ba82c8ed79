#include "cli/session.h"
#include "cli/verbs.h"

int verb_run(int argc, char **argv)
{
    const cli_syntax syntax = {
        .verb = "run",
        .about = "Runs the trials of an experiment that have no result yet, each in a process of its own, and prints\n"
                 "the results. Later files override earlier ones. An interrupted run goes on where it stopped; trials\n"
                 "that another process is running are waited for. An experiment with a [search] is searched first,\n"
                 "as 'crucible search' does.",
    };
    return session_command(&syntax, false, argc, argv);
}
