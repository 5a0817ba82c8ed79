// SPDX-License-Identifier: Apache-2.0
#include "cli/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/measure.h"
#include "data/describe.h"
#include "judge/judge-files.h"

enum { SETTINGS_MOST = 64, NAME_SIZE = 200 };

/* What the child sends, then labels, class counts and class names (NAME_SIZE bytes each). */
typedef struct header {
    int64_t problem, items, nodes, arcs, features, labelled, classes, official, official_train, official_val, partial;
    double measures[LOOK_MEASURES];
} header;

/* ---- the child ------------------------------------------------------------------------------------------- */

static double measure(const look_request *q, const cru_data *data, const char *name)
{
    const registry_entry *metric = registry_find(q->with->plugins, CRU_KIND_METRIC, name);
    return metric ? measure_data(data, metric) : NAN;
}

static void put_names(const cru_data *data, FILE *out)
{
    for (int32_t c = 0; c < data->classes; c++) {
        char name[NAME_SIZE] = {0};
        if (data->class_names)
            snprintf(name, sizeof name, "%s", data->class_names[c]);
        else
            snprintf(name, sizeof name, "%d", c);
        fwrite(name, sizeof name, 1, out);
    }
}

static int send(const look_request *q, const cru_data *data, FILE *out)
{
    data_summary d = {0};
    cru_error err = {0};
    if (data_summarise(data, &d, &err) != CRU_OK) return cli_fail("%s", err.text);
    header h = {.problem = data->problem,
                .items = data->items,
                .nodes = data->nodes,
                .arcs = d.arcs,
                .features = data->x.cols,
                .labelled = data->items - d.unlabelled,
                .classes = data->classes,
                .official = data->official_count,
                .official_train = data->official_count ? data->official[0].train.count : 0,
                .official_val = data->official_count ? data->official[0].val.count : 0,
                .partial = data->candidates != NULL};
    for (int k = 0; q->measures && q->measures[k]; k++) h.measures[k] = measure(q, data, q->measures[k]);
    fwrite(&h, sizeof h, 1, out);
    fwrite(data->truth, sizeof *data->truth, (size_t)data->items, out);
    fwrite(d.class_counts, sizeof *d.class_counts, (size_t)data->classes, out);
    put_names(data, out);
    data_summary_clear(&d);
    return fflush(out) == 0 && !ferror(out) ? CLI_OK : cli_fail("%s: no memory for its figures", q->dataset);
}

static int read_settings(const look_request *q, data_setting *out)
{
    for (int i = 0; q->sets && i < q->sets->count; i++) {
        char *equals = strchr(q->sets->word[i], '=');
        if (!equals || i == SETTINGS_MOST) return cli_wrong("--set %s: expected key=value", q->sets->word[i]);
        *equals = 0; /* this is the child's own memory */
        out[i] = (data_setting){q->sets->word[i], equals + 1};
    }
    return CLI_OK;
}

static int describe(const look_request *q, FILE *out)
{
    data_setting settings[SETTINGS_MOST];
    int code = read_settings(q, settings);
    if (code != CLI_OK) return code;
    data_request wanted = {.name = q->dataset,
                           .plugins = q->with->plugins,
                           .settings = settings,
                           .setting_count = q->sets ? q->sets->count : 0,
                           .places = &q->with->places};
    cru_error err = {0};
    cru_data *data = NULL;
    char checksum[65];
    if (judge_lock_for(&wanted, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (data_checksum(&wanted, checksum, &err) == CRU_BAD_INPUT) return cli_wrong("%s", err.text);
    err = (cru_error){0};
    if (data_open(&wanted, &data, &err) != CRU_OK) return cli_fail("%s", err.text);
    code = send(q, data, out);
    cru_data_destroy(data);
    return code;
}

/* ---- the parent ------------------------------------------------------------------------------------------ */

static bool is_plausible(const header *h, int64_t size)
{
    const int64_t most = (int64_t)1 << 31;
    if (h->items < 0 || h->items > most || h->classes < 0 || h->classes > most / NAME_SIZE) return false;
    return size == (int64_t)sizeof *h + h->items * (int64_t)sizeof(int32_t) +
                       h->classes * (int64_t)(sizeof(int64_t) + NAME_SIZE);
}

static bool take_names(look *out, FILE *in)
{
    for (int32_t c = 0; c < out->classes; c++) {
        char name[NAME_SIZE];
        if (fread(name, sizeof name, 1, in) != 1) return false;
        name[NAME_SIZE - 1] = 0;
        if (!(out->class_names[c] = strdup(printable(name, false)))) return false;
    }
    return true;
}

static bool take(look *out, FILE *in)
{
    header h;
    if (fseek(in, 0, SEEK_END) != 0) return false;
    const int64_t size = ftell(in);
    rewind(in);
    if (fread(&h, sizeof h, 1, in) != 1 || !is_plausible(&h, size)) return false;
    *out = (look){.problem = (cru_problem)h.problem,
                  .items = h.items,
                  .nodes = h.nodes,
                  .arcs = h.arcs,
                  .features = h.features,
                  .labelled = h.labelled,
                  .classes = (int32_t)h.classes,
                  .official = (int32_t)h.official,
                  .official_train = h.official_train,
                  .official_val = h.official_val,
                  .partial = h.partial != 0,
                  .labels = calloc((size_t)h.items + 1, sizeof *out->labels),
                  .class_counts = calloc((size_t)h.classes + 1, sizeof *out->class_counts),
                  .class_names = calloc((size_t)h.classes + 1, sizeof *out->class_names)};
    memcpy(out->measures, h.measures, sizeof out->measures);
    return out->labels && out->class_counts && out->class_names &&
           fread(out->labels, sizeof *out->labels, (size_t)h.items, in) == (size_t)h.items &&
           fread(out->class_counts, sizeof *out->class_counts, (size_t)h.classes, in) == (size_t)h.classes &&
           take_names(out, in);
}

/* Runs the child, which writes to `file`. */
static int ask(const look_request *q, FILE *file)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return cli_fail("cannot start a process to read %s", q->dataset);
    if (child == 0) {
        int code = describe(q, file);
        fflush(NULL);
        _exit(code);
    }
    while (waitpid(child, &status, 0) < 0) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return cli_fail("the plugin that reads %s crashed: %s", q->dataset, strsignal(WTERMSIG(status)));
}

int look_at(const look_request *q, look *out)
{
    *out = (look){0};
    int fd = memfd_create("crucible-look", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!file) return cli_fail("no memory for the figures of %s", q->dataset);
    int code = ask(q, file);
    if (code == CLI_OK && !take(out, file)) code = cli_fail("%s: its figures did not come", q->dataset);
    fclose(file);
    if (code != CLI_OK) look_clear(out);
    return code;
}

void look_clear(look *l)
{
    for (int32_t c = 0; l->class_names && c < l->classes; c++) free(l->class_names[c]);
    free(l->class_names);
    free(l->labels);
    free(l->class_counts);
    *l = (look){0};
}
