// SPDX-License-Identifier: Apache-2.0
/* edge-text.h: edges as text: a header line, then two node numbers a line with a comma or blanks between them. */
#ifndef FORMATS_EDGE_TEXT_H
#define FORMATS_EDGE_TEXT_H

#include "blob.h"
#include "edge-list.h"

/* Appends the edges to the list, which the caller frees in any case. CRU_BAD_INPUT: "name:line: ..." when a line is not
 * two numbers below `nodes`. */
cru_status edge_text_read(const blob *text, int64_t nodes, edge_list *list, cru_error *err);

#endif
