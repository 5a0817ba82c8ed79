// SPDX-License-Identifier: Apache-2.0
/* Published values, the layout of an artefact with what was measured, and claims over it. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <crucible/plugin.h>

#include "study/claims.h"
#include "study/layout.h"

static char folder[] = "/tmp/crucible-study-XXXXXX";
static cru_arena *arena;

static void setup(void)
{
    strcpy(folder, "/tmp/crucible-study-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    arena = cru_arena_create();
}

static const char *file(const char *name, const char *text)
{
    char *path = cru_arena_alloc(arena, 200, 1);
    snprintf(path, 200, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    return path;
}

static void teardown(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    cru_arena_destroy(arena);
}

static const char values[] = "table,dataset,damage,rate,method,metric,mean,std,mark\n"
                             "1,a,clean,,gcn,accuracy,80.0,1.0,\n"
                             "1,a,clean,,mlp,accuracy,70.0,,\n"
                             "1,a,pair,0.3,gcn,accuracy,60.0,5.0,\n"
                             "1,a,pair,0.3,mlp,accuracy,50.0,1.0,damaged\n"
                             "1,b,clean,,gcn,accuracy,90.0,1.0,\n";

static published read_values(const char *text, const char *where)
{
    published p;
    cru_error err = {0};
    ck_assert_msg(published_read(arena, file("p.csv", text), &p, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(published_filter(arena, &p, where, &err) == CRU_OK, "%s", err.text);
    return p;
}

/* Tables of datasets: numbers and words under one heading. */
START_TEST(words_among_values_are_no_values)
{
    const published p =
        read_values("table,dataset,key,value\n3,a,nodes,12\n3,a,relation,under-same-post\n3,b,nodes,7.5\n", "");
    ck_assert_int_eq(p.mean, 3);
    ck_assert_double_eq(p.lines[0].mean, 12);
    ck_assert_double_nan(p.lines[1].mean);
    ck_assert_double_eq(p.lines[2].mean, 7.5);
    ck_assert_double_nan(p.lines[2].std);
}
END_TEST

START_TEST(conditions_choose_lines_of_a_print)
{
    ck_assert_int_eq(read_values(values, "").count, 5);
    ck_assert_int_eq(read_values(values, "dataset=a").count, 4);
    ck_assert_int_eq(read_values(values, "dataset!=a").count, 1);
    ck_assert_int_eq(read_values(values, "damage=clean, pair, method=mlp").count, 2);
}
END_TEST

START_TEST(open_cells_repeat_those_of_the_first_value)
{
    published p = read_values(values, "");
    cru_error err = {0};
    ck_assert(published_open(arena, &p, "dataset: c, d", &err) == CRU_OK);
    ck_assert_int_eq(p.count, 5 + 2 * 4);
    ck_assert_str_eq(p.lines[5].fields[1], "c");
    ck_assert(p.lines[5].open && isnan(p.lines[5].mean));
    ck_assert(published_open(arena, &p, "dateset: c", &err) == CRU_BAD_INPUT);
    p.count = 0;
    ck_assert(published_open(arena, &p, "dataset: c", &err) == CRU_BAD_INPUT);
}
END_TEST

/* ---- trials by hand -------------------------------------------------------------------------------------- */

enum { TRIALS = 6 };

static frame_column column(const char *name, const char *const *levels, int32_t count, const int32_t *ids)
{
    frame_column c = {.name = name, .level_count = count};
    c.levels = cru_arena_alloc(arena, count, sizeof *c.levels);
    memcpy(c.levels, levels, (size_t)count * sizeof *levels);
    c.ids = cru_arena_alloc(arena, TRIALS, sizeof *c.ids);
    memcpy(c.ids, ids, TRIALS * sizeof *ids);
    return c;
}

/* gcn and mlp on a, clean, two seeds; gcn on a under pair noise of 0.30 (as a number the same as 0.3), two seeds. */
static frame *trials(const double *accuracy, const int32_t *seeds)
{
    frame *f = cru_arena_alloc_zeroed(arena, 1, sizeof *f);
    static const store_outcome outcomes[TRIALS] = {STORE_OK, STORE_OK, STORE_OK, STORE_OK, STORE_OK, STORE_OK};
    f->arena = arena;
    f->count = TRIALS;
    f->outcomes = cru_arena_alloc(arena, TRIALS, sizeof *f->outcomes);
    memcpy(f->outcomes, outcomes, sizeof outcomes);
    f->tried = cru_arena_alloc_zeroed(arena, TRIALS, sizeof *f->tried);
    f->keys = cru_arena_alloc_zeroed(arena, TRIALS, sizeof *f->keys);
    f->columns = cru_arena_alloc(arena, 8, sizeof *f->columns);
    f->columns[f->column_count++] =
        column("alias", (const char *const[]){"gcn", "mlp"}, 2, (const int32_t[]){0, 0, 1, 1, 0, 0});
    f->columns[f->column_count++] =
        column("dataset", (const char *const[]){"a"}, 1, (const int32_t[]){0, 0, 0, 0, 0, 0});
    f->columns[f->column_count++] =
        column("corruptor", (const char *const[]){"none", "pair"}, 2, (const int32_t[]){0, 0, 0, 0, 1, 1});
    f->columns[f->column_count++] =
        column("corruptor.rate", (const char *const[]){"0.30"}, 1, (const int32_t[]){-1, -1, -1, -1, 0, 0});
    f->columns[f->column_count++] = column("seed", (const char *const[]){"0", "1"}, 2, seeds);
    f->measures = cru_arena_alloc_zeroed(arena, 1, sizeof *f->measures);
    f->measures[0] = (frame_measure){.name = "accuracy", .flags = CRU_METRIC_PERCENT, .listed = true};
    f->measures[0].values = cru_arena_alloc(arena, TRIALS, sizeof(double));
    memcpy(f->measures[0].values, accuracy, TRIALS * sizeof(double));
    f->measure_count = 1;
    return f;
}

static const double usual[TRIALS] = {0.80, 0.84, 0.70, 0.74, 0.40, 0.44};
static const int32_t two_seeds[TRIALS] = {0, 1, 0, 1, 0, 1};

static artefact_file *artefact(const char *text)
{
    artefact_file *a;
    diagnostics diags = {0};
    cru_status status = artefact_read(file("table-1.ini", text), &a, &diags);
    if (status) diagnostics_print(&diags, stderr);
    ck_assert(status == CRU_OK);
    diagnostics_clear(&diags);
    return a;
}

static const char plain[] = "[artefact]\nrows = dataset, damage, rate\ncols = method\n";

static cru_status lay_out(const artefact_file *a, const published *p, frame *f, layout *l, cru_error *err)
{
    return layout_make(&(layout_request){.artefact = a, .print = p, .f = f, .arena = arena}, l, err);
}

START_TEST(a_cell_has_the_runs_that_the_print_describes)
{
    artefact_file *a = artefact(plain);
    published p = read_values(values, "");
    layout l;
    cru_error err = {0};
    ck_assert_msg(lay_out(a, &p, trials(usual, two_seeds), &l, &err) == CRU_OK, "%s", err.text);
    ck_assert_int_eq(l.t->row_count, 3);
    ck_assert_int_eq(l.t->col_count, 2);
    const table_cell *cell = table_at(l.t, 0, 0);
    ck_assert_int_eq(cell->run_count, 2);
    ck_assert_double_eq_tol(cell->mean, 82, 1e-9);        /* (80 + 84) / 2, in per cent */
    ck_assert_double_eq_tol(cell->spread, sqrt(8), 1e-9); /* over n - 1 */
    ck_assert(cell->inside && !cell->unjudged);           /* 2 points away, which is within max(2, 2 * 1) */
    ck_assert_int_eq(cell->place, 1);                     /* methods are columns: best of its row */
    ck_assert_int_eq(table_at(l.t, 0, 1)->place, 2);
    ck_assert(!table_at(l.t, 1, 0)->inside); /* 42 against 60 with 2 * 5 */
    ck_assert_int_eq(table_at(l.t, 2, 0)->mark, TABLE_MISSING);
    ck_assert(isnan(table_at(l.t, 2, 1)->reference_mean) && !table_at(l.t, 2, 1)->has_reference);
    ck_assert_int_eq(l.cells, 5);
    ck_assert_int_eq(l.measured, 3);
    ck_assert_int_eq(l.judged, 3);
    ck_assert_int_eq(l.inside, 2); /* mlp: 72 against 70, whose std is not printed: within our own 2 * sqrt(8) */
    artefact_destroy(a);
}
END_TEST

START_TEST(two_runs_of_a_seed_in_a_cell_are_told)
{
    artefact_file *a = artefact(plain);
    published p = read_values(values, "");
    layout l;
    cru_error err = {0};
    ck_assert(lay_out(a, &p, trials(usual, (const int32_t[]){0, 0, 0, 1, 0, 1}), &l, &err) == CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(
        strstr(err.text, "table-1.ini:2: rows: the cell (a clean, gcn) has several runs of one seed"));
    artefact_destroy(a);
}
END_TEST

static const char *setting(void *user, const char *ours)
{
    const char *const *pairs = user;
    for (int i = 0; pairs[i]; i += 2)
        if (strcmp(pairs[i], ours) == 0) return pairs[i + 1];
    return "";
}

START_TEST(only_trials_of_the_print_take_part)
{
    artefact_file *a = artefact(plain);
    published p = read_values(values, "");
    layout l;
    cru_error err = {0};
    ck_assert(lay_out(a, &p, NULL, &l, &err) == CRU_OK);
    const struct {
        const char *settings[9];
        bool takes;
    } cases[] = {
        {{"alias", "gcn", "dataset", "a", "corruptor", "none"}, true},
        {{"alias", "gcn", "dataset", "b", "corruptor", "none"}, true},
        {{"alias", "mlp", "dataset", "b", "corruptor", "none"}, false}, /* not printed */
        {{"alias", "gcn", "dataset", "a", "corruptor", "pair", "corruptor.rate", "0.3"}, true},
        {{"alias", "gcn", "dataset", "a", "corruptor", "pair", "corruptor.rate", "0.4"}, false},
        {{"alias", "gcn", "dataset", "c", "corruptor", "none"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(layout_takes(&l, a, setting, (void *)cases[i].settings) == cases[i].takes, "case %zu", i);
    artefact_destroy(a);
}
END_TEST

START_TEST(marks_stay_within_what_is_comparable)
{
    artefact_file *a = artefact("[artefact]\nrows = damage, rate, method\ncols = dataset\n");
    published p = read_values(values, "dataset=a");
    layout l;
    cru_error err = {0};
    ck_assert(lay_out(a, &p, trials(usual, two_seeds), &l, &err) == CRU_OK);
    ck_assert_int_eq(table_at(l.t, 0, 0)->place, 1); /* clean gcn */
    ck_assert_int_eq(table_at(l.t, 1, 0)->place, 2); /* clean mlp */
    ck_assert_int_eq(table_at(l.t, 2, 0)->place, 1); /* gcn is the only one under pair noise */
    artefact_destroy(a);
}
END_TEST

/* ---- claims ---------------------------------------------------------------------------------------------- */

static claim_list parse(const char *text, diagnostics *diags)
{
    claim_list list;
    claims_parse(arena, "claims.ini", text, strlen(text), &list, diags);
    return list;
}

static claim_result check(const char *holds, claim_side side)
{
    artefact_file *a = artefact(plain);
    published p = read_values(values, "");
    layout l;
    cru_error err = {0};
    char text[400];
    diagnostics diags = {0};
    claim_result r;
    ck_assert(lay_out(a, &p, trials(usual, two_seeds), &l, &err) == CRU_OK);
    snprintf(text, sizeof text, "[claim x]\nsource = table-1\n%s\n", holds);
    claim_list list = parse(text, &diags);
    ck_assert_msg(diags.count == 0, "%s", diags.count ? diags.items[0].text : "");
    ck_assert_msg(claim_check(arena, &list.items[0], side, (const layout *const[]){&l}, 1, &r, &err) == CRU_OK, "%s",
                  err.text);
    artefact_destroy(a);
    return r;
}

START_TEST(claims_follow_arithmetic)
{
    const struct {
        const char *holds;
        claim_verdict published, ours;
    } cases[] = {
        {"holds = accuracy[method=gcn] > accuracy[method=mlp]\nfor = dataset = a, damage = clean", CLAIM_HOLDS,
         CLAIM_HOLDS},
        {"holds = accuracy[method=gcn] - accuracy[method=mlp] > 10\nfor = dataset = a, damage = clean", CLAIM_FAILS,
         CLAIM_FAILS}, /* exactly 10 in both */
        {"holds = accuracy[damage=clean, rate=\"\"] - 2 * accuracy < 0\nfor = dataset = a, damage = pair, method = gcn",
         CLAIM_HOLDS, CLAIM_HOLDS}, /* 80 - 120, 82 - 84 */
        {"holds = mean(accuracy over method) >= 75\nfor = dataset = a, damage = clean", CLAIM_HOLDS, CLAIM_HOLDS},
        {"holds = min(accuracy over method) > 71\nfor = dataset = a, damage = clean", CLAIM_FAILS, CLAIM_HOLDS},
        {"holds = accuracy[damage=clean] > 85 and 1 + 2 * 3 > 6\nfor = dataset in all, method = gcn", CLAIM_FAILS,
         CLAIM_OPEN},
        {"holds = accuracy[damage=clean] > 85\nfor = dataset in all, method = gcn\nneeds = 50%", CLAIM_HOLDS,
         CLAIM_OPEN},
        {"holds = -accuracy < -(3 - 4) / 2\nfor = dataset = a, method in gcn mlp, damage = clean\ntest = p < 0.3",
         CLAIM_HOLDS, CLAIM_HOLDS}, /* four runs, all above: p = 2 / 16 */
        {"holds = accuracy > 0\nfor = dataset = a, method in gcn mlp, damage = clean\ntest = p < 0.1", CLAIM_HOLDS,
         CLAIM_OPEN}, /* four runs cannot give less than 0.125 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(check(cases[i].holds, CLAIM_PUBLISHED).verdict == cases[i].published, "published: %s",
                      cases[i].holds);
        ck_assert_msg(check(cases[i].holds, CLAIM_OURS).verdict == cases[i].ours, "ours: %s", cases[i].holds);
    }
    claim_result r = check("holds = accuracy[damage=clean] > 85\nfor = dataset in all, method = gcn", CLAIM_OURS);
    ck_assert_int_eq(r.combinations, 2);
    ck_assert_int_eq(r.known, 1);
    ck_assert_str_eq(r.missing, "accuracy[dataset=b, method=gcn, damage=clean]");
}
END_TEST

START_TEST(mistakes_in_claims_have_a_place)
{
    const struct {
        const char *text, *says;
    } cases[] = {
        {"holds = 1 <\n", "claims.ini:1: holds: stands before the first [claim NAME]"},
        {"[claim x]\nsource = t\nholds = 1 + < 2", "claims.ini:3: holds: column 5: expected a key, not <"},
        {"[claim x]\nsource = t\nholds = (1 < 2", "claims.ini:3: holds: column 4: expected )"},
        {"[claim x]\nsource = t\nholds = 1 < 2 3", "claims.ini:3: holds: column 7: expected and or the end, not 3"},
        {"[claim x]\nsource = t\nholds = mean(a) < 2", "claims.ini:3: holds: column 7: expected over, not )"},
        {"[claim x]\nsource = t\nholds = a ? 2", "claims.ini:3: holds: column 3: a sign that has no meaning here"},
        {"[claim x]\nsource = t\nholds = 1 < 2\nneeds = 120%",
         "claims.ini:4: needs: column 1: expected all or a share as 90%"},
        {"[claim x]\nholds = 1 < 2", "claims.ini:1: x: names no table; add source = table-1"},
        {"[claim x]\nsource = t", "claims.ini:1: x: says nothing that could hold; add holds = ..."},
        {"[clam x]\nsource = t", "claims.ini:1: clam x: expected [claim NAME]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        diagnostics diags = {0};
        parse(cases[i].text, &diags);
        ck_assert_int_eq(diags.count, 1);
        ck_assert_str_eq(diags.items[0].text, cases[i].says);
        diagnostics_clear(&diags);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("study");
    TCase *tests = tcase_create("artefacts and claims");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, words_among_values_are_no_values);
    tcase_add_test(tests, conditions_choose_lines_of_a_print);
    tcase_add_test(tests, open_cells_repeat_those_of_the_first_value);
    tcase_add_test(tests, a_cell_has_the_runs_that_the_print_describes);
    tcase_add_test(tests, two_runs_of_a_seed_in_a_cell_are_told);
    tcase_add_test(tests, only_trials_of_the_print_take_part);
    tcase_add_test(tests, marks_stay_within_what_is_comparable);
    tcase_add_test(tests, claims_follow_arithmetic);
    tcase_add_test(tests, mistakes_in_claims_have_a_place);
    suite_add_tcase(s, tests);
    return s;
}
