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
 * folder), else copied from the plan's own mirror, else downloaded. A file in the download folder whose checksum is
 * wrong is downloaded again; anywhere else that is an error, since it is the user's.
 *
 * An address "https://host/pack.zip!/folder/file" is a member of a zip file, which is downloaded once, however many
 * members are wanted, and removed when they are unpacked. */
#ifndef CORE_FETCH_FETCH_H
#define CORE_FETCH_FETCH_H

#include "data/data.h"
#include "fetch/transfer.h"

typedef struct fetch_file {
    const card_file *file;
    char *path;   /* where it is, or will be */
    char *source; /* the address that it comes from; NULL: it is here already */
    char *name;   /* "cora/ind.cora.x" */
    struct {
        char *path, *url;   /* of the zip file; NULL: the file is not packed */
        const char *member; /* within `source` */
    } pack;
    transfer transfer; /* of the file, or of its zip file */
} fetch_file;

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
