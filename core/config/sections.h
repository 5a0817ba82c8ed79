// SPDX-License-Identifier: Apache-2.0
/* sections.h: the host's own sections of an experiment file by name, with their tables: what `crucible info SECTION`
 * and configs/REFERENCE.md say of them. */
#ifndef CORE_CONFIG_SECTIONS_H
#define CORE_CONFIG_SECTIONS_H

#include <stdbool.h>

#include <crucible/params.h>

typedef struct host_section {
    const char *name, *summary;
    const cru_param *params;
    bool grid; /* a list of values makes a trial of each */
} host_section;

/* In the order in which a reader meets them; a NULL name ends them. */
extern const host_section host_sections[];

const host_section *host_section_find(const char *name); /* NULL when there is none */

#endif
