// SPDX-License-Identifier: Apache-2.0
/* param-table.h: a table of settings as `crucible info` shows it, of plugins and of the host's own sections. */
#ifndef CORE_CLI_PARAM_TABLE_H
#define CORE_CLI_PARAM_TABLE_H

#include <crucible/params.h>

typedef struct cJSON cJSON;

void param_table_text(const cru_param *params);
void param_table_markdown(const cru_param *params);
cJSON *param_table_json(const cru_param *params); /* an array, empty for NULL */

#endif
