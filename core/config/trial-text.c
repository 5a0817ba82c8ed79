// SPDX-License-Identifier: Apache-2.0
/* The canonical text of a trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "config/plan.h"

/* Settings of the host, and of methods by the SDK, that are younger than stored trials, with the value that stands for what was done before there
 * was a choice. It is left out of a text, so that those trials are found. */
static bool goes_without_saying(const char *prefix, const char *line, int size)
{
    static const char *const young[][2] = {{"monitor", "nonfinite=fail"},    {"monitor", "heads=0"},
                                           {"search", "select=validation"},  {"search", "own_draws=false"},
                                           {"algorithm", "one_logit=false"}, {"dataset", "nodes=0"}};
    for (size_t i = 0; i < sizeof young / sizeof *young; i++)
        if (strcmp(prefix, young[i][0]) == 0 && (size_t)size == strlen(young[i][1]) &&
            memcmp(line, young[i][1], (size_t)size) == 0)
            return true;
    return false;
}

/* "prefix.key=value" for every line of the variant's text. Millions of lines pass here, so that no format is parsed. */
static void put_text(FILE *out, const char *prefix, const char *text)
{
    const size_t length = strlen(prefix);
    while (*text) {
        const size_t size = strcspn(text, "\n");
        if (!goes_without_saying(prefix, text, (int)size)) {
            fwrite_unlocked(prefix, 1, length, out);
            fputc_unlocked('.', out);
            fwrite_unlocked(text, 1, size, out);
            fputc_unlocked('\n', out);
        }
        text += size + (text[size] == '\n');
    }
}

/* Settings without owner: preprocess, monitor. */
static void put_host(FILE *out, const variant *v)
{
    put_text(out, v->name, v->text);
}

static void put_plugin(FILE *out, const char *prefix, const variant *v)
{
    fprintf(out, "%s=%s %s\n", prefix, v->plugin->name, v->plugin->version);
    if (v->inner) fprintf(out, "%s.inner=%s %s\n", prefix, v->inner->name, v->inner->version);
    put_text(out, prefix, v->text);
}

static int by_line(const void *left, const void *right)
{
    const variant *a = *(const variant *const *)left, *b = *(const variant *const *)right;
    int order = strcmp(a->plugin->name, b->plugin->name);
    return order ? order : strcmp(a->text, b->text);
}

char *metric_text(const variant *metric)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    put_plugin(out, "metric", metric);
    if (fclose(out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    return text;
}

/* In an order of their own: that of the file decides the columns of a report, not a result. */
static void put_metrics(FILE *out, const trial *t)
{
    const variant **sorted = malloc((size_t)t->metric_count * sizeof *sorted + 1);
    if (!sorted) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    memcpy(sorted, t->metrics, (size_t)t->metric_count * sizeof *sorted);
    qsort(sorted, (size_t)t->metric_count, sizeof *sorted, by_line);
    for (int64_t i = 0; i < t->metric_count; i++) put_plugin(out, "metric", sorted[i]);
    free(sorted);
}

static void put_search(FILE *out, const experiment *e, const variant *algorithm)
{
    if (algorithm->axis_count == 0) return;
    char *text = cru_settings_text(e->plan->search);
    if (!text) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    put_text(out, "search", text);
    free(text);
    for (int64_t i = 0; i < algorithm->axis_count; i++) {
        const cru_search *s = &algorithm->axes[i].search;
        fprintf(out, "axis.%s=%d %.17g %.17g", algorithm->axes[i].param->key, (int)s->kind, s->lo, s->hi);
        for (int64_t k = 0; k < s->count; k++) fprintf(out, " %.17g", s->values[k]);
        fputc('\n', out);
    }
}

bool trial_same_variants(const trial *a, const trial *b)
{
    return a->dataset == b->dataset && a->preprocess == b->preprocess && a->split == b->split &&
           a->chain_count == b->chain_count &&
           memcmp(a->chain, b->chain, (size_t)a->chain_count * sizeof *a->chain) == 0 && a->monitor == b->monitor &&
           a->algorithm == b->algorithm && a->metrics == b->metrics && a->metric_count == b->metric_count;
}

/* Copies text up to and with the first `line`, then the value in place of what follows there. Returns where text goes on. */
static const char *copy_replacing(char **to, const char *text, const char *line, const char *value)
{
    const char *from = strstr(text, line);
    cru_assert(from, "a trial's text has no line%s", line);
    from += strlen(line);
    memcpy(*to, text, (size_t)(from - text));
    *to = stpcpy(*to + (from - text), value);
    return strchr(from, '\n');
}

char *trial_text_again(const char *text, uint64_t seed, const char *checksum)
{
    char number[24], *out = malloc(strlen(text) + sizeof number + strlen(checksum) + 1), *to = out;
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    text = copy_replacing(&to, text, "\nseed=", number);
    text = copy_replacing(&to, text, "\ndataset.checksum=", checksum);
    strcpy(to, text);
    return out;
}

char *trial_text(const experiment *e, const trial *t, const char *checksum)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    fprintf(out, "sdk=%s\nabi=%d.%d\nseed=%llu\ndevice=%.*s\n", host_version(), CRU_ABI_MAJOR, CRU_ABI_MINOR,
            (unsigned long long)t->seed, (int)strcspn(e->run.device, ":"), e->run.device);
    fprintf(out, "dataset.name=%s\ndataset.checksum=%s\n", t->dataset->name, checksum);
    put_plugin(out, "dataset", t->dataset);
    put_host(out, t->preprocess);
    put_plugin(out, "split", t->split);
    fprintf(out, "split.view=%s\n",
            !t->split->inductive             ? "transductive"
            : t->split->hide == HIDE_OUTSIDE ? "inductive-parts"
                                             : "inductive");
    for (int32_t i = 0; i < t->chain_count; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "corruptor%d", i);
        put_plugin(out, prefix, t->chain[i]);
    }
    put_host(out, t->monitor);
    put_plugin(out, "algorithm", t->algorithm);
    put_search(out, e, t->algorithm);
    if (t->drawn) fprintf(out, "search.number=%lld\n", (long long)t->drawn);
    put_metrics(out, t); /* last, as store_find_source expects */
    if (fclose(out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for a trial's text");
    return text;
}
