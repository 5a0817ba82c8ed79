// SPDX-License-Identifier: Apache-2.0
/* complete: the words that a shell may offer, one a line. The scripts of cli/shell ask it; people do not, so that help
 * does not list it. */
#include <string.h>

#include "cli/cli.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "config/sections.h"
#include "data/data.h"

static void print_keys(const char *section, const char *name, const cru_param *params)
{
    for (const cru_param *p = params; p && p->key; p++)
        printf("%s%s%s.%s=\n", section, name ? "." : "", name ? name : "", p->key);
}

/* What --set takes: those of the host's sections, and those of every plugin. */
static void print_all_keys(const registry *plugins)
{
    for (const host_section *s = host_sections; s->name; s++) print_keys(s->name, NULL, s->params);
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (!entry->broken) print_keys(kind_name(entry->kind), entry->name, entry->params);
    }
}

static void print_plugins(const registry *plugins, cru_kind kind)
{
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (!entry->broken && (!kind || entry->kind == kind)) puts(entry->name);
    }
}

static void print_card(void *user, const card *c, data_state state, const char *why)
{
    (void)user, (void)state, (void)why;
    if (c) puts(c->name);
}

static int print_words(const char *what, const outfit *with)
{
    const cru_kind kind = kind_parse(what);
    const bool all = strcmp(what, "names") == 0;
    if (strcmp(what, "keys") == 0) {
        print_all_keys(with->plugins);
    } else if (kind || all) {
        print_plugins(with->plugins, kind);
        if (all || kind == CRU_KIND_DATASET) data_visit(&with->places, print_card, NULL, NULL);
        for (const host_section *s = host_sections; all && s->name; s++) puts(s->name);
    } else {
        return cli_wrong("complete: '%s' is neither verbs, names, keys nor a kind of plugin", what);
    }
    return CLI_OK;
}

int verb_complete(int argc, char **argv)
{
    const cli_option options[] = {{0}};
    const cli_syntax syntax = {
        .verb = "complete",
        .operands = "verbs|names|keys|KIND",
        .least = 1,
        .most = 1,
        .options = options,
        .about = "Prints words for the completion of shells: the verbs, the names that 'crucible info' takes, the\n"
                 "settings that --set takes, or the plugins of a kind (datasets with their cards).",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (strcmp(operands.word[0], "verbs") == 0) {
        verbs_print_names();
        return CLI_OK;
    }
    outfit with;
    code = outfit_open(NULL, &with);
    if (code != CLI_GO_ON) return code;
    code = print_words(operands.word[0], &with);
    outfit_close(&with);
    return code;
}
