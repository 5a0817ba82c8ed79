// SPDX-License-Identifier: Apache-2.0
/* From sections to trials: grids, chains, order, precedence and the canonical text. */
#include <sys/stat.h>

#include "config/bench.h"

/* Trial number `index` as "dataset|chain|rates|seed|algorithm|hidden". */
static const char *described(const bench *b, int64_t index)
{
    static char out[400];
    trial t;
    experiment_trial(b->e, index, &t);
    int used = snprintf(out, sizeof out, "%s|%s|", t.dataset->label, t.chain_label);
    for (int32_t i = 0; i < t.chain_count; i++) {
        cru_settings *s = variant_settings(t.chain[i]);
        used += snprintf(out + used, sizeof out - (size_t)used, "%g ",
                         ((const rate_settings *)cru_settings_struct(s))->rate);
        cru_settings_destroy(s);
    }
    used +=
        snprintf(out + used, sizeof out - (size_t)used, "|%llu|%s|", (unsigned long long)t.seed, t.algorithm->label);
    if (t.algorithm->params) {
        cru_settings *s = variant_settings(t.algorithm);
        snprintf(out + used, sizeof out - (size_t)used, "%lld",
                 (long long)(((const gcn_settings *)cru_settings_struct(s))->hidden));
        cru_settings_destroy(s);
    }
    return out;
}

START_TEST(lists_multiply_and_the_algorithm_changes_fastest)
{
    bench b = bench_open();
    bench_expect(&b, "[experiment]\nseeds = 0..1\n[dataset cora]\n[dataset sbm]\n[corruptor uniform]\nrate = 0, 0.5\n"
                     "[algorithm gcn]\nhidden = 8, 16\n[algorithm mlp]\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 2 * 2 * 2 * 3);
    ck_assert_str_eq(described(&b, 0), "cora|uniform|0 |0|gcn|8");
    ck_assert_str_eq(described(&b, 1), "cora|uniform|0 |0|gcn|16");
    ck_assert_str_eq(described(&b, 2), "cora|uniform|0 |0|mlp|");
    ck_assert_str_eq(described(&b, 3), "cora|uniform|0 |1|gcn|8");
    ck_assert_str_eq(described(&b, 6), "cora|uniform|0.5 |0|gcn|8");
    ck_assert_str_eq(described(&b, 12), "sbm|uniform|0 |0|gcn|8");
    ck_assert_str_eq(described(&b, 23), "sbm|uniform|0.5 |1|mlp|");
    bench_close(&b);
}
END_TEST

/* "scheme key=value ..." of a trial's split, with all its settings. */
static const char *split_text(const bench *b, int64_t index)
{
    static char out[400];
    trial t;
    experiment_trial(b->e, index, &t);
    snprintf(out, sizeof out, "%s %s", t.split->plugin->name, t.split->text);
    for (char *c = out; *c; c++)
        if (*c == '\n') *c = ' ';
    return out;
}

START_TEST(a_card_tells_how_a_study_splits)
{
    bench b = bench_open();
    bench_expect(&b, "[dataset citeseer]\n[algorithm gcn]\n[split]\nscheme = card\nprotocol = noisygl\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 1);
    ck_assert_str_eq(split_text(&b, 0), "percent base=-1 train=0.05 val=0.15 ");
    bench_expect(&b, "[dataset citeseer]\n[algorithm gcn]\n[split]\nscheme = card, percent\n"
                     "protocol = noisygl, igl\nval = 0.3\nbase = 7\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 3);
    ck_assert_str_eq(split_text(&b, 0), "percent base=7 train=0.05 val=0.3 ");
    ck_assert_str_eq(split_text(&b, 1), "per-class test_size=1000 train_size=20 val_size=500 ");
    ck_assert_str_eq(split_text(&b, 2), "percent base=7 train=0.6 val=0.3 ");
    bench_close(&b);
}
END_TEST

/* "dataset algorithm scheme monitor-epochs preprocess-features rate-of-the-first-metric" */
static const char *protocol_of(const bench *b, int64_t index)
{
    static char out[400];
    trial t;
    experiment_trial(b->e, index, &t);
    cru_settings *monitor = variant_settings(t.monitor), *before = variant_settings(t.preprocess);
    cru_settings *metric = variant_settings(t.metrics[0]);
    snprintf(out, sizeof out, "%s %s %s %d %d %g", t.dataset->label, t.algorithm->label, t.split->plugin->name,
             (int)((const monitor_settings *)cru_settings_struct(monitor))->epochs,
             (int)((const preprocess_settings *)cru_settings_struct(before))->features,
             t.metrics[0]->params ? ((const rate_settings *)cru_settings_struct(metric))->rate : 0);
    cru_settings_destroy(monitor);
    cru_settings_destroy(before);
    cru_settings_destroy(metric);
    return out;
}

#define TWO "[dataset cora]\n[dataset sbm]\n[algorithm gcn]\n[algorithm mlp]\n"

START_TEST(a_protocol_may_differ_by_dataset)
{
    bench b = bench_open();
    bench_expect(&b, TWO "[split]\nscheme = percent\ntrain = 0.3\n[split on cora]\nscheme = official\n"
                         "[monitor]\nepochs = 5\n[monitor on sbm]\nepochs = 7\n[preprocess on cora]\nfeatures = l1\n"
                         "[metric rare]\n[metric rare on sbm]\nrate = 0.5\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 4);
    ck_assert_str_eq(protocol_of(&b, 0), "cora gcn official 5 2 0.3");
    ck_assert_str_eq(protocol_of(&b, 1), "cora mlp official 5 2 0.3");
    ck_assert_str_eq(protocol_of(&b, 2), "sbm gcn percent 7 0 0.5");
    ck_assert_str_eq(protocol_of(&b, 3), "sbm mlp percent 7 0 0.5");
    ck_assert_str_eq(b.e->metrics[0]->label, "rare");
    bench_close(&b);
}
END_TEST

START_TEST(a_protocol_may_differ_by_method)
{
    bench b = bench_open();
    bench_expect(&b, TWO "[monitor]\nepochs = 5\n[monitor on sbm]\nepochs = 6\n[monitor for mlp]\nepochs = 7, 8\n"
                         "[monitor for mlp on sbm]\nepochs = 9\n[preprocess for mlp]\nfeatures = l1\n"
                         "[split]\nscheme = percent\n[experiment]\nseeds = 0..1\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 2 * (1 + 2) + 2 * (1 + 1));
    static const char *const expected[] = {"cora gcn percent 5 0 0", "cora gcn percent 5 0 0", "cora mlp percent 7 2 0",
                                           "cora mlp percent 8 2 0", "cora mlp percent 7 2 0", "cora mlp percent 8 2 0",
                                           "sbm gcn percent 6 0 0",  "sbm gcn percent 6 0 0",  "sbm mlp percent 9 2 0",
                                           "sbm mlp percent 9 2 0"};
    for (int i = 0; i < 10; i++) ck_assert_str_eq(protocol_of(&b, i), expected[i]);
    ck_assert_int_eq(experiment_monitor_most(b.e), 2);
    ck_assert_int_eq(experiment_monitor_count(b.e, 0), 1);
    ck_assert_int_eq(experiment_monitor_count(b.e, 3), 2);
    ck_assert_int_eq(experiment_with_monitor(b.e, 3, 0), 2);
    ck_assert_int_eq(experiment_with_seed(b.e, 3, 1), 5);
    ck_assert_int_eq(experiment_with_seed(b.e, 7, 0), 6);
    bench_close(&b);
}
END_TEST

START_TEST(methods_with_the_same_preprocessing_share_their_problems)
{
    bench b = bench_open();
    bench_expect(&b, "[dataset cora]\n[algorithm gcn]\n[algorithm mlp]\n[monitor for mlp]\nepochs = 7\n"
                     "[experiment]\nseeds = 0..1\n");
    trial first, second;
    experiment_trial(b.e, 0, &first);
    experiment_trial(b.e, 1, &second);
    ck_assert_uint_eq(first.seed, second.seed);
    ck_assert_ptr_eq(first.preprocess, second.preprocess);
    ck_assert_str_eq(second.algorithm->label, "mlp");
    bench_close(&b);
}
END_TEST

START_TEST(generators_have_sweeps_of_their_own)
{
    bench b = bench_open();
    bench_expect(&b, "[dataset sbm as a]\nnodes = 10, 20\n[dataset sbm as b]\nnodes = 30, 40, 50\n[dataset cora]\n"
                     "directed = true, false\n[algorithm gcn]\n");
    static const char *const expected[] = {"a 10", "a 20", "b 30", "b 40", "b 50", "cora true", "cora false"};
    ck_assert_int_eq(experiment_trial_count(b.e), 7);
    for (int i = 0; i < 7; i++) {
        trial t;
        char text[64];
        experiment_trial(b.e, i, &t);
        snprintf(text, sizeof text, "%s %s", t.dataset->label, t.dataset->swept[0].text);
        ck_assert_str_eq(text, expected[i]);
    }
    bench_close(&b);
}
END_TEST

START_TEST(without_corruptors_the_chain_is_empty)
{
    bench b = bench_open();
    bench_expect(&b, SMALL);
    ck_assert_int_eq(experiment_trial_count(b.e), 1);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|64");
    ck_assert_str_eq(b.e->name, "main");
    ck_assert_int_eq(b.e->metric_count, 1);
    ck_assert_str_eq(b.e->metrics[0]->name, "accuracy");
    bench_close(&b);
}
END_TEST

START_TEST(corruptor_sections_chain_in_file_order)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "[corruptor drop-edges]\nrate = 0.1\n[corruptor uniform]\nrate = 0.2, 0.4\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 2);
    ck_assert_str_eq(described(&b, 0), "cora|drop-edges+uniform|0.1 0.2 |0|gcn|64");
    ck_assert_str_eq(described(&b, 1), "cora|drop-edges+uniform|0.1 0.4 |0|gcn|64");
    bench_close(&b);
}
END_TEST

START_TEST(listed_chains_are_alternatives)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "[experiment]\ncorruptors = none | uniform | uniform, drop-edges\n"
                           "[corruptor uniform]\nrate = 0.2, 0.4\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 1 + 2 + 2);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|64");
    ck_assert_str_eq(described(&b, 1), "cora|uniform|0.2 |0|gcn|64");
    ck_assert_str_eq(described(&b, 2), "cora|uniform|0.4 |0|gcn|64");
    ck_assert_str_eq(described(&b, 3), "cora|uniform+drop-edges|0.2 0.3 |0|gcn|64");
    ck_assert_str_eq(described(&b, 4), "cora|uniform+drop-edges|0.4 0.3 |0|gcn|64");
    bench_close(&b);
}
END_TEST

START_TEST(lists_choose_and_need_no_sections)
{
    bench b = bench_open();
    bench_expect(&b, "[experiment]\ndatasets = citeseer\nalgorithms = mlp, wide\nmetrics = macro-f1, accuracy\n"
                     "[dataset cora]\n[algorithm gcn]\n[algorithm gcn as wide]\nhidden = 512\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 2);
    ck_assert_str_eq(described(&b, 0), "citeseer|none||0|mlp|");
    ck_assert_str_eq(described(&b, 1), "citeseer|none||0|wide|512");
    ck_assert_str_eq(b.e->metrics[0]->name, "macro-f1");
    ck_assert_str_eq(b.e->metrics[1]->name, "accuracy");
    bench_close(&b);
}
END_TEST

START_TEST(labels_whose_sweeps_share_a_point_stand_side_by_side)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "lr = 0, 0.01\n[algorithm gcn as wide]\nlr = 0.01\nhidden = 512\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 3);
    bench_close(&b);
    b = bench_open();
    bench_expect(&b, SMALL "lr = 0, 0.01\n[algorithm gcn as slow]\nlr = 0.01\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 3); /* one of them under both names */
    bench_close(&b);
}
END_TEST

START_TEST(values_for_one_dataset_replace_the_others)
{
    bench b = bench_open();
    bench_expect(&b, "[dataset cora]\n[dataset citeseer]\n[algorithm gcn]\nhidden = 8\nlr = 0.5\n"
                     "[algorithm gcn on citeseer]\nhidden = 16, 32\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 3);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|8");
    ck_assert_str_eq(described(&b, 1), "citeseer|none||0|gcn|16");
    ck_assert_str_eq(described(&b, 2), "citeseer|none||0|gcn|32");
    trial t;
    experiment_trial(b.e, 2, &t);
    ck_assert_ptr_nonnull(strstr(t.algorithm->text, "lr=0.5\n"));
    bench_close(&b);
}
END_TEST

static void expect_hidden(const char *const *sets, const char *cora, const char *citeseer)
{
    bench b = bench_open();
    bench_write(&b, "main.ini",
                "[dataset cora]\n[dataset citeseer]\n[algorithm gcn]\nhidden = 8\n"
                "[algorithm gcn on citeseer]\nhidden = 16\n");
    ck_assert_int_eq(bench_load_sets(&b, sets), CRU_OK);
    ck_assert_int_eq(experiment_trial_count(b.e), 2);
    ck_assert_str_eq(described(&b, 0), cora);
    ck_assert_str_eq(described(&b, 1), citeseer);
    bench_close(&b);
}

START_TEST(set_stands_above_values_for_one_dataset)
{
    expect_hidden((const char *const[]){"algorithm.gcn.hidden=4", NULL}, "cora|none||0|gcn|4",
                  "citeseer|none||0|gcn|4");
    expect_hidden((const char *const[]){"algorithm.gcn on citeseer.hidden=4", NULL}, "cora|none||0|gcn|8",
                  "citeseer|none||0|gcn|4");
    expect_hidden((const char *const[]){"algorithm.gcn on cora.hidden=4", "algorithm.gcn.hidden=2", NULL},
                  "cora|none||0|gcn|4", "citeseer|none||0|gcn|2");
}
END_TEST

START_TEST(a_list_setting_is_one_value_unless_bars_part_it)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "layers = 64, 32 | 128\n");
    ck_assert_int_eq(experiment_trial_count(b.e), 2);
    trial t;
    experiment_trial(b.e, 0, &t);
    cru_settings *s = variant_settings(t.algorithm);
    const gcn_settings *first = cru_settings_struct(s);
    ck_assert_int_eq(first->layers.count, 2);
    ck_assert(first->layers.values[0] == 64 && first->layers.values[1] == 32);
    cru_settings_destroy(s);
    bench_close(&b);
}
END_TEST

START_TEST(a_variant_says_what_was_given_and_what_is_swept)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "lr = 0.10, 0.2\nnorm = yes\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    ck_assert_int_eq(t.algorithm->given_count, 2);
    ck_assert_int_eq(t.algorithm->swept_count, 1);
    ck_assert_str_eq(t.algorithm->swept[0].key, "lr");
    ck_assert_str_eq(t.algorithm->swept[0].text, "0.1");
    ck_assert_str_eq(t.algorithm->given[1].text, "true");
    ck_assert_str_eq(t.algorithm->text, "hidden=64\nkind=sym\nlayers=64, 32\nlr=0.1\nnorm=true\nnote=\n");
    bench_close(&b);
}
END_TEST

START_TEST(a_cards_settings_lie_between_defaults_and_sections)
{
    bench b = bench_open();
    bench_expect(
        &b, "[dataset cora]\n[dataset cora as undirected]\ndirected = false\n[dataset citeseer]\n[algorithm mlp]\n");
    const char *expected[] = {"directed=true\n", "directed=false\n", "directed=false\n"};
    for (int64_t i = 0; i < 3; i++) {
        trial t;
        experiment_trial(b.e, i, &t);
        ck_assert_str_eq(t.dataset->text, expected[i]);
        ck_assert_str_eq(t.dataset->plugin->name, "csv");
    }
    bench_close(&b);
}
END_TEST

/* ---- precedence ------------------------------------------------------------------------------------------ */

START_TEST(a_file_overrides_what_it_includes_whatever_the_order)
{
    bench b = bench_open();
    bench_write(&b, "inner.ini", "[algorithm gcn]\nhidden = 2\nlr = 0.5\n");
    bench_write(&b, "defaults.ini", "include = inner.ini\n[algorithm gcn]\nhidden = 3\n");
    bench_expect(&b, SMALL "hidden = 4\n[experiment]\ninclude = defaults.ini\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    ck_assert_ptr_nonnull(strstr(t.algorithm->text, "hidden=4\n"));
    ck_assert_ptr_nonnull(strstr(t.algorithm->text, "lr=0.5\n"));
    bench_expect(&b, "include = defaults.ini\n" SMALL);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|3");
    bench_close(&b);
}
END_TEST

START_TEST(a_file_included_twice_is_read_once)
{
    bench b = bench_open();
    bench_write(&b, "common.ini", "[run]\njobs = 7\n");
    bench_write(&b, "a.ini", "include = common.ini\n");
    bench_write(&b, "b.ini", "include = common.ini\n");
    bench_expect(&b, "include = a.ini, b.ini\n" SMALL);
    ck_assert_int_eq(b.e->run.jobs, 7);
    bench_close(&b);
}
END_TEST

START_TEST(includes_count_from_the_including_file)
{
    bench b = bench_open();
    char folder[100];
    snprintf(folder, sizeof folder, "%s/sub", b.folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    bench_write(&b, "sub/a.ini", "include = b.ini\n[paths]\nmirror = data\nplugins = p:/dev\n");
    bench_write(&b, "sub/b.ini", "[run]\njobs = 5\n");
    bench_expect(&b, "include = sub/a.ini\n" SMALL);
    ck_assert_int_eq(b.e->run.jobs, 5);
    char expected[200];
    snprintf(expected, sizeof expected, "%s/data", folder);
    ck_assert_str_eq(b.e->paths.mirror, expected);
    snprintf(expected, sizeof expected, "%s/p:/dev", folder);
    ck_assert_str_eq(b.e->paths.plugins, expected);
    bench_close(&b);
}
END_TEST

START_TEST(set_overrides_files_and_the_last_one_counts)
{
    bench b = bench_open();
    bench_write(&b, "main.ini", SMALL "hidden = 4\n");
    const char *const sets[] = {"algorithm.gcn.hidden=5, 6",
                                "experiment.seeds=0..2",
                                "run.jobs=2",
                                "run.jobs = 3",
                                "split.train=0.5, 0.6",
                                NULL};
    ck_assert_int_eq(bench_load_sets(&b, sets), CRU_OK);
    ck_assert_int_eq(experiment_trial_count(b.e), 2 * 3 * 2);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|5");
    ck_assert_int_eq(b.e->run.jobs, 3);
    bench_close(&b);
}
END_TEST

START_TEST(set_reaches_names_that_are_only_listed)
{
    bench b = bench_open();
    bench_write(&b, "main.ini", "[experiment]\ndatasets = cora\nalgorithms = gcn\n");
    ck_assert_int_eq(bench_load_sets(&b, (const char *const[]){"algorithm.gcn.hidden=5", NULL}), CRU_OK);
    ck_assert_str_eq(described(&b, 0), "cora|none||0|gcn|5");
    bench_close(&b);
}
END_TEST

START_TEST(host_sections_fill_their_structs)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "[experiment]\nname = mine\nseeds = 3, 5..6\n[run]\nsandbox = off\ntimeout = 1.5\n"
                           "[search]\nmethod = none\n[report]\nspread = sem0\nwhere = dataset=cora, seed=1\n");
    ck_assert_str_eq(b.e->name, "mine");
    ck_assert_int_eq(b.e->seed_count, 3);
    ck_assert(b.e->seeds[0] == 3 && b.e->seeds[1] == 5 && b.e->seeds[2] == 6);
    ck_assert_int_eq(b.e->run.sandbox, RUN_SANDBOX_OFF);
    ck_assert(b.e->run.timeout == 1.5);
    ck_assert_int_eq(b.e->report.spread, REPORT_SEM0);
    ck_assert_str_eq(b.e->report.where, "dataset=cora, seed=1");
    ck_assert_str_eq(b.e->run.db, "results.db");
    bench_close(&b);
}
END_TEST

START_TEST(paths_are_known_before_there_is_a_registry)
{
    bench b = bench_open();
    bench_write(&b, "main.ini", "[paths]\nplugins = /a\nnonsense = 1\n[algorithm unheard-of]\n");
    char path[100];
    snprintf(path, sizeof path, "%s/main.ini", b.folder);
    config_request request = {.files = (const char *const[]){path},
                              .file_count = 1,
                              .sets = (const char *const[]){"paths.mirror=m"},
                              .set_count = 1};
    config_paths *paths = config_paths_read(&request, NULL);
    ck_assert_str_eq(config_paths_get(paths)->plugins, "/a");
    ck_assert_str_eq(config_paths_get(paths)->mirror, "m");
    config_paths_destroy(paths);
    bench_close(&b);
}
END_TEST

/* ---- searches -------------------------------------------------------------------------------------------- */

START_TEST(a_search_opens_what_no_section_sets)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "hidden = 8\nkind = search(any)\n[search]\nmethod = random\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    ck_assert_int_eq(t.algorithm->axis_count, 2);
    ck_assert_str_eq(t.algorithm->axes[0].param->key, "lr");
    ck_assert_int_eq(t.algorithm->axes[0].search.kind, CRU_SEARCH_LOG_UNIFORM);
    ck_assert_str_eq(t.algorithm->axes[1].param->key, "kind");
    bench_close(&b);
}
END_TEST

/* The default is the setting's value until a draw replaces it; nothing was given, so that a draw is named once. */
START_TEST(a_search_may_name_the_default_of_a_setting)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "hidden = search(power-of-2 4 6 default 99)\n[search]\nmethod = random\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    ck_assert_ptr_nonnull(strstr(t.algorithm->text, "hidden=99\n"));
    ck_assert_int_eq(t.algorithm->given_count, 0);
    const variant *drawn;
    data_setting hidden = {"hidden", "32"};
    ck_assert_int_eq(experiment_draw(b.e, t.algorithm, (config_draw){&hidden, 1}, &drawn, NULL), CRU_OK);
    ck_assert_ptr_nonnull(strstr(drawn->text, "hidden=32\n"));
    ck_assert_int_eq(drawn->given_count, 1);
    bench_close(&b);
}
END_TEST

START_TEST(a_draw_closes_the_axes)
{
    bench b = bench_open();
    bench_expect(&b, SMALL "norm = true\n[search]\nmethod = random\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    const variant *drawn;
    cru_error err = {0};
    data_setting lr = {"lr", "0.020"}, note = {"note", "x"}, wild = {"lr", "7"};
    ck_assert_int_eq(experiment_draw(b.e, t.algorithm, (config_draw){&lr, 1}, &drawn, &err), CRU_OK);
    ck_assert_int_eq(drawn->axis_count, 0);
    ck_assert_ptr_nonnull(strstr(drawn->text, "lr=0.02\n"));
    ck_assert_ptr_nonnull(strstr(drawn->text, "norm=true\n"));
    ck_assert_int_eq(drawn->given_count, 2);
    ck_assert_str_eq(drawn->given[1].text, "0.02");
    ck_assert_int_eq(experiment_draw(b.e, t.algorithm, (config_draw){&note, 1}, &drawn, &err), CRU_BAD_INPUT);
    err = (cru_error){0};
    ck_assert_int_eq(experiment_draw(b.e, t.algorithm, (config_draw){&wild, 1}, &drawn, &err), CRU_BAD_INPUT);
    bench_close(&b);
}
END_TEST

/* ---- canonical text -------------------------------------------------------------------------------------- */

/* The text of the first trial; the caller frees it. */
static char *text_of(bench *b, const char *config)
{
    bench_expect(b, config);
    trial t;
    experiment_trial(b->e, 0, &t);
    return trial_text(b->e, &t, "c0ffee");
}

static void check_same(bench *b, const char *left, const char *right, bool same)
{
    char *a = text_of(b, left), *c = text_of(b, right);
    ck_assert_msg((strcmp(a, c) == 0) == same, "%s\n---\n%s", a, c);
    free(a);
    free(c);
}

#define FULL                                                                                                           \
    "[experiment]\nseeds = 1\nmetrics = accuracy, macro-f1\n[dataset cora]\n[corruptor uniform]\nrate = 0.1\n"         \
    "[corruptor drop-edges]\nrate = 0.2\n[algorithm gcn]\nhidden = 8\nlr = 0.5\n"

START_TEST(the_text_is_complete)
{
    bench b = bench_open();
    char *text = text_of(&b, FULL);
    static const char *const parts[] = {"sdk=",
                                        "seed=1\n",
                                        "device=cpu\n",
                                        "dataset.name=cora\ndataset.checksum=c0ffee\n",
                                        "dataset=csv 1.0\ndataset.directed=true\n",
                                        "split.train=",
                                        "preprocess.relations=",
                                        "corruptor0=uniform 1.0\ncorruptor0.rate=0.1\n",
                                        "corruptor1=drop-edges 1.0\ncorruptor1.rate=0.2\n",
                                        "monitor.patience=0\n",
                                        "algorithm=gcn 1.0\nalgorithm.hidden=8\nalgorithm.kind=sym\n",
                                        "metric=accuracy 1.0\nmetric=macro-f1 1.0\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s is not in\n%s", parts[i], text);
    free(text);
    bench_close(&b);
}
END_TEST

START_TEST(order_labels_spelling_and_limits_do_not_change_the_text)
{
    bench b = bench_open();
    check_same(&b, FULL,
               "[run]\njobs = 3\ntimeout = 9\n[algorithm gcn as wide]\nlr = 0.50\nhidden = 08\nnorm = false\n"
               "[corruptor uniform]\nrate = .1\n[corruptor drop-edges as drop]\nrate = 2e-1\n[dataset cora as c]\n"
               "[monitor]\npatience = 0\n[experiment]\nname = other\nmetrics = macro-f1, accuracy\nseeds = 1\n",
               true);
    bench_close(&b);
}
END_TEST

static const char *const changes[] = {
    "hidden = 9\n[dataset citeseer]\n[experiment]\ndatasets = citeseer\n",
    "norm = true\n",
    "kind = rw\n",
    "layers = 64\n",
    "note = x\n",
    "lr = 0.02\n",
    "[experiment]\nseeds = 1\n",
    "[run]\ndevice = cuda\n",
    "[monitor]\npatience = 5\n",
    "[monitor]\nrule = last\n",
    "[monitor]\nnonfinite = keep\n",
    "[split]\ntrain = 0.4\n",
    "[preprocess]\nrelations = merge\n",
    "[corruptor uniform]\n",
    "[metric macro-f1]\n",
    "[search]\nmethod = random\n",
};

START_TEST(any_setting_with_a_default_changes_the_text)
{
    bench b = bench_open();
    char changed[400];
    snprintf(changed, sizeof changed, "%s%s", SMALL, changes[_i]);
    check_same(&b, SMALL, changed, false);
    bench_close(&b);
}
END_TEST

/* Stored trials are older than the setting. */
START_TEST(a_young_setting_at_its_default_is_not_in_the_text)
{
    bench b = bench_open();
    char *text = text_of(&b, SMALL "[monitor]\nnonfinite = fail\n");
    ck_assert_ptr_null(strstr(text, "nonfinite"));
    ck_assert_ptr_nonnull(strstr(text, "\nmonitor.patience=0\n"));
    free(text);
    bench_close(&b);
}
END_TEST

START_TEST(the_order_of_corruptors_changes_the_text)
{
    bench b = bench_open();
    check_same(&b, SMALL "[corruptor uniform]\n[corruptor drop-edges]\n",
               SMALL "[corruptor drop-edges]\n[corruptor uniform]\n", false);
    bench_close(&b);
}
END_TEST

START_TEST(the_text_of_a_search_differs_from_its_draws_and_by_its_axes)
{
    bench b = bench_open();
    check_same(&b, SMALL "[search]\nmethod = random\n", SMALL "lr = search(log 0.1 0.2)\n[search]\nmethod = random\n",
               false);
    check_same(&b, SMALL "[search]\nmethod = random\n", SMALL "[search]\nmethod = random\ntrials = 7\n", false);

    char *plain = text_of(&b, SMALL);
    bench_expect(&b, SMALL "[search]\nmethod = random\n");
    trial t;
    experiment_trial(b.e, 0, &t);
    ck_assert_int_eq(experiment_draw(b.e, t.algorithm, (config_draw){0}, &t.algorithm, NULL), CRU_OK);
    char *drawn = trial_text(b.e, &t, "c0ffee");
    ck_assert_str_eq(drawn, plain);
    free(plain);
    free(drawn);
    bench_close(&b);
}
END_TEST

START_TEST(a_metric_with_several_values_is_several_metrics)
{
    bench b = bench_open();
    bench_expect(&b, "[dataset sbm]\n[algorithm mlp]\n[metric accuracy]\n[metric rare]\nrate = 0.1, 0.2\n");
    ck_assert_int_eq(b.e->metric_count, 3);
    ck_assert_str_eq(b.e->metrics[0]->label, "accuracy");
    ck_assert_str_eq(b.e->metrics[1]->label, "rare(0.1)");
    ck_assert_str_eq(b.e->metrics[2]->label, "rare(0.2)");
    bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("config trials");
    TCase *t = tcase_create("trials");
    tcase_add_test(t, lists_multiply_and_the_algorithm_changes_fastest);
    tcase_add_test(t, without_corruptors_the_chain_is_empty);
    tcase_add_test(t, a_card_tells_how_a_study_splits);
    tcase_add_test(t, a_protocol_may_differ_by_dataset);
    tcase_add_test(t, a_protocol_may_differ_by_method);
    tcase_add_test(t, methods_with_the_same_preprocessing_share_their_problems);
    tcase_add_test(t, generators_have_sweeps_of_their_own);
    tcase_add_test(t, corruptor_sections_chain_in_file_order);
    tcase_add_test(t, listed_chains_are_alternatives);
    tcase_add_test(t, lists_choose_and_need_no_sections);
    tcase_add_test(t, labels_whose_sweeps_share_a_point_stand_side_by_side);
    tcase_add_test(t, values_for_one_dataset_replace_the_others);
    tcase_add_test(t, set_stands_above_values_for_one_dataset);
    tcase_add_test(t, a_list_setting_is_one_value_unless_bars_part_it);
    tcase_add_test(t, a_variant_says_what_was_given_and_what_is_swept);
    tcase_add_test(t, a_cards_settings_lie_between_defaults_and_sections);
    tcase_add_test(t, a_file_overrides_what_it_includes_whatever_the_order);
    tcase_add_test(t, a_file_included_twice_is_read_once);
    tcase_add_test(t, includes_count_from_the_including_file);
    tcase_add_test(t, set_overrides_files_and_the_last_one_counts);
    tcase_add_test(t, set_reaches_names_that_are_only_listed);
    tcase_add_test(t, host_sections_fill_their_structs);
    tcase_add_test(t, paths_are_known_before_there_is_a_registry);
    tcase_add_test(t, a_search_opens_what_no_section_sets);
    tcase_add_test(t, a_search_may_name_the_default_of_a_setting);
    tcase_add_test(t, a_draw_closes_the_axes);
    tcase_add_test(t, the_text_is_complete);
    tcase_add_test(t, order_labels_spelling_and_limits_do_not_change_the_text);
    tcase_add_loop_test(t, any_setting_with_a_default_changes_the_text, 0, sizeof changes / sizeof *changes);
    tcase_add_test(t, the_order_of_corruptors_changes_the_text);
    tcase_add_test(t, a_young_setting_at_its_default_is_not_in_the_text);
    tcase_add_test(t, the_text_of_a_search_differs_from_its_draws_and_by_its_axes);
    tcase_add_test(t, a_metric_with_several_values_is_several_metrics);
    suite_add_tcase(s, t);
    return s;
}
