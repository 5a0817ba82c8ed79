// SPDX-License-Identifier: Apache-2.0
#include "host/agenda.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/sharing.h"
#include "protocol/trial-settings.h"
#include "store/environment.h"

static cru_status enter(const experiment *e, store *s, bool same_list, int64_t *id, cru_error *err)
{
    store_metric *metrics = calloc((size_t)e->metric_count + 1, sizeof *metrics);
    char *environment = environment_describe(NULL);
    cru_status status = CRU_OK;
    if (!metrics || !environment) {
        status = cru_fail(err, CRU_NO_MEMORY, "no memory for the experiment's description");
    } else {
        for (int64_t i = 0; i < e->metric_count; i++)
            metrics[i] = (store_metric){e->metrics[i]->label, e->metrics[i]->plugin->flags};
        store_experiment x = {.name = e->name,
                              .config = e->text,
                              .environment = environment,
                              .metrics = metrics,
                              .metric_count = e->metric_count,
                              .same_list = same_list};
        status = store_add_experiment(s, &x, id, err);
    }
    free(metrics);
    free(environment);
    return status;
}

cru_status experiment_enter(const experiment *e, store *s, int64_t *id, cru_error *err)
{
    return enter(e, s, false, id, err);
}

cru_status trial_enter(store *s, const trial_entry *entry, cru_error *err)
{
    trial_settings settings;
    trial_settings_make(entry->trial, &settings);
    store_trial t = {.key = entry->key,
                     .alias = entry->trial->algorithm->label,
                     .canonical = entry->text,
                     .settings = settings.items,
                     .setting_count = settings.count,
                     .place = entry->place,
                     .tried = entry->tried};
    cru_status status = store_add_trial(s, entry->experiment, &t, err);
    trial_settings_clear(&settings);
    return status;
}

/* The checksum of every trial's dataset; the judge may have to read files for it. */
static cru_status ask_checksums(runner *r, const agenda *a, char (*checksums)[SHA256_HEX], cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < a->count; i++) {
        trial t;
        if (a->out && a->out[i]) continue;
        experiment_trial(a->experiment, i, &t);
        status = runner_checksum(r, &t, checksums[i], err);
    }
    return status;
}

static bool takes_part(const agenda *a, int64_t index)
{
    return !a->out || !a->out[index];
}

/* ---- the list -------------------------------------------------------------------------------------------- */

/* Texts that wait until there are enough of them to be hashed at once. */
typedef struct key_batch {
    char *text[SHA256_LANES], (*key[SHA256_LANES])[SHA256_HEX];
    int count;
} key_batch;

static void hash_batch(key_batch *b)
{
    sha256_texts((const char *const *)b->text, b->count, b->key);
    for (int i = 0; i < b->count; i++) free(b->text[i]);
    b->count = 0;
}

enum { MODELS = 64 };

/* Texts of trials that later ones may repeat with another seed: methods take turns within a seed. */
typedef struct models {
    struct {
        trial of;
        char *text; /* NULL: none yet */
    } each[MODELS];
    int next;
} models;

static const char *model_of(models *m, const experiment *e, const trial *t, const char *checksum)
{
    for (int i = 0; i < MODELS && m->each[i].text; i++)
        if (trial_same_variants(&m->each[i].of, t)) return m->each[i].text;
    const int place = m->next++ % MODELS;
    free(m->each[place].text);
    m->each[place].of = *t;
    return m->each[place].text = trial_text(e, t, checksum);
}

/* As trial_key makes them, for a hundred thousand at once: what takes longest before a run that has nothing left to do. */
static void make_keys(agenda *a, char (*checksums)[SHA256_HEX])
{
    key_batch batch = {0};
    models known = {0};
    for (int64_t i = 0; i < a->count; i++) {
        trial t;
        if (!takes_part(a, i)) continue;
        experiment_trial(a->experiment, i, &t);
        const char *model = model_of(&known, a->experiment, &t, checksums[i]);
        batch.text[batch.count] = trial_text_again(model, t.seed, checksums[i]);
        batch.key[batch.count++] = &a->keys[i];
        if (batch.count == SHA256_LANES) hash_batch(&batch);
    }
    hash_batch(&batch);
    for (int i = 0; i < MODELS; i++) free(known.each[i].text);
}

/* A walk along the stored list and the agenda. */
typedef struct walk {
    agenda *a;
    int64_t index;  /* of the agenda's next trial */
    int64_t length; /* of the stored list, as far as it was walked */
    bool same;
} walk;

static bool compare_entry(void *user, const store_entry *entry)
{
    walk *w = user;
    const agenda *a = w->a;
    trial t;
    while (w->index < a->count && !takes_part(a, w->index)) w->index++;
    if (w->index == a->count) return w->same = false;
    experiment_trial(a->experiment, w->index, &t);
    w->same = strcmp(entry->key, a->keys[w->index]) == 0 && entry->alias &&
              strcmp(entry->alias, t.algorithm->label) == 0 && entry->tried == 0;
    w->index++;
    w->length++;
    return w->same;
}

/* Whether the file lists these trials already, each once and in this order, so that nothing need be written: the case
 * of everybody who goes on with a run. */
static cru_status find_same(store *s, agenda *a, bool *same, cru_error *err)
{
    int64_t id, length = 0;
    walk w = {.a = a, .same = true};
    *same = false;
    cru_status status = store_find_experiment(s, a->experiment->name, &id, err);
    if (status || !id) return status;
    status = store_each_entry(s, id, compare_entry, &w, err);
    if (!status) status = store_length(s, id, &length, err);
    while (w.index < a->count && !takes_part(a, w.index)) w.index++;
    *same = w.same && w.index == a->count && w.length == length;
    return status;
}

static cru_status add_trial(store *s, agenda *a, int64_t index, const char *checksum, cru_error *err)
{
    trial t;
    experiment_trial(a->experiment, index, &t);
    char *text = trial_text(a->experiment, &t, checksum);
    cru_status status = trial_enter(
        s, &(trial_entry){.experiment = a->id, .trial = &t, .key = a->keys[index], .text = text, .place = index + 1},
        err);
    free(text);
    return status;
}

/* One transaction: entering an experiment empties its list, so two processes that did it step by step would mix theirs,
 * and a killed one would leave half a list. */
static cru_status enter_all(store *s, agenda *a, char (*checksums)[SHA256_HEX], cru_error *err)
{
    bool same = false;
    make_keys(a, checksums);
    cru_status status = store_gather(s, err);
    if (!status) status = find_same(s, a, &same, err);
    if (!status) status = enter(a->experiment, s, same, &a->id, err);
    for (int64_t i = 0; !status && !same && i < a->count; i++)
        if (takes_part(a, i)) status = add_trial(s, a, i, checksums[i], err);
    return status ? status : store_flush(s, err);
}

uint32_t agenda_forgets(agenda_again again)
{
    uint32_t failed = 1u << STORE_OOM | 1u << STORE_TIMEOUT | 1u << STORE_CRASHED | 1u << STORE_FAILED;
    if (again == AGENDA_MISSING) return 0;
    return again == AGENDA_ALL ? failed | 1u << STORE_OK : failed;
}

static cru_status forget(store *s, const agenda *a, agenda_again again, cru_error *err)
{
    uint32_t outcomes = agenda_forgets(again);
    return outcomes ? store_reset(s, a->id, outcomes, NULL, err) : CRU_OK;
}

/* ---- which of them have no result ------------------------------------------------------------------------ */

typedef struct keyed {
    const char *key;
    int64_t index;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* How the trials of the agenda stand; repeats are pending. */
typedef struct outcomes {
    const agenda *agenda;
    store_outcome *known;
    int64_t next;
} outcomes;

/* repeat[i]: an earlier trial has the same key. */
static cru_status find_repeats(const agenda *a, bool *repeat, cru_error *err)
{
    keyed *sorted = calloc((size_t)a->count + 1, sizeof *sorted);
    if (!sorted) return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld trials", (long long)a->count);
    for (int64_t i = 0; i < a->count; i++) sorted[i] = (keyed){a->keys[i], i};
    qsort(sorted, (size_t)a->count, sizeof *sorted, by_key);
    for (int64_t i = 1; i < a->count; i++) repeat[sorted[i].index] = strcmp(sorted[i].key, sorted[i - 1].key) == 0;
    free(sorted);
    return CRU_OK;
}

/* The first of the agenda's next trials that is this one: the file has them in the same order, each once. */
static bool take_outcome(void *user, const store_entry *entry)
{
    outcomes *o = user;
    while (o->next < o->agenda->count && strcmp(o->agenda->keys[o->next], entry->key) != 0) o->next++;
    if (o->next < o->agenda->count) o->known[o->next++] = entry->outcome;
    return o->next < o->agenda->count;
}

static cru_status find_todo(store *s, agenda *a, cru_error *err)
{
    bool *repeat = calloc((size_t)a->count + 1, sizeof *repeat);
    outcomes o = {.agenda = a, .known = calloc((size_t)a->count + 1, sizeof *o.known)};
    cru_status status = repeat && o.known
                            ? find_repeats(a, repeat, err)
                            : cru_fail(err, CRU_NO_MEMORY, "no memory for %lld trials", (long long)a->count);
    if (!status) status = store_each_entry(s, a->id, take_outcome, &o, err);
    for (int64_t i = 0; !status && i < a->count; i++) {
        if (!takes_part(a, i)) continue;
        a->repeats += repeat[i];
        if (repeat[i]) continue;
        a->open[i] = o.known[i] == STORE_PENDING;
        if (a->open[i]) a->todo[a->todo_count++] = i;
    }
    free(o.known);
    free(repeat);
    return status;
}

/* Notes which trials are left out. */
static cru_status choose_part(const agenda_part *part, agenda *a, cru_error *err)
{
    a->part_count = a->count;
    if (!part->takes_part) return CRU_OK;
    a->out = calloc((size_t)a->count + 1, sizeof *a->out);
    if (!a->out) return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld trials", (long long)a->count);
    for (int64_t i = 0; i < a->count; i++) {
        trial t;
        experiment_trial(a->experiment, i, &t);
        a->out[i] = !part->takes_part(part->user, &t);
        a->part_count -= a->out[i];
    }
    return CRU_OK;
}

cru_status agenda_open(runner *r, store *s, agenda_again again, agenda *a, cru_error *err)
{
    return agenda_open_part(r, s, &(agenda_part){.again = again}, a, err);
}

cru_status agenda_open_part(runner *r, store *s, const agenda_part *part, agenda *a, cru_error *err)
{
    const experiment *e = runner_experiment(r);
    int64_t count = experiment_trial_count(e);
    *a = (agenda){.experiment = e, .count = count};
    a->keys = calloc((size_t)count + 1, sizeof *a->keys);
    a->todo = calloc((size_t)count + 1, sizeof *a->todo);
    a->open = calloc((size_t)count + 1, sizeof *a->open);
    char(*checksums)[SHA256_HEX] = calloc((size_t)count + 1, sizeof *checksums);
    cru_status status = a->keys && a->todo && a->open && checksums
                            ? CRU_OK
                            : cru_fail(err, CRU_NO_MEMORY, "no memory for %lld trials", (long long)count);
    if (!status) status = choose_part(part, a, err);
    if (!status) status = ask_checksums(r, a, checksums, err);
    if (!status) status = enter_all(s, a, checksums, err);
    free(checksums);
    if (!status) status = forget(s, a, part->again, err);
    if (!status) status = find_todo(s, a, err);
    if (!status) status = store_flush(s, err);
    if (status) agenda_close(a);
    return status;
}

void agenda_close(agenda *a)
{
    free(a->keys);
    free(a->todo);
    free(a->open);
    free(a->out);
    *a = (agenda){0};
}

runner_next agenda_next(void *user, trial *t, char key[SHA256_HEX])
{
    agenda *a = user;
    while (a->next < a->todo_count && !a->open[a->todo[a->next]]) a->next++;
    if (a->next == a->todo_count) return RUNNER_END;
    int64_t index = a->todo[a->next++];
    a->open[index] = false;
    experiment_trial(a->experiment, index, t);
    memcpy(key, a->keys[index], SHA256_HEX);
    return RUNNER_TRIAL;
}

bool agenda_partner(void *user, const trial *t, trial *other, char key[SHA256_HEX])
{
    agenda *a = user;
    for (int64_t i = 0; i < experiment_monitor_count(a->experiment, t->index); i++) {
        int64_t index = experiment_with_monitor(a->experiment, t->index, i);
        if (!a->open[index]) continue;
        experiment_trial(a->experiment, index, other);
        if (!trials_share_training(t, other)) continue;
        a->open[index] = false;
        memcpy(key, a->keys[index], SHA256_HEX);
        return true;
    }
    return false;
}

/* ---- titles ---------------------------------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t size, used;
} writer;

CRU_PRINTF(2, 3) static void say(writer *w, const char *format, ...)
{
    if (w->used >= w->size) return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
}

static void say_variant(writer *w, const variant *v)
{
    say(w, "%s", v->label);
    for (int64_t i = 0; i < v->swept_count; i++) say(w, " %s=%s", v->swept[i].key, v->swept[i].text);
}

char *trial_title(const trial *t, char *text, size_t size)
{
    writer w = {.text = text, .size = size};
    text[0] = 0;
    say_variant(&w, t->algorithm);
    say(&w, " on ");
    say_variant(&w, t->dataset);
    for (int32_t i = 0; i < t->chain_count; i++) {
        say(&w, i ? " + " : ", ");
        say_variant(&w, t->chain[i]);
    }
    say(&w, ", seed %llu", (unsigned long long)t->seed);
    const variant *host[] = {t->preprocess, t->split, t->monitor};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        for (int64_t k = 0; k < host[i]->swept_count; k++)
            say(&w, ", %s=%s", host[i]->swept[k].key, host[i]->swept[k].text);
    return text;
}
