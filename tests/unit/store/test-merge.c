// SPDX-License-Identifier: Apache-2.0
/* The union of stores: what beats what, what is compared, what stays when something is wrong. */
#include <math.h>
#include <string.h>

#include "store/fixture.h"
#include "store/merge.h"

static char other[128];

static void make_folders(void)
{
    make_folder();
    snprintf(other, sizeof other, "%s/other.db", folder);
}

static void remove_folders(void)
{
    char file[160];
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s%s", other, endings[i]);
        unlink(file);
    }
    remove_folder();
}

static store *open_other(void)
{
    store *s;
    ok(store_open(other, NULL, &s, &err));
    return s;
}

/* A trial with a result; NAN: with none that can be compared, a failure. */
static void put(store *s, int64_t experiment, const char *key, double accuracy)
{
    add_trial(s, experiment, key);
    ck_assert(claim(s, key));
    if (!isnan(accuracy))
        finish(s, key, accuracy);
    else
        ok(store_finish(s, key, &(store_result){.outcome = STORE_FAILED, .message = "no"}, &err));
}

typedef struct told {
    int count;
    char key[16], name[16];
    double here, there;
} told;

static void note(void *user, const merge_difference *d)
{
    told *t = user;
    t->count++;
    snprintf(t->key, sizeof t->key, "%s", d->key);
    snprintf(t->name, sizeof t->name, "%s", d->name);
    t->here = d->here;
    t->there = d->there;
}

static cru_status merge_other(store *s, merge_figures *f, told *t)
{
    bool out_failed;
    *f = (merge_figures){0};
    ok(store_gather(s, &err));
    cru_status status = store_merge(s, other, &(merge_options){note, t}, f, &out_failed, &err);
    ck_assert(!out_failed);
    ok(store_flush(s, &err));
    return status;
}

START_TEST(a_result_beats_a_failure_and_a_failure_a_trial_to_be_run)
{
    store *s = open_store(NULL), *o = open_other();
    int64_t here = add_experiment(s, "e"), there = add_experiment(o, "e");
    merge_figures f;
    told t = {0};
    add_trial(s, here, "pending"), put(o, there, "pending", 0.25);
    put(s, here, "failed", NAN), put(o, there, "failed", 0.5);
    put(s, here, "good", 0.75), put(o, there, "good", NAN);
    add_trial(s, here, "bad"), put(o, there, "bad", NAN);
    put(s, here, "kept", NAN), add_trial(o, there, "kept");
    put(o, there, "new", 1);
    ok(store_close(o, &err));
    ok(merge_other(s, &f, &t));
    ck_assert_double_eq(number(s, "pending", "accuracy"), 0.25);
    ck_assert_double_eq(number(s, "failed", "accuracy"), 0.5);
    ck_assert_double_eq(number(s, "good", "accuracy"), 0.75);
    ck_assert_int_eq(outcome(s, "bad"), STORE_FAILED);
    ck_assert_int_eq(outcome(s, "kept"), STORE_FAILED);
    ck_assert_double_eq(number(s, "new", "accuracy"), 1);
    ck_assert_int_eq(f.trials, 6);
    ck_assert_int_eq(f.added, 1);
    ck_assert_int_eq(f.results, 4);
    ck_assert_int_eq(f.twice, 0);
    ok(store_close(s, &err));
}
END_TEST

static bool note_key(void *user, const store_trial_view *view)
{
    strcat(strcat(user, view->key), view->outcome == STORE_OK ? "+ " : "- ");
    return true;
}

/* The list of an experiment, with a sign for trials that have a result. */
static char *listed(store *s, const char *experiment, char *text)
{
    int64_t id;
    *text = 0;
    ok(store_find_experiment(s, experiment, &id, &err));
    ck_assert_int_ne(id, 0);
    ok(store_each_trial(s, id, note_key, text, &err));
    return text;
}

static void put_at(store *s, int64_t experiment, const char *key, int64_t place)
{
    ok(store_add_trial(s, experiment, &(store_trial){.key = key, .canonical = "c", .place = place}, &err));
}

START_TEST(parts_of_an_experiment_make_its_list_again_in_its_order)
{
    store *s = open_store(NULL), *o = open_other();
    int64_t here = add_experiment(s, "e"), there = add_experiment(o, "e");
    char text[200];
    merge_figures f;
    told t = {0};
    put_at(s, here, "a", 1), put_at(s, here, "d", 4), put_at(s, here, "x", 7);
    put_at(o, there, "b", 2), put_at(o, there, "c", 3), put_at(o, there, "y", 7);
    ok(store_close(o, &err));
    ok(merge_other(s, &f, &t));
    ck_assert_str_eq(listed(s, "e", text), "a- b- c- d- x- y- ");
    ok(merge_other(s, &f, &t)); /* once more: nothing changes */
    ck_assert_str_eq(listed(s, "e", text), "a- b- c- d- x- y- ");
    ck_assert_int_eq(f.added + f.results, 0);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(an_experiment_that_is_not_there_comes_with_all_it_has)
{
    store *s = open_store(NULL), *o = open_other();
    int64_t id = add_experiment(o, "new");
    char text[100];
    merge_figures f;
    told t = {0};
    put(o, id, "k", 0.5);
    add_experiment(o, "new"); /* again, with another list: k is a former trial now */
    add_trial(o, id, "l");
    ok(store_close(o, &err));
    ok(merge_other(s, &f, &t));
    ck_assert_str_eq(listed(s, "new", text), "l- ");
    ok(store_find_experiment(s, "new", &id, &err));
    *text = 0;
    ok(store_each_trial(s, store_former(id), note_key, text, &err));
    ck_assert_str_eq(text, "k+ ");
    ok(store_close(s, &err));
}
END_TEST

static void put_vector(store *s, int64_t experiment, const char *key, double last)
{
    const double values[] = {1, last};
    const store_number numbers[] = {{"accuracy", 0.5}, {"undefined", NAN}};
    const store_vector vectors[] = {{"recall", values, 2}};
    store_result r = {.outcome = STORE_OK,
                      .seconds_total = last, /* costs are not compared */
                      .numbers = numbers,
                      .number_count = 2,
                      .vectors = vectors,
                      .vector_count = 1};
    add_trial(s, experiment, key);
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &r, &err));
}

START_TEST(a_trial_that_was_run_twice_must_have_the_same_bits)
{
    store *s = open_store(NULL), *o = open_other();
    int64_t here = add_experiment(s, "e"), there = add_experiment(o, "e");
    merge_figures f;
    told t = {0};
    put(s, here, "same", 0.5), put(o, there, "same", 0.5);
    put_vector(s, here, "same vector", 2), put_vector(o, there, "same vector", 2);
    put(s, here, "other", 0.5), put(o, there, "other", nextafter(0.5, 1));
    ok(store_close(o, &err));
    ok(merge_other(s, &f, &t));
    ck_assert_int_eq(f.twice, 3);
    ck_assert_int_eq(f.differing, 1);
    ck_assert_int_eq(t.count, 1);
    ck_assert_str_eq(t.key, "other");
    ck_assert_str_eq(t.name, "accuracy");
    ck_assert_double_eq(t.here, 0.5);
    ck_assert_double_eq(t.there, nextafter(0.5, 1));
    ck_assert_double_eq(number(s, "other", "accuracy"), 0.5);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_vector_that_differs_is_named)
{
    store *s = open_store(NULL), *o = open_other();
    merge_figures f;
    told t = {0};
    put_vector(s, add_experiment(s, "e"), "k", 2), put_vector(o, add_experiment(o, "e"), "k", 3);
    ok(store_close(o, &err));
    ok(merge_other(s, &f, &t));
    ck_assert_int_eq(f.differing, 1);
    ck_assert_str_eq(t.name, "vector recall");
    ok(store_close(s, &err));
}
END_TEST

START_TEST(what_is_discarded_was_never_there)
{
    store *s = open_store(NULL), *o = open_other();
    merge_figures f = {0};
    told t = {0};
    bool out_failed;
    store_outcome gone;
    put(o, add_experiment(o, "e"), "k", 0.5);
    ok(store_close(o, &err));
    ok(store_gather(s, &err));
    ok(store_merge(s, other, &(merge_options){note, &t}, &f, &out_failed, &err));
    store_discard(s);
    ck_assert_int_eq(store_status(s, "k", &gone, NULL, NULL), CRU_BAD_INPUT);
    ok(store_close(s, &err));
}
END_TEST

/* Bytes of the input from the middle on are overwritten. */
static void damage(void)
{
    FILE *file = fopen(other, "r+b");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    for (long left = ftell(file) / 2, i = 0; i < left; i++) {
        if (i == 0) fseek(file, left, SEEK_SET);
        fputc(0x5a, file);
    }
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_damaged_input_costs_nothing_but_itself)
{
    store *s = open_store(NULL), *o = open_other();
    int64_t id = add_experiment(s, "e"), there = add_experiment(o, "e");
    merge_figures f;
    told t = {0};
    char key[16];
    put(s, id, "k", 0.5);
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "key %d", i);
        put(o, there, key, 0.5);
    }
    ok(store_close(o, &err));
    damage();
    ck_assert_int_ne(merge_other(s, &f, &t), CRU_OK);
    ck_assert_ptr_nonnull(strstr(err.text, "other.db"));
    ck_assert_int_eq(f.trials, 0);
    int64_t counts[STORE_OUTCOMES];
    err = (cru_error){0};
    ok(store_count(s, id, counts, &err));
    ck_assert_int_eq(counts[STORE_OK], 1);
    ck_assert_int_eq(counts[STORE_PENDING], 0);
    ok(store_close(s, &err));
}
END_TEST

/* Kept scores come with a result, and so does the word on where it is from. */
START_TEST(kept_scores_come_along)
{
    const float values[] = {1, 2, 4};
    store *s = open_store(NULL), *o = open_other();
    int64_t there = add_experiment(o, "e");
    const store_part part = {STORE_EMBEDDING, values, 1, 3};
    const store_kept kept = {
        .values = values, .rows = 3, .cols = 1, .metrics = "h accuracy\n", .parts = &part, .part_count = 1};
    merge_figures f;
    told t = {0};
    store_matrix m;
    char source[STORE_KEY];
    add_trial(s, add_experiment(s, "e"), "a");
    add_trial(o, there, "a"), add_trial(o, there, "b");
    ck_assert(claim(o, "a") && claim(o, "b"));
    ok(store_finish(o, "a", &(store_result){.outcome = STORE_OK, .kept = &kept}, &err));
    ok(store_finish(o, "b", &(store_result){.outcome = STORE_OK, .source = "a"}, &err));
    ok(store_close(o, &err));
    for (int i = 0; i < 2; i++) ok(merge_other(s, &f, &t));
    ok(store_get_kept(s, "a", &m, &err));
    ck_assert_int_eq(m.rows, 3);
    for (int i = 0; i < 3; i++) ck_assert_float_eq(m.values[i], values[i]);
    free(m.values);
    ok(store_get_part(s, "a", STORE_EMBEDDING, &m, &err));
    ck_assert_int_eq(m.cols, 3);
    ck_assert_float_eq(m.values[2], 4);
    free(m.values);
    ok(store_get_source(s, "b", source, &err));
    ck_assert_str_eq(source, "a");
    ck_assert_int_eq(t.count, 0);
    ok(store_close(s, &err));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("merge");
    TCase *c = tcase_create("merge");
    tcase_add_checked_fixture(c, make_folders, remove_folders);
    tcase_add_test(c, a_result_beats_a_failure_and_a_failure_a_trial_to_be_run);
    tcase_add_test(c, parts_of_an_experiment_make_its_list_again_in_its_order);
    tcase_add_test(c, an_experiment_that_is_not_there_comes_with_all_it_has);
    tcase_add_test(c, a_trial_that_was_run_twice_must_have_the_same_bits);
    tcase_add_test(c, a_vector_that_differs_is_named);
    tcase_add_test(c, what_is_discarded_was_never_there);
    tcase_add_test(c, a_damaged_input_costs_nothing_but_itself);
    tcase_add_test(c, kept_scores_come_along);
    suite_add_tcase(s, c);
    return s;
}
