// SPDX-License-Identifier: Apache-2.0
#include "serve/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"
#include "report/report.h"
#include "store/store.h"

enum { PACE = 30, FAILURES = 20 };

static const char page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>crucible</title>"
    "<style>:root{color-scheme:light dark}body{font:16px/1.4 system-ui,sans-serif;margin:1rem 2rem}"
    "table{border-collapse:collapse}td,th{padding:.15rem "
    ".8rem;text-align:right}td:first-child,th:first-child{text-align:"
    "left}progress{width:100%;height:1rem}iframe{width:100%;height:80vh;border:1px solid #8888;margin-top:1rem}"
    "#failures{font-family:monospace;white-space:pre-wrap}</style>"
    "<h1>crucible</h1><p id=\"state\">...</p><progress id=\"bar\" max=\"1\" value=\"0\"></progress>"
    "<table><thead><tr><th>experiment<th>trials<th>done<th>failed<th>to do</thead><tbody id=\"list\"></tbody></table>"
    "<h2 id=\"head\" hidden>Without a result</h2><div id=\"failures\"></div>"
    "<iframe id=\"report\" title=\"report\"></iframe>"
    "<script>\n"
    "let shown = null;\n"
    "const byId = id => document.getElementById(id);\n"
    "const words = s => s >= 3600 ? (s / 3600).toFixed(1) + ' h' : s >= 60 ? Math.round(s / 60) + ' min'\n"
    "  : Math.round(s) + ' s';\n"
    "function show(p) {\n"
    "  const latest = p.experiments.find(e => e.name === p.latest), rows = [];\n"
    "  for (const e of p.experiments) {\n"
    "    const row = document.createElement('tr');\n"
    "    for (const text of [e.name, e.trials, e.ok, e.failed, e.pending]) {\n"
    "      const cell = document.createElement('td');\n"
    "      cell.textContent = text;\n"
    "      row.append(cell);\n"
    "    }\n"
    "    rows.push(row);\n"
    "  }\n"
    "  byId('list').replaceChildren(...rows);\n"
    "  if (!latest) { byId('state').textContent = 'nothing was run yet'; return; }\n"
    "  const done = latest.trials - latest.pending;\n"
    "  byId('bar').value = latest.trials ? done / latest.trials : 0;\n"
    "  byId('state').textContent = latest.name + ': ' + done + ' of ' + latest.trials + ' trials'\n"
    "    + (latest.pending && p.seconds_left !== null ? ', about ' + words(p.seconds_left) + ' left' : '');\n"
    "  byId('head').hidden = !p.failures.length;\n"
    "  byId('failures').textContent = p.failures.map(f => f.method + ': ' + f.outcome + ': ' + "
    "f.message).join('\\n');\n"
    "  if (latest.ok && shown !== latest.name + done) {\n"
    "    shown = latest.name + done;\n"
    "    byId('report').src = 'report?experiment=' + encodeURIComponent(latest.name) + '&at=' + done;\n"
    "  }\n"
    "}\n"
    "async function look() {\n"
    "  try { show(await (await fetch('progress.json')).json()); }\n"
    "  catch (e) { byId('state').textContent = 'the server does not answer'; }\n"
    "  setTimeout(look, 2000);\n"
    "}\n"
    "look();\n"
    "</script></html>\n";

static live_answer answer(int code, const char *type, const char *text)
{
    char *copy = strdup(text);
    return (live_answer){code, type, copy, copy ? strlen(copy) : 0};
}

static live_answer plain(int code, const char *text)
{
    return answer(code, "text/plain; charset=utf-8", text);
}

/* ---- progress -------------------------------------------------------------------------------------------- */

typedef struct names {
    cJSON *list;
    int64_t ids[1000];
    int64_t count;
} names;

static bool add_experiment(void *user, const store_experiment_view *view)
{
    names *n = user;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", view->name);
    cJSON_AddItemToArray(n->list, object);
    n->ids[n->count++] = view->id;
    return n->count < (int64_t)(sizeof n->ids / sizeof *n->ids);
}

static cru_status add_counts(store *s, const names *n, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < n->count; i++) {
        int64_t counts[STORE_OUTCOMES], all = 0, failed = 0;
        cJSON *object = cJSON_GetArrayItem(n->list, (int)i);
        status = store_count(s, n->ids[i], counts, err);
        for (int k = 0; !status && k < STORE_OUTCOMES; k++) all += counts[k];
        for (int k = STORE_OOM; !status && k < STORE_OUTCOMES; k++) failed += counts[k];
        if (status) break;
        json_add_number(object, "trials", (double)all);
        json_add_number(object, "ok", (double)counts[STORE_OK]);
        json_add_number(object, "failed", (double)failed);
        json_add_number(object, "pending", (double)counts[STORE_PENDING]);
    }
    return status;
}

typedef struct pace {
    int64_t first, last, count; /* milliseconds of the oldest and the latest end that were seen */
} pace;

static bool add_end(void *user, const store_trial_view *view)
{
    pace *p = user;
    if (!p->count++) p->last = view->finished_ms;
    p->first = view->finished_ms;
    return true;
}

/* By the pace of the trials that ended last. */
static cru_status add_time_left(store *s, int64_t id, cJSON *object, cru_error *err)
{
    pace p = {0};
    int64_t counts[STORE_OUTCOMES];
    cru_status status = store_each_latest(s, &(store_latest){.experiment = id, .most = PACE}, add_end, &p, err);
    if (!status) status = store_count(s, id, counts, err);
    if (status) return status;
    double each = p.count > 1 ? (double)(p.last - p.first) / 1000 / (double)(p.count - 1) : NAN;
    json_add_number(object, "seconds_left", each * (double)counts[STORE_PENDING]);
    return CRU_OK;
}

static bool add_failure(void *user, const store_trial_view *view)
{
    char message[300] = "";
    if (view->message) snprintf(message, sizeof message, "%.*s", (int)strcspn(view->message, "\n"), view->message);
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "method", view->alias ? view->alias : "");
    json_add_text(object, "outcome", store_outcome_name(view->outcome));
    json_add_text(object, "message", printable(message, false));
    cJSON_AddItemToArray(user, object);
    return true;
}

static cru_status describe_latest(store *s, cJSON *object, cru_error *err)
{
    int64_t id;
    cJSON *failures = cJSON_AddArrayToObject(object, "failures");
    cru_status status = store_find_experiment(s, NULL, &id, err);
    if (status || !id) return status;
    status = add_time_left(s, id, object, err);
    if (status) return status;
    return store_each_latest(s, &(store_latest){.experiment = id, .most = FAILURES, .failed = true}, add_failure,
                             failures, err);
}

typedef struct latest_name {
    int64_t id;
    char text[300];
} latest_name;

static bool find_name(void *user, const store_experiment_view *view)
{
    latest_name *l = user;
    if (view->id == l->id) snprintf(l->text, sizeof l->text, "%s", view->name);
    return view->id != l->id;
}

static live_answer progress(store *s)
{
    cru_error err = {0};
    latest_name latest = {0};
    cJSON *object = cJSON_CreateObject();
    names *n = calloc(1, sizeof *n);
    cru_status status = n ? CRU_OK : cru_fail(&err, CRU_NO_MEMORY, "no memory");
    if (n) n->list = cJSON_AddArrayToObject(object, "experiments");
    if (!status) status = store_each_experiment(s, add_experiment, n, &err);
    if (!status) status = add_counts(s, n, &err);
    if (!status) status = describe_latest(s, object, &err);
    if (!status) status = store_find_experiment(s, NULL, &latest.id, &err);
    if (!status) status = store_each_experiment(s, find_name, &latest, &err);
    json_add_text(object, "latest", latest.text);
    char *text = status ? NULL : cJSON_PrintUnformatted(object);
    live_answer out = text ? answer(200, "application/json", text) : plain(500, err.text);
    cJSON_free(text);
    cJSON_Delete(object);
    free(n);
    return out;
}

/* ---- report ---------------------------------------------------------------------------------------------- */

static live_answer write_report(store *s, const char *experiment)
{
    report *r;
    cru_error err = {0};
    live_answer out = {.code = 200, .type = "text/html; charset=utf-8"};
    cru_status status = report_make(s, &(report_request){.experiment = experiment, .digits = -1, .rope = -1}, &r, &err);
    if (status) return plain(status == CRU_BAD_INPUT ? 404 : 500, err.text);
    FILE *file = open_memstream(&out.text, &out.size);
    status = file ? report_write(r, REPORT_HTML, file, &err) : cru_fail(&err, CRU_NO_MEMORY, "no memory");
    if (file) fclose(file);
    report_destroy(r);
    if (!status) return out;
    free(out.text);
    return plain(500, err.text);
}

live_answer live_get(const char *db, const char *path, const char *experiment)
{
    store *s;
    cru_error err = {0};
    bool of_report = strcmp(path, "/report") == 0;
    if (strcmp(path, "/") == 0) return answer(200, "text/html; charset=utf-8", page);
    if (!of_report && strcmp(path, "/progress.json") != 0) return plain(404, "not found\n");
    if (store_open(db, &(store_options){.read_only = true}, &s, &err) != CRU_OK) return plain(500, err.text);
    live_answer out = of_report ? write_report(s, experiment) : progress(s);
    store_close(s, NULL);
    return out;
}
