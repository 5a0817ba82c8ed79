// SPDX-License-Identifier: Apache-2.0
/* session.h: what `run` and `search` share: carrying out an experiment, from its files to the table at the end. */
#ifndef CORE_CLI_SESSION_H
#define CORE_CLI_SESSION_H

#include "cli/cli.h"

typedef struct session_request {
    cli_words files, sets;
    const char *db, *retry;
    int64_t jobs;
    bool quiet, json, force, in_process, trace, profile;
    bool must_search; /* an experiment without a search is a mistake */
} session_request;

/* The verb's whole work: parses the command line into a request, all of whose targets are options, and carries it out.
 * Returns an exit code. `syntax` lacks operands and options. */
int session_command(const cli_syntax *syntax, bool must_search, int argc, char **argv);

#endif
