// SPDX-License-Identifier: Apache-2.0
/* judge-maker.h: how a judge makes the damaged problem of a trial. */
#ifndef CORE_RUNNER_JUDGE_MAKER_H
#define CORE_RUNNER_JUDGE_MAKER_H

#include "judge/judge-plugins.h"
#include "judge/judge.h"
#include "protocol/protocol.h"

typedef struct maker {
    const judge_setup *setup;
    data_places places;
    judge_board *board;
    judge_plugins plugins;
    bool no_data; /* the last problem was not made because its dataset's files are missing or damaged */
} maker;

/* Notes on the board what is being done, for the message when the judge dies of it. */
void maker_step(maker *m, const char *kind, const char *name);

/* The trial's dataset, for data_open and data_checksum. */
data_request maker_request(const maker *m, const trial *t);

/* Opens the dataset, preprocesses and splits it, applies the chain; after each step the data is checked, so that a
 * fault is told of the plugin that made it. What corruptors report is added to `reports`. The caller destroys *data. */
cru_status maker_make(maker *m, const trial *t, cru_data **data, records *reports, cru_error *err);

/* Collects what a plugin reports, under "<label>.<name>". The sink must outlive the report. */
typedef struct labelled_records {
    records *into;
    const char *label;
} labelled_records;
cru_report labelled_report(labelled_records *sink);

#endif
