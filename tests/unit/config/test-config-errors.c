// SPDX-License-Identifier: Apache-2.0
/* What is wrong with a configuration, all of it, each with its place. */
#include "config/bench.h"

START_TEST(five_mistakes_make_five_lines)
{
    bench b = bench_open();
    cru_status status = bench_load(&b, "[experiment]\n"        /* 1 */
                                       "seeds = 0..2\n"        /* 2 */
                                       "metrcs = accuracy\n"   /* 3: unknown key */
                                       "\n"                    /* 4 */
                                       "[dataset corra]\n"     /* 5: unknown name */
                                       "[dataset cora]\n"      /* 6 */
                                       "[corruptor uniform]\n" /* 7 */
                                       "rate = 0.1, 1.5\n"     /* 8: out of range */
                                       "[algorithm gcn]\n"     /* 9 */
                                       "hiden = 16\n"          /* 10: unknown setting */
                                       "[algoritm mlp]\n");    /* 11: unknown section */
    ck_assert_int_eq(status, CRU_BAD_INPUT);
    ck_assert_ptr_null(b.e);
    ck_assert_int_eq(b.diags.count, 5);
    ck_assert_str_eq(bench_message(&b, 0),
                     "main.ini:3: metrcs: unknown setting of [experiment]; did you mean metrics?");
    ck_assert_str_eq(bench_message(&b, 1), "main.ini:5: corra: unknown dataset");
    ck_assert_str_eq(bench_message(&b, 2), "main.ini:8: rate = 1.5: must be between 0 and 1");
    ck_assert_str_eq(bench_message(&b, 3),
                     "main.ini:10: hiden: unknown setting of algorithm gcn; did you mean hidden?");
    ck_assert_str_eq(bench_message(&b, 4), "main.ini:11: algoritm mlp: unknown section; did you mean algorithm?");
    bench_close(&b);
}
END_TEST

typedef struct slip {
    const char *text, *message;
} slip;

static const slip slips[] = {
    {SMALL "[algorithm mpl]\n", "main.ini:3: mpl: unknown algorithm; did you mean mlp?"},
    {SMALL "[corruptor unifrm]\n", "main.ini:3: unifrm: unknown corruptor; did you mean uniform?"},
    {"[dataset sbm]\n[algorithm mlp]\n[metric mixing]\n",
     "main.ini:3: mixing: judges graphs, rows, and dataset sbm is nodes"},
    {"[dataset digits]\n[algorithm mlp]\n[metric rare]\n",
     "main.ini:3: rare: needs two classes, and dataset digits has 10"},
    {"[dataset digits]\n[algorithm mlp]\n[metric likeness]\n",
     "main.ini:3: likeness: needs features, and dataset digits has none"},
    {SMALL "[metric acuracy]\n", "main.ini:3: acuracy: unknown metric; did you mean accuracy?"},
    {SMALL "[dataset sbn]\n", "main.ini:3: sbn: unknown dataset; did you mean sbm?"},
    {SMALL "[dataset csv]\n", "main.ini:3: csv: is a file format, not a dataset; a card must name its files"},
    {SMALL "[banana]\n", "main.ini:3: banana: unknown section"},
    {SMALL "[]\n", "main.ini:3: : unknown section"},
    {SMALL "[algorithm]\n", "main.ini:3: algorithm: needs a name: [algorithm NAME]"},
    {SMALL "[run fast]\n", "main.ini:3: run fast: [run] takes no name"},
    {SMALL "[corruptor uniform on cora]\n",
     "main.ini:3: corruptor uniform on cora: expected [corruptor NAME as LABEL]"},
    {SMALL "[metric rare on cora]\n", "main.ini:3: rare: there is no [metric rare] to change"},
    {SMALL "[split for gcn]\n", "main.ini:3: split for gcn: expected [split] or [split on DATASET]"},
    {SMALL "[split on]\n", "main.ini:3: split on: expected [split] or [split on DATASET]"},
    {SMALL "[monitor on cora for gcn]\n",
     "main.ini:3: monitor on cora for gcn: expected [monitor] or [monitor for METHOD on DATASET]"},
    {SMALL "[monitor for gnc]\n", "main.ini:3: gnc: unknown algorithm; did you mean gcn?"},
    {SMALL "[preprocess on croa]\n", "main.ini:3: croa: unknown dataset"},
    {SMALL "[monitor for gcn on cora]\nepoch = 3\n",
     "main.ini:4: epoch: unknown setting of [monitor]; did you mean epochs?"},
    {SMALL "[split on cora]\nscheme = official\ntrain = 0.1\n",
     "main.ini:5: train: not used by scheme = official, which takes index, view"},
    {SMALL "[split on citeseer]\nscheme = percent\ntrain = 2\n", "main.ini:5: train = 2: must be between 0 and 1"},
    {"[dataset cora]\n[dataset sbm]\n[algorithm gcn]\n[split]\nscheme = percent\ntrain = 2\n",
     "main.ini:6: train = 2: must be between 0 and 1"},
    {"[dataset sbm]\n[algorithm gcn]\n[metric rare]\n[metric rare on sbm]\nrate = 0.1, 0.2\n",
     "main.ini:4: metric rare on sbm: has 2 combinations of values, and [metric rare] 1: columns must be the same on "
     "all datasets"},
    {SMALL "[algorithm mlp as]\n", "main.ini:3: algorithm mlp as: expected [algorithm NAME as LABEL on DATASET]"},
    {SMALL "hidden = 16\n[algorithm gcn]\n", "main.ini:4: algorithm gcn: section already opened in line 2"},
    {SMALL "hidden = 16\nlr = 1\nhidden = 16\n", "main.ini:5: hidden: already set in line 3"},
    {SMALL "hidden = 16, 32, 016\n", "main.ini:3: hidden: 16 is listed twice"},
    {SMALL "hidden =\n", "main.ini:3: hidden: the list is empty"},
    {SMALL "hidden = 16,\nlr = 1\n", "main.ini:3: hidden: '16,' has an empty item"},
    {SMALL "hidden = 9..1\n", "main.ini:3: hidden: '9..1' is empty: it counts up"},
    {SMALL "hidden = 1.5\n", "main.ini:3: hidden = 1.5: not a whole number"},
    {SMALL "lr = fast\n", "main.ini:3: lr = fast: not a number"},
    {SMALL "hidden = 0\n", "main.ini:3: hidden = 0: must be between 1 and 1024"},
    {SMALL "norm = maybe\n", "main.ini:3: norm = maybe: must be true or false"},
    {SMALL "kind = syn\n", "main.ini:3: kind = syn: not one of sym, rw; did you mean sym?"},
    {SMALL "layers = 64, x\n", "main.ini:3: layers = 64, x: \"x\" is not a number; write a list as 64, 32"},
    {SMALL "hidden = search(any default x)\n[search]\nmethod = random\n",
     "main.ini:3: hidden: search(any) is for choices"},
    {SMALL "hidden = search(one-of 8 default x)\n[search]\nmethod = random\n",
     "main.ini:3: hidden = x: not a whole number"},
    {SMALL "lr = search(log 0.1 0.2)\n", "main.ini:3: lr: search(log 0.1 0.2) needs a method in [search]"},
    {SMALL "gibberish\n", "main.ini:3: expected [section] or key = value"},
    {SMALL "[algorithm mlp]\nhidden = 3\n", "main.ini:4: hidden: unknown setting of algorithm mlp, which has none"},
    {SMALL "[run]\njobs = 1, 2\n", "main.ini:4: jobs = 1, 2: not a whole number"},
    {SMALL "[run]\nthreads = 0\n", "main.ini:4: threads = 0: must be between 1 and 4096"},
    {SMALL "[monitor]\npatience = -1\n", "main.ini:4: patience = -1: must be between 0 and 1000000000"},
    {SMALL "[experiment]\nseeds = a\n", "main.ini:4: seeds: 'a' is not a whole number of at least 0"},
    {SMALL "[experiment]\nseeds = -1\n", "main.ini:4: seeds: '-1' is not a whole number of at least 0"},
    {SMALL "[experiment]\nseeds = 0..2, 1\n", "main.ini:4: seeds: a seed is listed twice"},
    {SMALL "[experiment]\nseeds =\n", "main.ini:4: seeds: the list is empty"},
    {SMALL "[experiment]\nalgorithms =\n", "main.ini:4: algorithms: the list is empty"},
    {SMALL "[experiment]\ncorruptors = uniform | \n", "main.ini:4: corruptors: 'uniform |' has an empty item"},
    {SMALL "[experiment]\nalgorithms = gcn, gnc\n", "main.ini:4: gnc: unknown algorithm; did you mean gcn?"},
    {SMALL "[experiment]\nmetrics = accurac\n", "main.ini:4: accurac: unknown metric; did you mean accuracy?"},
    {SMALL "[split]\nscheme = per-class\ntrain = 0.5\n",
     "main.ini:5: train: not used by scheme = per-class, which takes train_size, val_size, test_size, view"},
    {SMALL "[split]\nscheme = official\nindex = 1\nval_size = 9\n",
     "main.ini:6: val_size: not used by scheme = official, which takes index, view"},
    {SMALL "[split]\nindex = 1\ntest_size = 9\n",
     "main.ini:5: test_size: not used by scheme = auto, which takes index, train, val, view"},
    {SMALL "[split]\nscheme = percent, per-class\nindex = 9\n",
     "main.ini:5: index: not used by scheme = percent, per-class, which takes train, val, base, train_size, "
     "val_size, test_size, view"},
    {SMALL "[split]\nscheme = percent\ntrain = 0.9\nval = 0.9\n",
     "main.ini:5: split: train = 0.9 and val = 0.9 leave nothing to test"},
    {SMALL "[split]\nscheme = uniform\nval = 0.1, 0.5\n",
     "main.ini:5: split: train = 0.6 and val = 0.5 leave nothing to test"},
    {SMALL "[split]\nscheme = card\n", "main.ini:4: scheme = card needs a protocol; the card of cora has none"},
    {"[dataset citeseer]\n[algorithm gcn]\n[split]\nscheme = card\nprotocol = gad\n",
     "main.ini:5: gad: the card of citeseer has no such protocol; it has noisygl, igl, bad"},
    {"[dataset citeseer]\n[algorithm gcn]\n[split]\nscheme = card\nprotocol = bad\n",
     "fake.ini:9: test_size: unknown setting of split percent"},
    {"[dataset sbm]\n[algorithm gcn]\n[split]\nscheme = card\nprotocol = igl\n",
     "main.ini:5: scheme = card: sbm is generated and has no card; name a scheme"},
    {SMALL "[split]\nscheme = percent\nprotocol = igl\n", "main.ini:5: protocol: is for scheme = card alone"},
    {SMALL "[split]\nscheme = percnt\n", "main.ini:4: percnt: unknown split scheme; did you mean percent?"},
    {SMALL "[search]\ntrials = 5\n", "main.ini:4: trials: nothing is searched without a method: add method = random, "
                                     "grid, tpe or none to [search]"},
    {"[dataset cora]\n[algorithm mlp as gcn]\n",
     "main.ini:2: algorithm mlp as gcn: gcn is the name of another algorithm; choose another label"},
    {SMALL "[algorithm gcn as wide]\n", "main.ini:3: algorithm gcn as wide: has the same settings as gcn"},
    {SMALL "[algorithm mlp as gcn]\n", "main.ini:3: algorithm mlp as gcn: gcn is already the label of gcn"},
    {SMALL "[algorithm mlp on cora]\n", "main.ini:3: mlp: there is no [algorithm mlp] to change"},
    {SMALL "[algorithm gcn on corra]\n", "main.ini:3: corra: unknown dataset"},
    {"name = x\n" SMALL, "main.ini:1: name: stands before the first section, where only include may"},
    {"[dataset cora]\n", "main.ini: no algorithm; add a section [algorithm NAME]"},
    {"[algorithm gcn]\n", "main.ini: no dataset; add a section [dataset NAME]"},
    {"[dataset cora]\n[algorithm gcn\n", "main.ini:2: [algorithm gcn: a section needs a closing ]"},
    {"[datset cora]\n[algorithm gcn]\n", "main.ini:1: datset cora: unknown section; did you mean dataset?"},
    {SMALL "[run]\ndb =\n", "main.ini:4: db: the path of the results store is empty"},
    {SMALL "[run]\ndb = caf\xe9.db\n", "main.ini:4: the line is not UTF-8 text; save the file as UTF-8"},
    {SMALL "[paths]\nplugins = /nowhere/at/all\n", "main.ini:4: plugins: there is no folder /nowhere/at/all"},
    {SMALL "[paths]\nplugins = /nowhere:/dev/null\n", "main.ini:4: plugins: there is no folder /nowhere:/dev/null"},
    {SMALL "include = x.ini\n", "main.ini:3: include: unknown setting of algorithm gcn"},
    {"include = missing.ini\n" SMALL, NULL},
    {SMALL "lr = 0..1 step 0.0001\nhidden = 1..1024\n",
     "main.ini:2: algorithm gcn: more than 100000 combinations of values"},
    {SMALL "hidden = 1..1000\n[experiment]\nseeds = 1..20000\n",
     "main.ini: more than 10000000 trials; use fewer values, or a search"},
};

START_TEST(every_slip_has_its_message)
{
    bench b = bench_open();
    const slip *s = &slips[_i];
    if (s->message) {
        bench_refuse(&b, s->text, s->message);
    } else {
        char message[300];
        snprintf(message, sizeof message, "main.ini:1: %s/missing.ini: cannot be read: No such file or directory",
                 b.folder);
        bench_refuse(&b, s->text, message);
    }
    bench_close(&b);
}
END_TEST

START_TEST(keys_below_a_broken_header_are_not_judged)
{
    bench b = bench_open();
    bench_refuse(&b, SMALL "[algoritm mlp]\nnonsense = 3\n",
                 "main.ini:3: algoritm mlp: unknown section; did you mean algorithm?");
    bench_close(&b);
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    bench b = bench_open();
    ck_assert_int_eq(bench_load_sets(&b, NULL), CRU_BAD_INPUT);
    ck_assert_str_eq(bench_message(&b, 0), "main.ini: cannot be read: No such file or directory");
    ck_assert_int_eq(b.diags.count, 1); /* not that it has no dataset */
    bench_close(&b);
}
END_TEST

START_TEST(a_folder_is_not_a_file)
{
    bench b = bench_open();
    config_request request = {
        .files = (const char *const[]){b.folder}, .file_count = 1, .registry = b.plugins, .find_dataset = fake_find};
    ck_assert_int_eq(config_load(&request, &b.e, &b.diags), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(b.diags.items[0].text, "cannot be read: Is a directory"));
    ck_assert_int_eq(b.diags.count, 1);
    bench_close(&b);
}
END_TEST

START_TEST(faults_of_all_files_and_sets_come_in_one_go)
{
    bench b = bench_open();
    bench_write(&b, "more.ini", "[algorithm gcn]\n\nhiden = 1\n");
    bench_write(&b, "main.ini", "include = more.ini\n[dataset cora]\n[run]\njbs = 3\n");
    ck_assert_int_eq(bench_load_sets(&b, (const char *const[]){"algorithm.gcn.lr=9", "run.jobs", NULL}), CRU_BAD_INPUT);
    ck_assert_int_eq(b.diags.count, 4);
    ck_assert_str_eq(bench_message(&b, 0), "main.ini:4: jbs: unknown setting of [run]; did you mean jobs?");
    ck_assert_str_eq(bench_message(&b, 1), "more.ini:3: hiden: unknown setting of algorithm gcn; did you mean hidden?");
    ck_assert_str_eq(bench_message(&b, 2), "--set algorithm.gcn.lr=9: lr = 9: must be between 0 and 1");
    ck_assert_str_eq(bench_message(&b, 3), "--set run.jobs: expected section.key=value");
    bench_close(&b);
}
END_TEST

START_TEST(what_an_included_file_leaves_idle_is_no_fault)
{
    bench b = bench_open();
    bench_write(&b, "more.ini", "[search]\nties = last\n[split]\nscheme = percent\ntrain = 0.3\n");
    bench_expect(&b, "include = more.ini\n" SMALL "[split]\nscheme = per-class\n");
    bench_expect(&b, SMALL "[split]\nscheme = per-class, percent\ntrain = 0.3\ntrain_size = 5\n");
    bench_expect(&b, SMALL "[split]\nscheme = pll\ntrain = 0.9\nval = 0.2\n");
    bench_expect(&b, SMALL "[search]\nmethod = none\ntrials = 5\n");
    bench_close(&b);
}
END_TEST

typedef struct bad_set {
    const char *set, *message;
} bad_set;

static const bad_set bad_sets[] = {
    {"jobs=3", "--set jobs=3: expected section.key=value or type.name.key=value"},
    {"run.=3", "--set run.=3: expected section.key=value or type.name.key=value"},
    {"run.jbs=3", "--set run.jbs=3: jbs: unknown setting of [run]; did you mean jobs?"},
    {"runn.jobs=3", "--set runn.jobs=3: runn: unknown section; did you mean run?"},
    {"algorithm.hidden=3", "--set algorithm.hidden=3: algorithm: needs a name: [algorithm NAME]"},
    {"algorithm.gnc.hidden=3",
     "--set algorithm.gnc.hidden=3: gnc: no [algorithm] section is called that; did you mean gcn?"},
    {"run.db=caf\xe9.db", "--set run.db=caf\xe9.db: is not UTF-8 text"},
    {"algorithm.gnc on cora.hidden=3",
     "--set algorithm.gnc on cora.hidden=3: gnc: no [algorithm] section is called that; did you mean gcn?"},
    {"algorithm.gcn on corra.hidden=3", "--set algorithm.gcn on corra.hidden=3: corra: unknown dataset"},
    {"algorithm.gcn.hidden=", "--set algorithm.gcn.hidden=: hidden: the list is empty"},
};

START_TEST(every_bad_set_has_its_message)
{
    bench b = bench_open();
    bench_write(&b, "main.ini", SMALL);
    ck_assert_int_eq(bench_load_sets(&b, (const char *const[]){bad_sets[_i].set, NULL}), CRU_BAD_INPUT);
    ck_assert_str_eq(bench_message(&b, 0), bad_sets[_i].message);
    ck_assert_int_eq(b.diags.count, 1);
    bench_close(&b);
}
END_TEST

START_TEST(files_that_include_each_other_are_named_in_a_chain)
{
    bench b = bench_open();
    bench_write(&b, "b.ini", "include = c.ini\n");
    bench_write(&b, "c.ini", "[experiment]\ninclude = b.ini\n");
    ck_assert_int_eq(bench_load(&b, "include = b.ini\n" SMALL), CRU_BAD_INPUT);
    ck_assert_int_eq(b.diags.count, 1);
    char expected[600];
    snprintf(expected, sizeof expected, "c.ini:2: include: files include each other: %s/b.ini -> %s/c.ini -> %s/b.ini",
             b.folder, b.folder, b.folder);
    ck_assert_str_eq(bench_message(&b, 0), expected);

    ck_assert_int_eq(bench_load(&b, "include = main.ini\n" SMALL), CRU_BAD_INPUT);
    snprintf(expected, sizeof expected, "main.ini:1: include: files include each other: %s/main.ini -> %s/main.ini",
             b.folder, b.folder);
    ck_assert_str_eq(bench_message(&b, 0), expected);
    bench_close(&b);
}
END_TEST

START_TEST(a_nul_byte_is_reported)
{
    bench b = bench_open();
    static const char text[] = SMALL "hidden = 1\0 6\n";
    bench_write_bytes(&b, "main.ini", text, sizeof text - 1);
    ck_assert_int_eq(bench_load_sets(&b, NULL), CRU_BAD_INPUT);
    ck_assert_str_eq(bench_message(&b, 0), "main.ini:3: the line holds a NUL byte");
    bench_close(&b);
}
END_TEST

START_TEST(control_characters_do_not_reach_the_terminal)
{
    bench b = bench_open();
    bench_refuse(&b, SMALL "\x1b[31m = 3\n", "main.ini:3: the line holds a control character");
    bench_close(&b);
}
END_TEST

START_TEST(a_huge_file_is_refused)
{
    bench b = bench_open();
    size_t size = (4 << 20) + 1;
    char *text = malloc(size);
    memset(text, '\n', size);
    bench_write_bytes(&b, "main.ini", text, size);
    free(text);
    ck_assert_int_eq(bench_load_sets(&b, NULL), CRU_BAD_INPUT);
    ck_assert_str_eq(bench_message(&b, 0), "main.ini: cannot be read: File too large");
    bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("config errors");
    TCase *t = tcase_create("errors");
    tcase_add_test(t, five_mistakes_make_five_lines);
    tcase_add_loop_test(t, every_slip_has_its_message, 0, sizeof slips / sizeof *slips);
    tcase_add_loop_test(t, every_bad_set_has_its_message, 0, sizeof bad_sets / sizeof *bad_sets);
    tcase_add_test(t, keys_below_a_broken_header_are_not_judged);
    tcase_add_test(t, a_missing_file_is_named);
    tcase_add_test(t, a_folder_is_not_a_file);
    tcase_add_test(t, faults_of_all_files_and_sets_come_in_one_go);
    tcase_add_test(t, what_an_included_file_leaves_idle_is_no_fault);
    tcase_add_test(t, files_that_include_each_other_are_named_in_a_chain);
    tcase_add_test(t, a_nul_byte_is_reported);
    tcase_add_test(t, control_characters_do_not_reach_the_terminal);
    tcase_add_test(t, a_huge_file_is_refused);
    suite_add_tcase(s, t);
    return s;
}
