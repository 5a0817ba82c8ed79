// SPDX-License-Identifier: Apache-2.0
#include "edge-text.h"

#include "decimal.h"

cru_status edge_text_read(const blob *text, int64_t nodes, edge_list *list, cru_error *err)
{
    cursor c = {(const char *)text->bytes, (const char *)text->bytes + text->size, text->name, 1};
    cursor_next_line(&c); /* the header */
    for (; cursor_more(&c); cursor_next_line(&c)) {
        edge e = {.weight = 1};
        bool sound = cursor_whole(&c, &e.from);
        cursor_skip(&c, ",");
        sound = sound && cursor_whole(&c, &e.to);
        cursor_skip(&c, "");
        sound = sound && cursor_at_line_end(&c) && e.from >= 0 && e.from < nodes && e.to >= 0 && e.to < nodes;
        cru_status status = sound ? edge_list_add(list, e, err) : cursor_fail(&c, "expected two node numbers", err);
        if (status) return status;
    }
    return CRU_OK;
}
