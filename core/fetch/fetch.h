// SPDX-License-Identifier: Apache-2.0
/* fetch.h: from names of datasets to files in place, checked and cached.
 *
 *     fetch_plan plan = {.mirror = dir};
 *     fetch_add(&plan, "cora", &err);            looks up the card and what is missing; downloads nothing
 *     fetch_run(&plan, &watch, &err);            downloads, verifies, opens each dataset once
 *     ... plan.datasets[i].status, .error ...
 *     fetch_clear(&plan);
 *
 * A file is taken from where it already is (beside its card, in the standing mirror of CRUCIBLE_MIRROR, in the download
 * folder), else copied from the plan's own mirror, else downloaded from the first of its addresses that gives it as the
 * card describes it. A file in the download folder whose checksum is wrong, or that is a web page, is set aside and
 * downloaded again; anywhere else that is an error, since it is the user's.
 *
 * An address "https://host/pack.zip!/folder/file" is a member of an archive, which is downloaded once, however many
 * members are wanted, and removed when they are unpacked. */
#ifndef CORE_FETCH_FETCH_H
#define CORE_FETCH_FETCH_H

#include "data/data.h"
#include "fetch/transfer.h"

/* One way to come by a file. */
typedef struct fetch_source {
    char *url;
    const card_form *form; /* what comes of it, */
    char *path;            /* and where */
    struct {
        char *path, *url;   /* of what is downloaded and unpacked or cut; NULL: the file itself is downloaded */
        const char *member; /* within `url`; NULL: it is no archive */
    } pack;
} fetch_source;

enum { FETCH_SOURCES = CARD_URLS + 1 }; /* the plan's mirror is one more */

typedef struct fetch_file {
    const card_file *file;
    char *name;    /* "cora/ind.cora.x" */
    char *present; /* where it is already; NULL: nowhere */
    char *bad;     /* a file in its place that must go; NULL: none */
    fetch_source sources[FETCH_SOURCES];
    int source_count, at; /* `at`: the one that is tried now, or gave it */
    bool waiting;         /* still to come */
    transfer transfer;    /* of the file, or of what it is packed in */
} fetch_file;

/* Where the file is, or will be; NULL: there is no way to it. */
static inline const char *fetch_path(const fetch_file *f)
{
    return f->source_count > 0 ? f->sources[f->at].path : f->present;
}

typedef struct fetch_counts {
    int64_t items, nodes, arcs, features, classes;
} fetch_counts;

typedef struct fetch_dataset {
    card *card;
    fetch_file *files;
    int64_t count;
    cru_status status; /* CRU_UNSUPPORTED: cannot be downloaded, the user must act; else what went wrong */
    cru_error error;
    fetch_counts counts; /* once it was opened */
} fetch_dataset;

typedef struct fetch_plan {
    const char *mirror;        /* a folder with <dataset>/<file>, or NULL */
    const data_places *places; /* NULL: defaults */
    const registry *plugins;   /* to open what was downloaded; NULL only for a plan that is not run */
    transfer_limits limits;
    fetch_dataset *datasets;
    int64_t count;
} fetch_plan;

/* Adds a dataset by the name or the path of its card; one that is there already is not added again. CRU_BAD_INPUT: no
 * such card, or a broken one. What stands against downloading it is in the dataset's own status. */
cru_status fetch_add(fetch_plan *plan, const char *name, cru_error *err);

/* Adds every card that is here or can be downloaded; not those that need terms, have no address or no format plugin. */
cru_status fetch_add_all(fetch_plan *plan, cru_error *err);

/* Does it. The result is an error only when nothing can be downloaded at all; else see each dataset. */
cru_status fetch_run(fetch_plan *plan, const transfer_watch *watch, cru_error *err);

void fetch_clear(fetch_plan *plan);

/* Opens a dataset in a process of its own, which reads its files, checks its counts and leaves it in the cache. */
cru_status fetch_open(const fetch_plan *plan, const card *c, fetch_counts *counts, cru_error *err);

#endif
