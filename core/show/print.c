// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "show/show.h"

enum { SHORT_KEY = 8 };

/* ---- experiments ----------------------------------------------------------------------------------------- */

typedef struct experiment_list {
    store *s;
    FILE *out;
    cJSON *array; /* instead of `out` */
    int64_t count;
    struct named {
        int64_t id;
        char name[100];
    } items[4096];
} experiment_list;

static bool take_experiment(void *user, const store_experiment_view *view)
{
    experiment_list *list = user;
    if (list->count == (int64_t)(sizeof list->items / sizeof *list->items)) return false;
    struct named *item = &list->items[list->count++];
    item->id = view->id;
    snprintf(item->name, sizeof item->name, "%s", view->name);
    return true;
}

static void print_experiment(const experiment_list *list, const char *name, const int64_t counts[STORE_OUTCOMES])
{
    int64_t all = 0;
    for (int i = 0; i < STORE_OUTCOMES; i++) all += counts[i];
    if (list->array) {
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "experiment", name);
        json_add_number(object, "trials", (double)all);
        for (int i = 0; i < STORE_OUTCOMES; i++)
            json_add_number(object, store_outcome_name((store_outcome)i), (double)counts[i]);
        cJSON_AddItemToArray(list->array, object);
        return;
    }
    fprintf(list->out, "  %-32s %lld trial%s", name, (long long)all, all == 1 ? "" : "s");
    for (int i = 0; i < STORE_OUTCOMES; i++)
        if (counts[i]) fprintf(list->out, ", %lld %s", (long long)counts[i], store_outcome_name((store_outcome)i));
    fputc('\n', list->out);
}

static cru_status visit_experiments(experiment_list *list, cru_error *err)
{
    cru_status status = store_each_experiment(list->s, take_experiment, list, err);
    for (int64_t i = 0; !status && i < list->count; i++) {
        int64_t counts[STORE_OUTCOMES];
        status = store_count(list->s, list->items[i].id, counts, err);
        if (!status) print_experiment(list, list->items[i].name, counts);
    }
    return status;
}

cru_status show_experiments(store *s, FILE *out, cru_error *err)
{
    experiment_list *list = calloc(1, sizeof *list);
    if (!list) return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", store_path(s));
    list->s = s;
    list->out = out;
    fprintf(out, "experiments in %s\n", store_path(s));
    cru_status status = visit_experiments(list, err);
    if (!status)
        fputs(list->count ? "'crucible show NAME' lists the trials of one, 'crucible report NAME' prints its tables\n"
                          : "  none yet\n",
              out);
    free(list);
    return status;
}

cJSON *show_experiments_json(store *s, cru_error *err)
{
    experiment_list *list = calloc(1, sizeof *list);
    cJSON *array = cJSON_CreateArray();
    if (list && array) {
        list->s = s;
        list->array = array;
        if (visit_experiments(list, err)) {
            cJSON_Delete(array);
            array = NULL;
        }
    }
    free(list);
    return array;
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

static double number_of(const shown_trial *t, const char *name)
{
    for (int64_t i = 0; name && i < t->number_count; i++)
        if (strcmp(t->numbers[i].name, name) == 0) return t->numbers[i].value;
    return NAN;
}

static int first_line(const char *text)
{
    return text ? (int)strcspn(text, "\n") : 0;
}

static void print_number(FILE *out, const char *name, double value)
{
    if (name && !isnan(value)) fprintf(out, "  %s %.4g", name, value);
}

void show_trials(const shown *e, FILE *out)
{
    fprintf(out, "trials of %s\n", e->name);
    for (int64_t i = 0; i < e->count; i++) {
        const shown_trial *t = &e->trials[i];
        fprintf(out, "%5lld  %.*s  %-8s %s", (long long)i, SHORT_KEY, t->key, store_outcome_name(t->outcome),
                show_title(e, i));
        print_number(out, "validation", number_of(t, "validation"));
        print_number(out, e->first_metric, number_of(t, e->first_metric));
        if (t->tried > 0) fprintf(out, "  chosen among %lld", (long long)t->tried);
        if (t->message) fprintf(out, "  %.*s", first_line(t->message), t->message);
        fputc('\n', out);
    }
    if (e->count)
        fprintf(out, "'crucible show %s:0', or the beginning of a key, shows all of a trial\n", e->name);
    else
        fputs("  none\n", out);
}

static cJSON *trial_json(const shown *e, int64_t index)
{
    const shown_trial *t = &e->trials[index];
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "experiment", e->name);
    json_add_number(object, "number", (double)index);
    json_add_text(object, "key", t->key);
    json_add_text(object, "algorithm", t->alias);
    json_add_text(object, "title", show_title(e, index));
    json_add_text(object, "outcome", store_outcome_name(t->outcome));
    json_add_text(object, "message", t->message);
    json_add_number(object, "seconds", t->seconds_total);
    json_add_number(object, "best_epoch", t->best_epoch >= 0 ? (double)t->best_epoch : NAN);
    json_add_number(object, "tried", (double)t->tried);
    cJSON *settings = cJSON_AddObjectToObject(object, "settings"),
          *numbers = cJSON_AddObjectToObject(object, "numbers");
    for (int64_t i = 0; i < t->setting_count; i++) json_add_text(settings, t->settings[i].name, t->settings[i].text);
    for (int64_t i = 0; i < t->number_count; i++) json_add_number(numbers, t->numbers[i].name, t->numbers[i].value);
    return object;
}

cJSON *show_trials_json(const shown *e)
{
    cJSON *array = cJSON_CreateArray();
    for (int64_t i = 0; i < e->count; i++) cJSON_AddItemToArray(array, trial_json(e, i));
    return array;
}

/* ---- one trial ------------------------------------------------------------------------------------------- */

static void print_costs(const shown_trial *t, FILE *out)
{
    if (isnan(t->seconds_total)) return;
    fprintf(out, "seconds     %.4g", t->seconds_total);
    if (!isnan(t->seconds_train)) fprintf(out, " (making %.3g, training %.3g)", t->seconds_construct, t->seconds_train);
    fprintf(out, ", peak memory %.0f MiB", (double)t->peak_bytes / (1 << 20));
    if (t->best_epoch >= 0) fprintf(out, ", best epoch %lld", (long long)t->best_epoch);
    fputc('\n', out);
}

static void print_pairs(const char *title, const shown_pair *pairs, int64_t count, FILE *out)
{
    if (count) fprintf(out, "%s\n", title);
    for (int64_t i = 0; i < count; i++)
        if (pairs[i].text)
            fprintf(out, "  %s = %s\n", pairs[i].name, pairs[i].text);
        else
            fprintf(out, "  %s = %.6g\n", pairs[i].name, pairs[i].value);
}

static bool print_curve(void *user, const store_curve *curve)
{
    if (curve->count)
        fprintf(user, "curve       %s: %lld points, %.4g at epoch %lld to %.4g at epoch %lld\n", curve->name,
                (long long)curve->count, curve->values[0], (long long)curve->epochs[0], curve->values[curve->count - 1],
                (long long)curve->epochs[curve->count - 1]);
    return true;
}

/* A few numbers of a list; all of them with --json, and drawn by `plot heat --vector`. */
static bool print_vector(void *user, const store_vector *v)
{
    enum { SHOWN = 6 };
    if (strcmp(v->name, STORE_SPLIT) == 0) return true;
    fprintf(user, "vector      %s: %lld numbers", v->name, (long long)v->count);
    for (int64_t i = 0; i < v->count && i < SHOWN; i++) fprintf(user, "%s%.4g", i ? ", " : ": ", v->values[i]);
    fputs(v->count > SHOWN ? ", ...\n" : "\n", user);
    return true;
}

static void print_head(const shown *e, int64_t index, FILE *out)
{
    const shown_trial *t = &e->trials[index];
    fprintf(out, "trial       %s:%lld\nkey         %s\nmethod      %s\noutcome     %s\n", e->name, (long long)index,
            t->key, show_title(e, index), store_outcome_name(t->outcome));
    if (t->message)
        fprintf(out, "%s     %.*s\n", t->outcome == STORE_OK ? "warning" : "message", first_line(t->message),
                t->message);
    if (t->tried > 0) fprintf(out, "chosen      by its validation score among %lld settings\n", (long long)t->tried);
    if (t->tried == STORE_CANDIDATE) fputs("chosen      no: a setting that a search tried\n", out);
    print_costs(t, out);
}

static void print_text(const char *title, const char *text, FILE *out)
{
    if (text && *text) fprintf(out, "%s\n%s\n", title, text);
}

cru_status show_trial(store *s, const shown *e, int64_t index, FILE *out, cru_error *err)
{
    const shown_trial *t = &e->trials[index];
    char *log = NULL, source[STORE_KEY];
    cru_status status = store_get_source(s, t->key, source, err);
    if (!status) status = store_get_log(s, t->key, &log, err);
    if (status) return status;
    print_head(e, index, out);
    if (*source) fprintf(out, "judged      from the kept scores of trial %.*s, which was trained\n", SHORT_KEY, source);
    status = store_each_curve(s, t->key, print_curve, out, err);
    print_pairs("settings", t->settings, t->setting_count, out);
    print_pairs("numbers", t->numbers, t->number_count, out);
    if (!status) status = store_each_vector(s, t->key, print_vector, out, err);
    print_text("log", log ? log : t->message ? strchr(t->message, '\n') : NULL, out);
    free(log);
    return status;
}

static bool add_curve(void *user, const store_curve *curve)
{
    cJSON *object = cJSON_CreateObject();
    double *epochs = calloc((size_t)curve->count + 1, sizeof *epochs);
    for (int64_t i = 0; epochs && i < curve->count; i++) epochs[i] = (double)curve->epochs[i];
    if (epochs) json_add_numbers(object, "epochs", epochs, curve->count);
    json_add_numbers(object, "values", curve->values, curve->count);
    cJSON_AddItemToObject(user, curve->name, object);
    free(epochs);
    return true;
}

static bool add_vector(void *user, const store_vector *v)
{
    if (strcmp(v->name, STORE_SPLIT) != 0) json_add_numbers(user, v->name, v->values, v->count);
    return true;
}

cJSON *show_trial_json(store *s, const shown *e, int64_t index, cru_error *err)
{
    char *log = NULL, source[STORE_KEY];
    if (store_get_source(s, e->trials[index].key, source, err)) return NULL;
    if (store_get_log(s, e->trials[index].key, &log, err)) return NULL;
    cJSON *object = trial_json(e, index), *curves = cJSON_AddObjectToObject(object, "curves");
    json_add_text(object, "log", log);
    json_add_text(object, "judged_from", *source ? source : NULL);
    free(log);
    cJSON *vectors = cJSON_AddObjectToObject(object, "vectors");
    if (!store_each_curve(s, e->trials[index].key, add_curve, curves, err) &&
        !store_each_vector(s, e->trials[index].key, add_vector, vectors, err))
        return object;
    cJSON_Delete(object);
    return NULL;
}
