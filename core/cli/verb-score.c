// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "cli/verbs.h"

int verb_score(int argc, char **argv)
{
    session_request q = {.score_only = true};
    const cli_option options[] = {
        {.name = "db", .argument = "FILE", .text = &q.db, .help = "where results are kept; default: results.db"},
        {.name = "set",
         .argument = "SECTION.KEY=VALUE",
         .words = &q.sets,
         .help = "override a setting, such as experiment.metrics=accuracy,auroc; may be repeated"},
        {.name = "quiet", .letter = 'q', .flag = &q.quiet, .help = "no table; errors are still printed"},
        {.name = "quick", .flag = &q.quick, .help = "of an artefact: with the values of its [quick]"},
        {.name = "only",
         .argument = "KEY=VALUES",
         .words = &q.only,
         .help = "of an artefact: only these cells; may be repeated"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "score",
        .about = "Judges the trials of an experiment that have a result by those of its metrics that they lack, from the\n"
                 "scores that their run kept ([run] keep), and prints the results. 'crucible run' does the same before\n"
                 "it trains what is missing; this trains nothing. Kept scores have 16 bits a value: what depends on the\n"
                 "predicted class alone is exact, other metrics may differ in the fourth digit, and 'crucible show'\n"
                 "marks them. Metrics that were measured when a trial was run stay as they are.\n"
                 "Exit codes: 0 when every trial has a result and all its metrics, 3 when some have not.",
        .operands = "FILE|ARTEFACT|STUDY...",
        .least = 1,
        .most = CLI_WORDS_MAX,
        .options = options,
    };
    int code = cli_parse(&syntax, argc, argv, &q.files);
    if (code != CLI_GO_ON) return code;
    if (q.db && !*q.db) return cli_wrong("--db: the path of the results store is empty");
    return session_dispatch(&q);
}
