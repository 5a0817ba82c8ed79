// SPDX-License-Identifier: Apache-2.0

#include "cli/cli.h"
#include "cli/verbs.h"
#include "serve/server.h"
#include "store/store.h"

static void print_address(void *user, const char *address)
{
    (void)user;
    printf("%s\n", address);
    fflush(stdout);
    fputs("Whoever has this address sees the results; Ctrl-C ends it.\n", stderr);
}

int verb_serve(int argc, char **argv)
{
    const char *db = "results.db";
    int64_t port = 0;
    const cli_option options[] = {
        {.name = "db", .argument = "FILE", .text = &db, .help = "the results store (default: results.db)"},
        {.name = "port", .argument = "N", .number = &port, .help = "port to listen on (default: any that is free)"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "serve",
        .options = options,
        .about = "Shows a store in the browser while a run goes on: progress, time left, failures and the page of\n"
                 "'crucible report --format html' of the latest experiment. Prints the address, which holds a secret;\n"
                 "only this machine can reach it. Nothing is written to the store. Needs libmicrohttpd.",
    };
    cli_words operands;
    cru_error err = {0};
    store *s;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (port > 65535) return cli_wrong("--port %lld: at most 65535", (long long)port);
    if (store_open(db, &(store_options){.read_only = true}, &s, &err) != CRU_OK) return cli_fail("%s", err.text);
    store_close(s, NULL);
    server_options how = {.db = db, .port = (uint16_t)port, .ready = print_address};
    return server_run(&how, &err) == CRU_OK ? CLI_OK : cli_fail("%s", err.text);
}
