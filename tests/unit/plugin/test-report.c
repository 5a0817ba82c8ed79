// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <string.h>

#include <crucible/plugin.h>

typedef struct seen {
    char name[20];
    double sum;
    int64_t count;
} seen;

static void put(void *user, const char *name, const double *values, int64_t count)
{
    seen *s = user;
    *s = (seen){.count = count};
    strcpy(s->name, name);
    for (int64_t i = 0; i < count; i++) s->sum += values[i];
}

START_TEST(numbers_and_vectors_reach_the_sink)
{
    seen s = {0};
    cru_report report = {{.put = put, .user = &s}};
    cru_report_number(&report, "rate", 0.25);
    ck_assert_str_eq(s.name, "rate");
    ck_assert_int_eq(s.count, 1);
    ck_assert_double_eq(s.sum, 0.25);
    cru_report_vector(&report, "per-class", (double[]){1, 2, 4}, 3);
    ck_assert_str_eq(s.name, "per-class");
    ck_assert_int_eq(s.count, 3);
    ck_assert_double_eq(s.sum, 7);
}
END_TEST

START_TEST(a_report_without_a_sink_drops_numbers)
{
    cru_report_number(NULL, "rate", 1);
    cru_report_number(&(cru_report){0}, "rate", 1);
}
END_TEST

typedef struct call {
    int64_t epoch;
    double loss;
    const float *scores;
} call;

static uint32_t on_epoch(void *user, int64_t epoch, double loss, const float *scores)
{
    *(call *)user = (call){epoch, loss, scores};
    return CRU_KEEP | CRU_STOP;
}

START_TEST(a_monitor_passes_the_epoch_on_and_the_verdict_back)
{
    call c = {0};
    float scores[2] = {0};
    cru_monitor monitor = {.epoch = on_epoch, .user = &c, .limit = 30};
    ck_assert_uint_eq(cru_monitor_epoch(&monitor, 5, 0.5, scores), CRU_KEEP | CRU_STOP);
    ck_assert_int_eq(c.epoch, 5);
    ck_assert_double_eq(c.loss, 0.5);
    ck_assert_ptr_eq(c.scores, scores);
    ck_assert_int_eq(cru_monitor_limit(&monitor), 30);
}
END_TEST

START_TEST(no_monitor_means_no_limit)
{
    ck_assert_uint_eq(cru_monitor_epoch(NULL, 0, 0, NULL), CRU_GO_ON);
    ck_assert_int_eq(cru_monitor_limit(NULL), INT64_MAX);
    ck_assert_int_eq(cru_monitor_limit(&(cru_monitor){0}), INT64_MAX);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("report");
    TCase *c = tcase_create("report and monitor");
    tcase_add_test(c, numbers_and_vectors_reach_the_sink);
    tcase_add_test(c, a_report_without_a_sink_drops_numbers);
    tcase_add_test(c, a_monitor_passes_the_epoch_on_and_the_verdict_back);
    tcase_add_test(c, no_monitor_means_no_limit);
    suite_add_tcase(s, c);
    return s;
}
