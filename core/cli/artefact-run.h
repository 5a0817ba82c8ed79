// SPDX-License-Identifier: Apache-2.0
/* artefact-run.h: artefacts of studies on the command line: found by name, run, printed beside what was published. */
#ifndef CORE_CLI_ARTEFACT_RUN_H
#define CORE_CLI_ARTEFACT_RUN_H

#include "cli/session.h"
#include "cli/setup.h"
#include "report/report.h"
#include "study/layout.h"
#include "study/plan.h"

/* Paths of artefacts, to be freed. */
typedef struct artefact_words {
    char **path;
    int64_t count;
} artefact_words;
void artefact_words_clear(artefact_words *w);

/* The artefacts that words of a command line name: a file with a section [artefact], "noisygl/table-a4", or "noisygl"
 * for all of a study. None: they are files of an experiment. Returns CLI_GO_ON, or CLI_USAGE after a message. */
int artefact_find(const cli_words *words, artefact_words *out);

/* artefact_find without a message: whether all words name artefacts. */
bool artefact_known(const cli_words *words, artefact_words *out);

/* Prints one with what the stores know of it; the first store is told of its trials, unless it cannot be written. */
int artefact_report_all(const session_request *q, const artefact_words *named, const cli_words *dbs,
                        report_format format, FILE *out);

/* Runs them one after the other and prints each at its end. Returns an exit code. */
int artefact_run_all(const session_request *q, const artefact_words *named);

/* A published table of settings beside ours (settings-table.h). */
typedef struct settings_side {
    const char *initial, *search; /* "" : none */
} settings_side;

typedef struct settings_line {
    const char *method, *key, *setting;
    settings_side published, ours;
    bool known; /* a method of the experiments has the setting */
    bool same;
} settings_line;

typedef struct settings_table {
    settings_line *items;
    int64_t count, known, same;
} settings_table;

/* An artefact with what the store knows of it. */
typedef struct artefact_view {
    artefact_file *file;
    published print; /* no lines: nothing was published */
    outfit with;     /* plugins and places */
    study_plan plan;
    layout blank; /* without anything measured */
    study_only *only;
    int64_t only_count;
    frame *f;        /* NULL: nothing is known */
    bool searched;   /* one of its parts is a search */
    plot_maps *maps; /* that the trials of a figure reported, or NULL */
    layout layout;   /* t is NULL where nothing was published */
    report_spread spread;
    settings_table settings; /* of a table of settings */
    char *nothing;           /* why --only leaves nothing of this one of many; NULL: something is left */
} artefact_view;

/* Reads the artefact and its published values and plans its parts. Returns CLI_GO_ON, or an exit code after a message,
 * or after all faults have been printed; CLI_OK when it is passed over, being one of many of which --only leaves
 * nothing. The caller closes it in any case. */
int artefact_view_open(const char *path, const session_request *q, artefact_view *v);

/* Runs those trials of the artefact that pass `takes`, in its store, but no search; the lists of its parts are cut to
 * them until they are entered again. Returns an exit code. */
int artefact_view_run(artefact_view *v, const session_request *q, agenda_filter *takes, void *user);

/* Notes the trials in the store without running any, unless the store is not there; then reads what it knows and lays
 * it out. A part of which data or plugins are not here stays as the store has it. */
int artefact_view_enter(artefact_view *v, const session_request *q);
int artefact_view_load(artefact_view *v, const cli_words *dbs, bool must_exist);
void artefact_view_close(artefact_view *v);

/* Prints the table, or writes the picture of a figure. */
int artefact_view_print(const artefact_view *v, const session_request *q, report_format format, FILE *out);

/* "side", "diff", "off" (NULL: side) to the way in which published values are printed; false: another word. */
bool artefact_published_style(const char *word, table_published *style);

#endif
