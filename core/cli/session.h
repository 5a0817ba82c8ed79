// SPDX-License-Identifier: Apache-2.0
/* session.h: what `run` and `search` share: carrying out an experiment, from its files to the table at the end. */
#ifndef CORE_CLI_SESSION_H
#define CORE_CLI_SESSION_H

#include "cli/cli.h"
#include "host/agenda.h"

typedef struct session_request {
    cli_words files, sets;
    const char *db, *retry;
    int64_t jobs;
    bool quiet, json, force, in_process, trace, profile;
    bool must_search; /* an experiment without a search is a mistake */
    bool quick;       /* the values of [quick] hold */
    bool score_only;  /* judge what can be judged from kept scores, train nothing */
    bool enter_only;  /* note the trials in the store, run none; of a search nothing is noted */
    bool no_search;   /* an experiment with a search is left alone */
    bool no_table;    /* nothing is printed on standard output at the end */
    double deadline;  /* by clock_now: no trial is begun afterwards; 0: none */
    agenda_filter *takes_part;
    void *takes_part_user;
    const char *shard, *costs, *plan; /* of --shard: "3/7", a store with times, a folder with a division */

    /* Called instead of running: the trials are noted in the store, and `a`, NULL for a search, knows which are left.
     * Returns an exit code. */
    int (*instead)(void *user, const experiment *e, const agenda *a);
    void *instead_user;

    /* of artefacts */
    cli_words only;
    bool of_many; /* several: one of which --only leaves nothing is passed over */
    const char *published, *hours, *format, *out;
} session_request;

/* Carries out the experiment of the request's files. Returns an exit code. */
int session_run(const session_request *q);

/* Carries out what the request's files name: artefacts and studies, or one experiment. Returns an exit code. */
int session_dispatch(const session_request *q);

/* The verb's whole work: parses the command line into a request, all of whose targets are options, and carries it out.
 * Returns an exit code. `syntax` lacks operands and options. */
int session_command(const cli_syntax *syntax, bool must_search, int argc, char **argv);

#endif
