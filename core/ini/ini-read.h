/* ini-read.h: INI text through inih, with what inih leaves out: line numbers, an error for a line that its fixed buffer
 * would cut in two, and a word on which entries continue the one before them. */
#ifndef CORE_INI_READ_H
#define CORE_INI_READ_H

#include <stdbool.h>

#include <crucible/status.h>

typedef struct ini_entry {
    const char *section, *key, *value; /* valid during the call only */
    int line;
    bool continued; /* an indented line: `value` goes on where the last one of this key ended */
} ini_entry;

/* Called for every key in order. A status other than CRU_OK ends the reading. */
typedef cru_status ini_visitor(void *user, const ini_entry *entry, cru_error *err);

/* Reads `text`; `path` names it in messages ("path:line: ..."). Returns the visitor's failure, or CRU_BAD_INPUT for a
 * line that is neither section, key nor comment, or that is too long. */
cru_status ini_read(const char *text, const char *path, ini_visitor *visit, void *user, cru_error *err);

#endif
