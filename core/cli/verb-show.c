// SPDX-License-Identifier: Apache-2.0
/* crucible show: what a store holds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "show/show.h"

typedef struct request {
    const char *db, *curve, *predictions, *split;
    bool json;
} request;

/* Bad input is a wrong word of the user; what was not kept is not. */
static int fail(const cru_error *err)
{
    return err->status == CRU_BAD_INPUT ? cli_wrong("%s", err->text) : cli_fail("%s", err->text);
}

typedef cru_status exporter(store *s, const shown *e, FILE *out, cru_error *err);

/* Written in memory first, so that what cannot be written leaves no file behind. "-" is standard output. */
static int export(store *s, const shown *e, const char *path, exporter *write)
{
    cru_error err = {0};
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return cli_fail("out of memory");
    cru_status status = write(s, e, memory, &err);
    if (fclose(memory) != 0 && !status) status = cru_fail(&err, CRU_NO_MEMORY, "out of memory");
    FILE *file = status ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    int code = status ? fail(&err) : file ? CLI_OK : cli_fail("%s: %s", path, strerror(errno));
    if (file) {
        bool written = fwrite(text, 1, size, file) == size;
        written = (file == stdout ? fflush(file) : fclose(file)) == 0 && written;
        if (!written) code = cli_fail("%s: %s", path, strerror(errno));
    }
    free(text);
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int export_all(store *s, const shown *e, const request *q)
{
    int code = CLI_OK;
    if (q->curve) code = export(s, e, q->curve, ends_with(q->curve, ".svg") ? show_curves_svg : show_curves_csv);
    if (code == CLI_OK && q->predictions) code = export(s, e, q->predictions, show_predictions_csv);
    if (code == CLI_OK && q->split) code = export(s, e, q->split, show_split_csv);
    return code;
}

static int print(store *s, const shown *e, const request *q)
{
    cru_error err = {0};
    if (e->chosen < 0) {
        if (q->json) return json_print(show_trials_json(e));
        show_trials(e, stdout);
        return CLI_OK;
    }
    if (!q->json) return show_trial(s, e, e->chosen, stdout, &err) ? fail(&err) : CLI_OK;
    cJSON *object = show_trial_json(s, e, e->chosen, &err);
    return err.status ? fail(&err) : json_print(object);
}

static int show_named(store *s, const char *name, const request *q)
{
    cru_error err = {0};
    shown *e;
    if (show_load(s, name, &e, &err)) return fail(&err);
    int code = q->curve || q->predictions || q->split ? export_all(s, e, q) : print(s, e, q);
    show_free(e);
    return code;
}

static int show_store(store *s, const request *q)
{
    cru_error err = {0};
    if (q->curve || q->predictions || q->split) return cli_wrong("show: name the experiment or the trial to write");
    if (!q->json) return show_experiments(s, stdout, &err) ? fail(&err) : CLI_OK;
    cJSON *array = show_experiments_json(s, &err);
    return err.status ? fail(&err) : json_print(array);
}

int verb_show(int argc, char **argv)
{
    request q = {.db = "results.db"};
    const cli_option options[] = {
        {.name = "db", .argument = "FILE", .text = &q.db, .help = "the results store (default: results.db)"},
        {.name = "curve",
         .argument = "FILE",
         .text = &q.curve,
         .help = "instead: write learning curves, of a trial or of all, as CSV, or as a picture to a name in .svg;\n"
                 "of a run with [run] curves = yes"},
        {.name = "predictions",
         .argument = "FILE",
         .text = &q.predictions,
         .help = "instead: write the predicted class and the scores of every item of a trial as CSV; of a run with\n"
                 "[run] predictions = yes"},
        {.name = "split",
         .argument = "FILE",
         .text = &q.split,
         .help = "instead: write the part (train, val, test, none) of every item as CSV; kept with predictions"},
        {.name = "json", .flag = &q.json, .help = "the same as JSON"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "show",
        .operands = "[EXPERIMENT | EXPERIMENT:NUMBER | KEY]",
        .most = 1,
        .options = options,
        .about = "Shows what a results store holds: without a name its experiments; with that of an experiment\n"
                 "its trials; with EXPERIMENT:NUMBER, or the beginning of a key, all of one trial: outcome and\n"
                 "message, settings (those that a search chose with their validation score), numbers, learning\n"
                 "curve, and what it logged or printed, which for a crash holds the backtrace.\n"
                 "A file named - is standard output.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (access(q.db, F_OK) != 0) return cli_fail("%s: %s; --db FILE names the results store", q.db, strerror(errno));
    cru_error err = {0};
    store *s;
    if (store_open(q.db, &(store_options){.read_only = true}, &s, &err)) return cli_fail("%s", err.text);
    code = operands.count ? show_named(s, operands.word[0], &q) : show_store(s, &q);
    store_close(s, NULL);
    return code;
}
