// SPDX-License-Identifier: Apache-2.0
#include "cli/merging.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/cli.h"
#include "store/merge.h"

/* ---- inputs ---------------------------------------------------------------------------------------------- */

/* Takes over `path`. */
static void push(merging *q, char *path)
{
    char **grown = path ? realloc(q->inputs, (size_t)(q->count + 1) * sizeof *grown) : NULL;
    if (!grown) cru_panic(CRU_NO_MEMORY, "no memory for the names of stores");
    q->inputs = grown;
    q->inputs[q->count++] = path;
}

static int is_store(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".db") == 0;
}

int merging_add(merging *q, const char *word)
{
    struct stat info;
    struct dirent **entries;
    if (stat(word, &info) != 0 || !S_ISDIR(info.st_mode)) {
        push(q, strdup(word));
        return CLI_GO_ON;
    }
    int count = scandir(word, &entries, is_store, alphasort);
    if (count < 0) return cli_fail("%s: %s", word, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        push(q, asprintf(&path, "%s/%s", word, entries[i]->d_name) < 0 ? NULL : path);
        free(entries[i]);
    }
    free(entries);
    return CLI_GO_ON;
}

void merging_clear(merging *q)
{
    for (int64_t i = 0; i < q->count; i++) free(q->inputs[i]);
    free(q->inputs);
}

/* ---- merging --------------------------------------------------------------------------------------------- */

/* A difference is told once a trial, and the first few are enough to begin with. */
enum { TOLD = 20 };

typedef struct teller {
    int64_t told;
} teller;

static void tell(void *user, const merge_difference *d)
{
    teller *t = user;
    if (t->told++ >= TOLD) return;
    char name[200];
    snprintf(name, sizeof name, "%s", d->name);
    printable(name, false);
    fprintf(stderr, "%s: trial %.12s has another result there: %s %.9g here, %.9g there\n", d->input, d->key, name,
            d->here, d->there);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

typedef struct outcome {
    merge_figures figures;
    int64_t merged, skipped;
    teller teller;
} outcome;

/* Every input, inside one transaction of `out`. What is wrong with an input costs that input, or with --strict all. */
static cru_status merge_inputs(const merging *q, store *out, outcome *o, cru_error *err)
{
    const merge_options options = {.differs = tell, .user = &o->teller};
    for (int64_t i = 0; i < q->count; i++) {
        bool out_failed;
        cru_error why = {0};
        cru_status status = store_merge(out, q->inputs[i], &options, &o->figures, &out_failed, &why);
        o->merged += !status;
        o->skipped += status;
        if (status && (out_failed || q->strict)) return cru_fail(err, status, "%s", why.text);
        if (status) fprintf(stderr, "%s; passed over\n", why.text);
    }
    if (q->strict && o->figures.differing)
        return cru_fail(err, CRU_BAD_INPUT, "%lld trials have other results in another store",
                        (long long)o->figures.differing);
    return CRU_OK;
}

static cru_status merge_into(const merging *q, const char *path, bool alone, outcome *o, cru_error *err)
{
    store *out;
    cru_status status = store_open(path, &(store_options){.alone = alone, .unreferenced = true}, &out, err);
    if (status) return status;
    status = store_gather(out, err);
    if (!status) status = merge_inputs(q, out, o, err);
    if (status)
        store_discard(out);
    else
        status = store_flush(out, err);
    cru_status closed = store_close(out, status ? NULL : err);
    return status ? status : closed;
}

/* A store that is not there yet is made under another name, so that it is there whole or not at all. */
static cru_status merge_anew(const merging *q, outcome *o, cru_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s.merging-%ld", q->out, (long)getpid()) < 0)
        return cru_fail(err, CRU_NO_MEMORY, "no memory to merge stores");
    cru_status status = merge_into(q, path, true, o, err);
    if (!status && rename(path, q->out) != 0) status = cru_fail(err, CRU_IO, "%s: %s", q->out, strerror(errno));
    if (status) unlink(path);
    free(path);
    return status;
}

static void print_figures(const merging *q, const outcome *o)
{
    const merge_figures *f = &o->figures;
    if (q->quiet) return;
    printf("%s: %lld of %lld stores merged; %lld trials, %lld of them new, %lld results taken over; %lld results in "
           "two stores",
           q->out, (long long)o->merged, (long long)q->count, (long long)f->trials, (long long)f->added,
           (long long)f->results, (long long)f->twice);
    if (f->twice) printf(", %lld of them the same bits", (long long)(f->twice - f->differing));
    putchar('\n');
}

int merging_run(const merging *q)
{
    outcome o = {0};
    cru_error err = {0};
    for (int64_t i = 0; i < q->count; i++)
        if (same_file(q->out, q->inputs[i])) return cli_wrong("%s is to be merged into itself", q->inputs[i]);
    cru_status status = access(q->out, F_OK) == 0 ? merge_into(q, q->out, false, &o, &err) : merge_anew(q, &o, &err);
    if (status) return cli_fail("%s; %s is as it was", err.text, q->out);
    if (o.teller.told > TOLD)
        fprintf(stderr, "... and %lld more trials with other results\n", (long long)(o.teller.told - TOLD));
    print_figures(q, &o);
    if (!o.merged) return CLI_FAILED;
    return o.skipped || o.figures.differing ? CLI_PARTLY : CLI_OK;
}
