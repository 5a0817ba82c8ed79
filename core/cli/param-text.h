// SPDX-License-Identifier: Apache-2.0
/* A row of a parameter table in words. Each writes at most `size` bytes to `text` and returns it. */
#ifndef CORE_CLI_PARAM_TEXT_H
#define CORE_CLI_PARAM_TEXT_H

#include <crucible/params.h>

const char *param_type_name(cru_param_type type);
const char *param_default(const cru_param *param, char *text, size_t size); /* "64", "true", "sym", "" */
const char *param_range(const cru_param *param, char *text, size_t size);   /* "1..512", ">= 0", "sym|rw", "" */
const char *param_search(const cru_param *param, char *text, size_t size);  /* "log-uniform 0.001..0.1", "" */

#endif
