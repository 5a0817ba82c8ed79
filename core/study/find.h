// SPDX-License-Identifier: Apache-2.0
/* find.h: studies and their artefacts by name.
 *
 * A study is a folder; its artefacts are the files table-*.ini and figure-*.ini in it, and others whose own section
 * [artefact] has a title, as "atlas/nodes". "noisygl/table-a4" names an
 * artefact, "noisygl" the study. Folders of studies: CRUCIBLE_STUDIES, beside the program, installed,
 * in the source tree of a program that was not installed; the first that has the name wins. */
#ifndef CORE_STUDY_FIND_H
#define CORE_STUDY_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include <crucible/status.h>

typedef struct study_list {
    char **items; /* texts to be freed, by name */
    int64_t count;
} study_list;
void study_list_clear(study_list *list);

/* The names of all studies that have artefacts: "gad", "igl", ... `folders` (may be NULL): further ones. */
cru_status study_names(const char *folders, study_list *out, cru_error *err);

/* The names of a study's artefacts, tables before figures, numbers in their order: "noisygl/table-1", ... None when
 * there is no such study. */
cru_status study_artefacts(const char *folders, const char *study, study_list *out, cru_error *err);

/* The path of "noisygl/table-a4", or of another file of the study as "noisygl/claims"; to be freed. NULL: there is
 * none. */
char *study_path(const char *folders, const char *name);

#endif
