// SPDX-License-Identifier: Apache-2.0
#include "cli/study-page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/claims-study.h"
#include "cli/report-options.h"
#include "cli/settings-table.h"
#include "report/format/escape.h"
#include "report/format/page.h"

enum { STUDIES_MOST = 16, SOURCES_MOST = 4096 };

/* A piece of the page, written before what stands above it is known. */
typedef struct piece {
    char *text;
    size_t size;
    FILE *out;
} piece;

static void piece_open(piece *p)
{
    p->out = open_memstream(&p->text, &p->size);
    if (!p->out) cru_panic(CRU_NO_MEMORY, "no memory for a page");
}

static void piece_close(piece *p)
{
    if (p->out && fclose(p->out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for a page");
    p->out = NULL;
}

typedef struct making {
    const session_request *q;
    const cli_words *dbs;
    store *stores[CLI_WORDS_MAX];
    int store_count;
    char studies[STUDIES_MOST][80];
    int study_count;
    frame_source sources[SOURCES_MOST]; /* of all trials */
    int64_t source_count;
    piece index, claims, sections;
} making;

static void put(const char *before, const char *text, const char *after, FILE *out)
{
    fputs(before, out);
    escape_html(out, text);
    fputs(after, out);
}

/* ---- one artefact ---------------------------------------------------------------------------------------- */

static void note_study(making *m, const char *artefact)
{
    char study[80];
    snprintf(study, sizeof study, "%.*s", (int)strcspn(artefact, "/"), artefact);
    for (int i = 0; i < m->study_count; i++)
        if (strcmp(m->studies[i], study) == 0) return;
    if (m->study_count < STUDIES_MOST) memcpy(m->studies[m->study_count++], study, sizeof study);
}

static void note_sources(making *m, const artefact_view *v)
{
    for (int s = 0; s < m->store_count; s++)
        for (int64_t i = 0; i < v->plan.part_count && m->source_count + 2 <= SOURCES_MOST; i++) {
            int64_t id = 0;
            if (store_find_experiment(m->stores[s], v->plan.parts[i].experiment, &id, NULL) != CRU_OK || !id) continue;
            m->sources[m->source_count++] = (frame_source){m->stores[s], id};
            m->sources[m->source_count++] = (frame_source){m->stores[s], store_former(id)};
        }
}

static void put_index(making *m, const artefact_view *v)
{
    FILE *out = m->index.out;
    const layout *l = &v->layout;
    put("<tr><td><a href=\"#", v->file->name, "\">", out);
    put("", v->file->name, "</a></td><td>", out);
    put("", v->file->settings.title, "</td>", out);
    const int64_t counts[] = {l->cells, l->cells ? l->measured : l->filled, l->judged, l->inside};
    for (int i = 0; i < 4; i++) fprintf(out, "<td class=\"number\">%lld</td>", (long long)counts[i]);
    fputs("<td>", out);
    for (int64_t i = 0; i < v->plan.missing_count; i++) put(i ? ", " : "", v->plan.missing[i].name, "", out);
    fputs("</td></tr>\n", out);
}

/* What stands below the table: where it comes from, and the lines of settings. */
static char *more_of(const artefact_view *v)
{
    piece p;
    piece_open(&p);
    if (v->file->settings.kind == ARTEFACT_SETTINGS) {
        piece text;
        piece_open(&text);
        settings_table_print(v, &v->settings, REPORT_TEXT, text.out);
        piece_close(&text);
        fputs("<pre>", p.out);
        for (char *line = text.text, *end; *line; line = end) { /* what is escaped has no line ends */
            end = line + strcspn(line, "\n");
            const bool more = *end == '\n';
            if (more) *end++ = '\0';
            put("", line, more ? "\n" : "", p.out);
        }
        fputs("</pre>\n", p.out);
        free(text.text);
    } else if (!v->f || !v->f->count) {
        fputs("<p class=\"legend\">Nothing of it has been run.</p>\n", p.out);
    }
    put("<p class=\"legend\"><code>crucible run ", v->file->name, "</code></p>\n", p.out);
    piece_close(&p);
    return p.text;
}

/* The report behind a figure, or behind a table that nobody printed; NULL: there is none. */
static report *report_of_view(const artefact_view *v)
{
    report *r;
    report_request request = {.digits = -1, .metrics = *v->file->settings.metric ? v->file->settings.metric : NULL};
    const bool wanted = !v->layout.t || *v->file->settings.plot;
    if (!wanted || !v->f || !v->f->count || report_of_frame(v->f, &request, &r, NULL) != CRU_OK) return NULL;
    r->maps = v->maps;
    return r;
}

static void put_artefact(making *m, const artefact_view *v)
{
    report *r = report_of_view(v);
    const table *t = v->layout.t ? v->layout.t : r && r->count ? r->tables[0] : NULL;
    char *more = more_of(v), heading[400];
    plot_input in;
    if (v->layout.t) artefact_published_style(m->q->published, &v->layout.t->published);
    snprintf(heading, sizeof heading, "%s: %s", v->file->name, v->file->settings.title);
    page_section s = {.id = v->file->name, .heading = heading, .more = more};
    if (r && r->count && *v->file->settings.plot) {
        in = report_input(r, 0);
        in.table_count = r->together;
        s.in = &in;
        s.kind = plot_find(v->file->settings.plot);
    }
    page_table(&s, t, m->sections.out);
    free(more);
}

/* A broken one has printed what is wrong with it, and the others follow. */
static int add_artefact(making *m, const char *path)
{
    artefact_view v;
    session_request own = *m->q;
    own.db = m->dbs->count ? m->dbs->word[0] : NULL;
    own.quiet = own.of_many = true;
    int code = artefact_view_open(path, &own, &v);
    if (v.nothing) {
        artefact_view_close(&v);
        return CLI_OK;
    }
    if (code == CLI_GO_ON)
        code = access(own.db ? own.db : "results.db", W_OK) == 0 ? artefact_view_enter(&v, &own) : CLI_OK;
    if (code == CLI_OK) code = artefact_view_load(&v, m->dbs, true);
    if (code == CLI_OK) {
        note_study(m, v.file->name);
        note_sources(m, &v);
        put_index(m, &v);
        put_artefact(m, &v);
    }
    artefact_view_close(&v);
    return code;
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

static void put_claim(void *user, const claim *c, const claim_result results[2])
{
    making *m = user;
    char text[600];
    put("<tr><td>", c->says && *c->says ? c->says : c->name, "<br><small>", m->claims.out);
    put("", c->text, "</small></td>", m->claims.out);
    for (int i = 0; i < 2; i++) {
        claims_say(&results[i], text, sizeof text);
        put("<td>", text, "</td>", m->claims.out);
    }
    fputs("</tr>\n", m->claims.out);
}

static int add_claims(making *m)
{
    int worst = CLI_OK;
    bool some = false;
    for (int i = 0; i < m->study_count; i++) {
        bool any;
        const claims_request r = {.study = m->studies[i], .q = m->q, .dbs = m->dbs, .visit = put_claim, .user = m};
        int code = claims_of_study(&r, &any);
        some |= any;
        if (code > worst) worst = code;
    }
    piece_close(&m->claims);
    if (!some) m->claims.size = 0;
    return worst;
}

/* ---- the page -------------------------------------------------------------------------------------------- */

static void put_page(making *m, frame *f, FILE *out)
{
    char title[400] = "";
    for (int i = 0; i < m->study_count; i++) {
        const size_t used = strlen(title);
        snprintf(title + used, sizeof title - used, "%s%s", i ? ", " : "", m->studies[i]);
    }
    page_open(title, out);
    if (f) page_summary(f, out);
    fputs("<main>\n<section id=\"index\"><h2>Artefacts</h2>\n<div class=\"scroll\"><table class=\"list\"><thead><tr>"
          "<th>artefact</th><th>what it is</th><th>published cells</th><th>measured</th><th>judged</th><th>inside</th>"
          "<th>missing</th></tr></thead>\n<tbody>\n",
          out);
    fwrite(m->index.text, 1, m->index.size, out);
    fputs("</tbody></table></div></section>\n", out);
    if (m->claims.size) {
        fputs("<section id=\"claims\"><h2>Findings</h2>\n<div class=\"scroll\"><table class=\"list\"><thead><tr>"
              "<th>claim</th><th>in print</th><th>in ours</th></tr></thead>\n<tbody>\n",
              out);
        fwrite(m->claims.text, 1, m->claims.size, out);
        fputs("</tbody></table></div></section>\n", out);
    }
    fwrite(m->sections.text, 1, m->sections.size, out);
    if (f) page_trials(f, out);
    page_close(out);
}

static int make_page(making *m, const artefact_words *named, FILE *out)
{
    cru_error err = {0};
    frame *f = NULL;
    int worst = CLI_OK;
    for (int64_t i = 0; i < named->count; i++) {
        int code = add_artefact(m, named->path[i]);
        if (code > worst) worst = code;
    }
    int code = add_claims(m);
    if (code > worst) worst = code;
    piece_close(&m->index);
    piece_close(&m->sections);
    if (m->source_count && frame_load(m->sources, m->source_count, &f, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (f) f->experiment = m->study_count ? m->studies[0] : "artefacts";
    put_page(m, f, out);
    frame_destroy(f);
    return worst;
}

int study_page_write(const session_request *q, const artefact_words *named, const cli_words *dbs, FILE *out)
{
    making *m = calloc(1, sizeof *m);
    if (!m) return cli_fail("no memory for a page");
    m->q = q;
    m->dbs = dbs;
    int code = report_options_open(dbs, m->stores);
    m->store_count = code == CLI_OK ? (dbs->count ? dbs->count : 1) : 0;
    piece_open(&m->index);
    piece_open(&m->claims);
    piece_open(&m->sections);
    if (code == CLI_OK) code = make_page(m, named, out);
    piece *const pieces[] = {&m->index, &m->claims, &m->sections};
    for (int i = 0; i < 3; i++) {
        piece_close(pieces[i]);
        free(pieces[i]->text);
    }
    report_options_close(m->stores, m->store_count);
    free(m);
    return code;
}
