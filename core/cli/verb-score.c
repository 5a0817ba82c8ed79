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
        {.name = "quiet",
         .letter = 'q',
         .flag = &q.quiet,
         .help = "no progress and no table; errors are still printed"},
        {.name = "json", .flag = &q.json, .help = "one JSON object a line: every trial, then a summary"},
        {.name = "quick", .flag = &q.quick, .help = "of an artefact: with the values of its [quick]"},
        {.name = "only",
         .argument = "KEY=VALUES",
         .words = &q.only,
         .help = "of an artefact: only these cells, as method=gcn,nrgnn or dataset=cora; may be repeated"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "score",
        .about =
            "Judges by the metrics of an experiment what was trained before under other metrics, from the scores that\n"
            "the store keeps ([run] keep), and prints the results. It trains nothing: 'crucible run' does the same "
            "and\n"
            "then trains what is left. Metrics that a trial was judged by before keep their numbers; the others are\n"
            "judged from 16 bits a value, so that what depends on the predicted class alone is exact and other "
            "metrics\n"
            "may move a little (by less than 0.001 in the tests). 'crucible show' tells which trials were judged so.\n"
            "Exit codes: 0 when every trial of the experiment has a result, 3 when some have none, 1 when none has "
            "one\n"
            "or the store is not there, 2 when the command line or a file is wrong.",
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
