// SPDX-License-Identifier: Apache-2.0
/* claims-study.h: the claims of a study, checked against its artefacts in stores. */
#ifndef CORE_CLI_CLAIMS_STUDY_H
#define CORE_CLI_CLAIMS_STUDY_H

#include "cli/session.h"
#include "study/claims.h"

/* results: in print, and in ours. */
typedef void claims_visitor(void *user, const claim *c, const claim_result results[2]);

typedef struct claims_request {
    const char *study, *only; /* `only`: one claim, or NULL */
    const session_request *q;
    const cli_words *dbs;
    claims_visitor *visit;
    void *user;
} claims_request;

/* Visits every claim in the order of the file. *any: there was one; a study without a file of claims has none. Returns
 * CLI_OK, or an exit code after a message. */
int claims_of_study(const claims_request *r, bool *any);

/* "holds in 12 of 12", "open, missing accuracy[...]" */
void claims_say(const claim_result *r, char *text, size_t size);

#endif
