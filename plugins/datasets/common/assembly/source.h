// SPDX-License-Identifier: Apache-2.0
/* source.h: the files of a card by their roles. */
#ifndef FORMATS_SOURCE_H
#define FORMATS_SOURCE_H

#include <crucible/plugin.h>

/* The path of the file with that role; NULL when the card names none. */
const char *source_file(const cru_source *source, const char *role);

/* The path of a file that the format cannot do without: CRU_BAD_INPUT says which role is missing. */
cru_status source_need(const cru_source *source, const char *role, const char **path, cru_error *err);

#endif
