// SPDX-License-Identifier: Apache-2.0
/* scaffold.h: a new plugin's folder, made from the templates in sdk/template. */
#ifndef CORE_SCAFFOLD_H
#define CORE_SCAFFOLD_H

#include <crucible/plugin.h>

typedef struct scaffold_request {
    cru_kind kind;
    const char *name;      /* of the plugin; lower-case-with-dashes */
    const char *folder;    /* to be made; must not exist */
    bool python;           /* a method in Python: its own template alone */
    const char *templates; /* the folder of templates; NULL: the one that belongs to this program */
} scaffold_request;

/* Copies the files of the template of that kind and those that all kinds share, with the plugin's name in the place of
 * @name@, in texts and in file names. The folder appears when all is written, or not at all. CRU_BAD_INPUT: a name that
 * no plugin may have, or a folder that exists. CRU_IO: the templates cannot be read or the folder cannot be written. */
cru_status scaffold_create(const scaffold_request *request, cru_error *err);

#endif
