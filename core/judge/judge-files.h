// SPDX-License-Identifier: Apache-2.0
/* judge-files.h: what a judge may open. */
#ifndef CORE_JUDGE_FILES_H
#define CORE_JUDGE_FILES_H

#include "judge/judge.h"

/* A ruleset of Landlock (sandbox-rules.h), to be closed; -1: the kernel has none. It lets a judge read the system's
 * libraries, the plugins of its kinds, the folders of cards, and of all data files only those that the cards of the
 * experiment's datasets name; and write to the cache of prepared data. A file that is not there now, or is replaced
 * later, is out of reach. */
cru_status judge_files(const judge_setup *setup, const data_places *places, int *ruleset, cru_error *err);

/* Locks the calling process, which is about to open this dataset and do nothing else with plugins: it may do what a
 * judge of this dataset may. For `stats` and `fetch`. Where the kernel has no locks nothing happens. */
cru_status judge_lock_for(const data_request *request, cru_error *err);

#endif
