// SPDX-License-Identifier: Apache-2.0
#include "cli/info-section.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/param-table.h"

static const char *lists_text(const host_section *s)
{
    return s->grid ? "a list makes a trial of each value" : "one value a key";
}

int info_section_text(const host_section *s)
{
    printf("%s[%s]%s (section of an experiment file)\n  %s\n\n  %-10s %s\n", cli_paint(stdout, CLI_BOLD), s->name,
           cli_paint(stdout, CLI_PLAIN), s->summary, "values", lists_text(s));
    param_table_text(s->params);
    return CLI_OK;
}

int info_section_markdown(const host_section *s)
{
    printf("## [%s]\n\n%c%s. Values: %s.\n", s->name, s->summary[0] - 'a' + 'A', s->summary + 1, lists_text(s));
    param_table_markdown(s->params);
    putchar('\n');
    return CLI_OK;
}

cJSON *info_section_json(const host_section *s)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", s->name);
    json_add_text(object, "kind", "section");
    json_add_text(object, "summary", s->summary);
    cJSON_AddBoolToObject(object, "lists", s->grid);
    cJSON_AddItemToObject(object, "params", param_table_json(s->params));
    return object;
}
