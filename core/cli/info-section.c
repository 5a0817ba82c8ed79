// SPDX-License-Identifier: Apache-2.0
#include "cli/info-section.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/param-table.h"

/* Where its values may differ; NULL: nowhere. */
static const char *scope_text(const host_section *s)
{
    if (strcmp(s->name, "split") == 0) return "[split on DATASET] for one dataset";
    if (strcmp(s->name, "monitor") == 0) return "[monitor for METHOD on DATASET] for one method, one dataset, or both";
    if (strcmp(s->name, "preprocess") == 0)
        return "[preprocess for METHOD on DATASET] for one method, one dataset, or both";
    return NULL;
}

static const char *lists_text(const host_section *s)
{
    return s->grid ? "a list makes a trial of each value" : "one value a key";
}

int info_section_text(const host_section *s)
{
    printf("%s[%s]%s (section of an experiment file)\n  %s\n\n  %-10s %s\n", cli_paint(stdout, CLI_BOLD), s->name,
           cli_paint(stdout, CLI_PLAIN), s->summary, "values", lists_text(s));
    if (scope_text(s)) printf("  %-10s %s\n", "others", scope_text(s));
    param_table_text(s->params);
    return CLI_OK;
}

int info_section_markdown(const host_section *s)
{
    printf("## [%s]\n\n%c%s. Values: %s.\n", s->name, s->summary[0] - 'a' + 'A', s->summary + 1, lists_text(s));
    if (scope_text(s)) printf("Other values: %s.\n", scope_text(s));
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
