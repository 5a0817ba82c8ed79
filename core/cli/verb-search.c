// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "cli/verbs.h"

int verb_search(int argc, char **argv)
{
    const cli_syntax syntax = {
        .verb = "search",
        .about =
            "Searches settings of the methods of an experiment, chooses by validation score and prints the test\n"
            "results of what was chosen. The section [search] says how: method = grid, random or tpe; trials and\n"
            "minutes limit one search; per = seed, first-seed or all-seeds. Searched is every setting that has a\n"
            "distribution (see 'crucible info') and that the files do not set, or set to search(...), as in\n"
            "lr = search(log 1e-4 1e-1) or batch_size = search(power-of-2 6 9 default 256), which also says\n"
            "what the first setting, that of the defaults, takes.\n"
            "An interrupted search goes on where it stopped and ends with the same choice. Trials without a result,\n"
            "missing data and exit codes are as 'crucible run --help' says.",
    };
    return session_command(&syntax, true, argc, argv);
}
