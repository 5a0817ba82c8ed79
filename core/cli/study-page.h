// SPDX-License-Identifier: Apache-2.0
/* study-page.h: artefacts as one HTML page. */
#ifndef CORE_CLI_STUDY_PAGE_H
#define CORE_CLI_STUDY_PAGE_H

#include "cli/artefact-run.h"

/* An index, the claims of their studies, every artefact, and all trials for download. Returns an exit code. */
int study_page_write(const session_request *q, const artefact_words *named, const cli_words *dbs, FILE *out);

#endif
