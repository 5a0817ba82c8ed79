// SPDX-License-Identifier: Apache-2.0
/* crucible merge: one store from several. */
#include "cli/cli.h"
#include "cli/merging.h"
#include "cli/verbs.h"

int verb_merge(int argc, char **argv)
{
    merging m = {0};
    const cli_option options[] = {
        {.name = "strict", .flag = &m.strict, .help = "merge nothing when an input cannot be read or a result differs"},
        {.name = "quiet", .letter = 'q', .flag = &m.quiet, .help = "print nothing but what is wrong"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "merge",
        .operands = "OUT.db IN.db|FOLDER...",
        .least = 2,
        .most = CLI_WORDS_MAX,
        .options = options,
        .about =
            "Adds the trials of stores, or of all stores of a folder, to OUT.db, which is made when it is not there.\n"
            "A result beats a failure, a failure a trial that is still to be run. A trial with a result in two\n"
            "stores must have the same bits in both; one that has not is named. Merging again changes nothing; a\n"
            "merge that is interrupted leaves OUT.db as it was. A store that is damaged is named and passed over.\n"
            "Exit codes: 0 when all is merged, 3 when a store was passed over or a result differs, 1 when nothing\n"
            "could be merged, 2 for a wrong command line.",
    };
    cli_words words;
    int code = cli_parse(&syntax, argc, argv, &words);
    if (code != CLI_GO_ON) return code;
    m.out = words.word[0];
    for (int i = 1; code == CLI_GO_ON && i < words.count; i++) code = merging_add(&m, words.word[i]);
    if (code == CLI_GO_ON && !m.count) code = cli_fail("there is no store (*.db) to merge");
    if (code == CLI_GO_ON) code = merging_run(&m);
    merging_clear(&m);
    return code;
}
