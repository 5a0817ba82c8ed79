// SPDX-License-Identifier: Apache-2.0
/* card.h: what is known of a dataset before its files are read.
 *
 * A card is one INI file. A user's own graph needs no more than this, beside the two files it names:
 *
 *     [dataset]
 *     name   = my-graph
 *     title  = Who buys what together
 *     format = csv
 *     [files]
 *     edges  = edges.csv
 *     nodes  = nodes.csv
 *     [settings]
 *     label  = category
 *
 * Sections and keys (datasets/README.md tells them to users):
 *
 * - [dataset]: name, title, format (a dataset plugin), task (nodes, graphs, anomaly, rows), metric (what is reported of
 *   it, the most important first), licence, citation, home, terms (what a user must accept before a download; a card
 *   with terms is never fetched silently), notes, folder (the dataset whose files these are, in mirror and downloads;
 *   absent: its own name; a dot: files of several datasets, named dataset/file)
 *   by-hand (why a file without an address must be got by hand, and how)
 * - [files]: role = file name, in the order in which the format plugin sees them; "packed, plain" when the same content
 *   may lie in two forms: whichever is there is read, downloads make the last
 * - [sha256]: role = checksum of that file, 64 hex digits; of each form
 * - [bytes]: role = its size; of each form. A download that is longer is broken off
 * - [urls]: role = where to download it; several addresses, with commas between them, are tried in turn. What follows
 *   "!/" is the member of an archive (zip, tar, 7z, rar); "*.mat" is the first that ends so
 * - [convert]: role = what becomes of a download: "unpack" (gzip, xz), "first BYTES" or "idx-first COUNT" (items of an
 *   IDX file), both unpacked before
 * - [settings]: key = value for the format plugin
 * - [expect]: items, nodes, edges (stored arcs), features, classes, graphs, train, val, test, official: counts that the
 *   loaded data must show; those not given are not checked
 * - [protocols]: study = how it splits the dataset, as keys of [split] in a configuration: scheme = percent, train =
 *   0.05. [split] scheme = card, protocol = STUDY takes it
 *
 * Lines follow the rules of config.h: a value that ends in a comma goes on in the next line when that is indented.
 * Unknown sections and keys, bad numbers and missing names are errors with file:line. */
#ifndef CORE_DATA_CARD_H
#define CORE_DATA_CARD_H

#include <stdbool.h>

#include <crucible/plugin.h>

/* One way in which a file's content may lie on the disk. */
typedef struct card_form {
    char *name;
    char *sha256;  /* NULL: not known, the file is taken as it is */
    int64_t bytes; /* -1: not known */
} card_form;

/* What is done with a download before it becomes the card's file. */
typedef enum card_conversion {
    CARD_AS_IT_IS,
    CARD_UNPACKED,    /* what is in a gzip, bzip2 or xz file */
    CARD_FIRST_BYTES, /* unpacked, cut after `amount` bytes */
    CARD_FIRST_IDX,   /* unpacked, the first `amount` items of an IDX file */
} card_conversion;

enum { CARD_FORMS = 2, CARD_URLS = 4 };

typedef struct card_file {
    char *role;
    card_form forms[CARD_FORMS]; /* the first one's checksum stands for the content */
    int form_count;              /* at least 1 */
    char *urls[CARD_URLS];       /* each gives the last form */
    int url_count;               /* 0: cannot be downloaded */
    card_conversion conversion;
    int64_t amount;
    int line; /* where the card first names the role */
} card_file;

typedef struct card_setting {
    char *key, *value;
    int line;
} card_setting;

typedef struct card_settings {
    card_setting *items;
    int64_t count;
} card_settings;

/* Expected counts; -1 where the card does not say. */
typedef struct card_expect {
    int64_t items, nodes, edges, features, classes, graphs, train, val, test, official;
} card_expect;

typedef struct card {
    char *path;                                                                              /* of the card itself */
    char *name, *title, *format, *task, *metric, *licence, *citation, *home, *terms, *notes; /* NULL where not given */
    char *by_hand;                                                                           /* NULL where not given */
    char *folder;                                                                            /* never NULL */
    card_file *files;
    int64_t file_count;
    card_settings settings, protocols;
    card_expect expect;
} card;

/* Reads a card; the caller destroys it. CRU_IO: cannot be read; CRU_BAD_INPUT: "path:line: what is wrong". */
cru_status card_read(const char *path, card **out, cru_error *err);

/* card_read from `size` bytes in memory; `path` only names the text in messages. */
cru_status card_parse(const char *text, size_t size, const char *path, card **out, cru_error *err);
void card_destroy(card *c); /* NULL is fine */

/* The form that an address gives. */
static inline const card_form *card_published(const card_file *f)
{
    return &f->forms[f->form_count - 1];
}

/* The data shows the counts that the card promises; else CRU_BAD_INPUT naming card, count, expected and found. */
cru_status card_check(const card *c, const cru_data *data, cru_error *err);

#endif
