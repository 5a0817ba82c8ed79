// SPDX-License-Identifier: Apache-2.0
/* settings-table.h: a published table of settings beside those that the experiments of an artefact have.
 *
 * The CSV has the columns method, key (as printed), setting (ours; empty: we have none), default and search, the latter
 * in the words of search(...). An empty default or search says nothing. */
#ifndef CORE_CLI_SETTINGS_TABLE_H
#define CORE_CLI_SETTINGS_TABLE_H

#include "cli/artefact-run.h"

/* In the memory of the artefact. Returns CLI_OK, or an exit code after a message. */
int settings_table_make(const artefact_view *v, settings_table *out);

/* Text, markdown or CSV. */
int settings_table_print(const artefact_view *v, const settings_table *t, report_format format, FILE *out);

#endif
