// SPDX-License-Identifier: Apache-2.0
/* Options and help of a verb, from its one table. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { OPTIONS_MAX = 32, HELP = 1, FIRST_OPTION = 256 };

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    char left[80];
    snprintf(left, sizeof left, "--%s%s%s", name, argument ? " " : "", argument ? argument : "");
    if (letter) {
        printf("  -%c, %-22s %s\n", letter, left, help);
    } else {
        printf("      %-22s %s\n", left, help);
    }
}

static void print_help(const cli_syntax *syntax)
{
    printf("Usage: crucible %s [OPTION]...%s%s\n\n%s\n\n", syntax->verb, syntax->operands ? " " : "",
           syntax->operands ? syntax->operands : "", syntax->about);
    for (const cli_option *o = syntax->options; o->name; o++) print_option(o->letter, o->name, o->argument, o->help);
    print_option('h', "help", NULL, "print this and exit");
}

/* The two forms in which getopt_long wants the table. */
typedef struct getopt_tables {
    struct option longs[OPTIONS_MAX + 2];
    char shorts[2 * OPTIONS_MAX + 4];
} getopt_tables;

static void fill_tables(const cli_syntax *syntax, getopt_tables *tables)
{
    char *s = tables->shorts;
    *s++ = ':'; /* tells a missing value from an unknown option */
    *s++ = 'h';
    int count = 0;
    for (const cli_option *o = syntax->options; o->name; o++, count++) {
        cru_assert(count < OPTIONS_MAX, "%s: more than %d options", syntax->verb, OPTIONS_MAX);
        tables->longs[count] =
            (struct option){o->name, o->argument ? required_argument : no_argument, NULL, FIRST_OPTION + count};
        if (!o->letter) continue;
        *s++ = o->letter;
        if (o->argument) *s++ = ':';
    }
    tables->longs[count] = (struct option){"help", no_argument, NULL, HELP};
    tables->longs[count + 1] = (struct option){0};
    *s = 0;
}

static int add_word(cli_words *words, const char *verb, const char *word)
{
    if (words->count == CLI_WORDS_MAX) return cli_wrong("%s: more than %d arguments", verb, CLI_WORDS_MAX);
    words->word[words->count++] = word;
    return CLI_GO_ON;
}

static int store(const cli_syntax *syntax, const cli_option *option, const char *value)
{
    if (option->flag) {
        *option->flag = true;
    } else if (option->text) {
        *option->text = value;
    } else if (option->words) {
        return add_word(option->words, syntax->verb, value);
    } else {
        char *end;
        errno = 0;
        long long number = strtoll(value, &end, 10);
        if (end == value || *end || errno || number < 0)
            return cli_wrong("%s: --%s wants a whole number, not '%s'", syntax->verb, option->name, value);
        *option->number = number;
    }
    return CLI_GO_ON;
}

/* What getopt_long refused: `code` is '?' or ':', optopt the letter or the long option's value. */
static int refuse(const cli_syntax *syntax, char **argv, int code)
{
    const char *verb = syntax->verb;
    if (code == ':' && optopt >= FIRST_OPTION) {
        const cli_option *option = &syntax->options[optopt - FIRST_OPTION];
        return cli_wrong("%s: --%s wants a value (%s)", verb, option->name, option->argument);
    }
    if (code == ':') return cli_wrong("%s: -%c wants a value", verb, optopt);
    if (optopt >= FIRST_OPTION)
        return cli_wrong("%s: --%s takes no value", verb, syntax->options[optopt - FIRST_OPTION].name);
    if (optopt == HELP) return cli_wrong("%s: --help takes no value", verb);
    if (optopt) return cli_wrong("%s: unknown option -%c; see 'crucible %s --help'", verb, optopt, verb);
    return cli_wrong("%s: unknown option %s; see 'crucible %s --help'", verb, argv[optind - 1], verb);
}

static const cli_option *option_of_code(const cli_syntax *syntax, int code)
{
    if (code >= FIRST_OPTION) return &syntax->options[code - FIRST_OPTION];
    const cli_option *option = syntax->options;
    while (option->letter != code) option++;
    return option;
}

static int take_operands(const cli_syntax *syntax, int argc, char **argv, cli_words *operands)
{
    operands->count = 0;
    for (int i = optind; i < argc; i++) {
        int code = add_word(operands, syntax->verb, argv[i]);
        if (code != CLI_GO_ON) return code;
    }
    if (operands->count < syntax->least)
        return cli_wrong("%s: wants %s; see 'crucible %s --help'", syntax->verb, syntax->operands, syntax->verb);
    if (operands->count > syntax->most)
        return cli_wrong("%s: unexpected '%s'; see 'crucible %s --help'", syntax->verb, operands->word[syntax->most],
                         syntax->verb);
    return CLI_GO_ON;
}

int cli_parse(const cli_syntax *syntax, int argc, char **argv, cli_words *operands)
{
    getopt_tables tables;
    fill_tables(syntax, &tables);
    optind = 0; /* glibc: start afresh */
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (code == '?' || code == ':') return refuse(syntax, argv, code);
        if (code == HELP || code == 'h') {
            print_help(syntax);
            return CLI_OK;
        }
        int stored = store(syntax, option_of_code(syntax, code), optarg);
        if (stored != CLI_GO_ON) return stored;
    }
    return take_operands(syntax, argc, argv, operands);
}
