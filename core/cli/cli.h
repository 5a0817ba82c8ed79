// SPDX-License-Identifier: Apache-2.0
/* The frame of the command line: what all verbs share.
 *
 * A verb is one file, verb-<name>.c, that defines `int verb_<name>(int argc, char **argv)` and is listed with one line
 * in verbs.c. argv[0] is the verb's name; the result is the program's exit code. A verb describes its options once, as
 * a `cli_syntax`; parsing, `--help` and the messages for mistakes all come from that.
 *
 *     int verb_list(int argc, char **argv)
 *     {
 *         bool json = false;
 *         const cli_option options[] = {
 *             {.name = "json", .flag = &json, .help = "print a JSON array"},
 *             {0},
 *         };
 *         const cli_syntax syntax = {.verb = "list", .operands = "[KIND]", .most = 1, .options = options,
 *                                    .about = "Lists the plugins that were found."};
 *         cli_words operands;
 *         int code = cli_parse(&syntax, argc, argv, &operands);
 *         if (code != CLI_GO_ON) return code;
 *         ...
 *     } */
#ifndef CORE_CLI_H
#define CORE_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <crucible/status.h>

/* Exit codes, the same for every verb. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the work was understood and could not be done, or a check did not pass */
    CLI_USAGE = 2,  /* the command line or a config file is wrong; nothing was run */
    CLI_PARTLY = 3, /* the work was done, and some trials have no result */
};
#define CLI_GO_ON (-1) /* from cli_parse: no exit code yet */

/* Words of the command line, in order; they live as long as argv. */
#define CLI_WORDS_MAX 256
typedef struct cli_words {
    const char *word[CLI_WORDS_MAX];
    int count;
} cli_words;

/* Exactly one of the targets is set and says what the option takes: nothing, a text, a whole number >= 0 or, for an
 * option that may be repeated, one word each time. Targets keep their value when the option is absent. */
typedef struct cli_option {
    const char *name;     /* long name without dashes; NULL ends a table */
    char letter;          /* short form, or 0 */
    const char *argument; /* what help calls the value: "FILE"; NULL for a flag */
    const char *help;     /* one line, no full stop */
    bool *flag;
    const char **text;
    int64_t *number;
    cli_words *words;
} cli_option;

typedef struct cli_syntax {
    const char *verb;
    const char *operands;      /* as shown by help: "FILE...", "[KIND]"; NULL when there are none */
    int least, most;           /* how many operands */
    const cli_option *options; /* ends with a zeroed entry; --help is added by itself */
    const char *about;         /* what the verb does: sentences, lines of at most 100 characters, no final newline */
} cli_syntax;

/* Fills the targets and the operands (options and operands may be mixed, `--` ends options). Returns CLI_GO_ON, CLI_OK
 * after it has printed help, or CLI_USAGE after it has printed what is wrong. */
int cli_parse(const cli_syntax *syntax, int argc, char **argv, cli_words *operands);

/* Prints "crucible: <message>" as one line on stderr. Returns CLI_FAILED, or CLI_USAGE for the second. */
int cli_fail(const char *format, ...) CRU_PRINTF(1, 2);
int cli_wrong(const char *format, ...) CRU_PRINTF(1, 2);

/* The escape sequence for a style when `out` is a terminal that wants colours (NO_COLOR unset or empty, TERM not
 * "dumb"), otherwise "". End what was begun with CLI_PLAIN. */
typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW } cli_style;
const char *cli_paint(FILE *out, cli_style style);

#endif
