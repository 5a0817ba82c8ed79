// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "cli/verbs.h"

int verb_run(int argc, char **argv)
{
    const cli_syntax syntax = {
        .verb = "run",
        .about =
            "Runs the trials of an experiment that have no result yet, each in a process of its own, and prints\n"
            "the results. Later files override earlier ones. An interrupted run goes on where it stopped; trials\n"
            "that another process is running are waited for. An experiment with a [search] is searched first,\n"
            "as 'crucible search' does. Trials that differ from earlier ones in nothing but metrics are judged from "
            "the\n"
            "scores that the store keeps, without training ([run] keep, 'crucible score').\n"
            "A trial that crashed, failed or ran out of memory or time keeps that outcome, and the last line\n"
            "counts such trials; --retry failed runs them again, for instance under a longer [run] timeout.\n"
            "Where a dataset's files are missing or damaged the run ends and its trials stay to be run.\n"
            "Exit codes: 0 when every trial of the experiment has a result, 3 when some have none, 1 when none has\n"
            "one, when the run was interrupted or could not go on, 2 when the command line or a file is wrong.",
    };
    return session_command(&syntax, false, argc, argv);
}
