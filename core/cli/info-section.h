// SPDX-License-Identifier: Apache-2.0
/* info-section.h: what a section of an experiment file may hold. */
#ifndef CORE_CLI_INFO_SECTION_H
#define CORE_CLI_INFO_SECTION_H

#include "config/sections.h"

typedef struct cJSON cJSON;

int info_section_text(const host_section *s);
int info_section_markdown(const host_section *s);
cJSON *info_section_json(const host_section *s);

#endif
