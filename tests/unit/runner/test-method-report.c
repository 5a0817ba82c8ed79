// SPDX-License-Identifier: Apache-2.0
/* What a method reports, on its way: the writer in the worker, and the reader in the host, which trusts no byte. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/method-report.h"

enum { ROOM = 1 << 16 };

static unsigned char bytes[ROOM];

/* The records that are taken, "name count first" each on a line. */
static const char *listed(records *list)
{
    static char text[4000];
    size_t position = 0, used = 0;
    *text = 0;
    for (record item; records_next(list, &position, &item);)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %d %g\n", item.name, (int)item.count,
                                 item.count ? item.values[0] : 0.0);
    records_free(list);
    return text;
}

START_TEST(numbers_vectors_and_matrices_arrive)
{
    report_writer w = {.room = ROOM};
    cru_report report = report_open(&w);
    records got = {0};
    char fault[REPORT_FAULT];
    cru_report_number(&report, "edges", 7);
    cru_report_vector(&report, "share", (double[]){0.5, 0.25, 0.25}, 3);
    cru_report_matrix(&report, "square", (double[]){1, 2, 3, 4}, 2, 2);
    cru_report_matrix(&report, "flat", (double[]){9, 8, 7, 6, 5, 4}, 2, 3);
    cru_report_vector(&report, CRU_LABEL_WEIGHT, (double[]){1, 2}, 2); /* nobody asked */
    const size_t size = report_close(&w, bytes);
    ck_assert_str_eq(w.fault, "");
    ck_assert(report_take(bytes, size, true, &got, fault));
    ck_assert_str_eq(listed(&got), "method.edges 1 7\nmethod.share 3 0.5\nmethod.square 4 1\nmethod.flat 6 9\n"
                                   "method.flat.rows 1 2\n");
}
END_TEST

START_TEST(label_weights_are_found_and_stored_only_when_wanted)
{
    report_writer w = {.room = ROOM, .weights = true};
    cru_report report = report_open(&w);
    records got = {0};
    record weights;
    char fault[REPORT_FAULT];
    cru_report_number(&report, "edges", 7);
    cru_report_vector(&report, CRU_LABEL_WEIGHT, (double[]){3, 2}, 2);
    const size_t size = report_close(&w, bytes);
    ck_assert(report_find_weights(bytes, size, &weights));
    ck_assert_int_eq(weights.count, 2);
    ck_assert_double_eq(weights.values[0], 3);
    ck_assert(report_take(bytes, size, false, &got, fault));
    ck_assert_str_eq(listed(&got), "method.edges 1 7\n");
    ck_assert(report_take(bytes, size, true, &got, fault));
    ck_assert_str_eq(listed(&got), "method.edges 1 7\nmethod.label-weight 2 3\n");
    ck_assert(!report_find_weights(bytes, 0, &weights));
}
END_TEST

/* What the writer would not write. */
static void expect_refused(const records *raw, const char *why)
{
    records got = {0};
    char fault[REPORT_FAULT] = "";
    ck_assert(!report_take(raw->bytes, raw->size, true, &got, fault));
    ck_assert_msg(strstr(fault, why), "%s", fault);
    ck_assert_uint_eq(got.size, 0);
}

START_TEST(the_host_looks_again)
{
    static const char *const bad[] = {
        "", "a/b", "a b", "\033[2J", "-a", "a.", "0123456789012345678901234567890123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        records raw = {0};
        records_put(&raw, "fine", &(double){1}, 1);
        records_put(&raw, bad[i], &(double){1}, 1);
        expect_refused(&raw, "letters, digits");
        records_free(&raw);
    }
    records twice = {0}, many = {0}, cut = {0};
    for (int i = 0; i < 2; i++) records_put(&twice, "same", &(double){1}, 1);
    expect_refused(&twice, "same is there twice");
    for (int i = 0; i <= REPORT_NAMES_MOST; i++) {
        char name[20];
        snprintf(name, sizeof name, "n%d", i);
        records_put(&many, name, NULL, 0);
    }
    expect_refused(&many, "more than 100 names");
    records_put(&cut, "whole", (double[]){1, 2, 3}, 3);
    cut.size -= 8;
    expect_refused(&cut, "do not hold whole numbers");
    records_free(&twice);
    records_free(&many);
    records_free(&cut);
}
END_TEST

START_TEST(damaged_reports_are_never_read_past_their_end)
{
    records raw = {0};
    records_put(&raw, "first", (double[]){1, 2, 3}, 3);
    records_put(&raw, CRU_LABEL_WEIGHT, (double[]){4, 5}, 2);
    for (size_t byte = 0; byte < raw.size; byte++)
        for (int value = 0; value < 256; value += 15) {
            unsigned char *copy = malloc(raw.size); /* of its own, so that a sanitizer sees its end */
            records got = {0};
            record weights;
            char fault[REPORT_FAULT];
            memcpy(copy, raw.bytes, raw.size);
            copy[byte] = (unsigned char)value;
            if (report_take(copy, raw.size, true, &got, fault)) records_free(&got);
            report_find_weights(copy, raw.size, &weights);
            free(copy);
        }
    records_free(&raw);
}
END_TEST

START_TEST(the_writer_keeps_to_its_room)
{
    static const double numbers[100];
    for (size_t room = 0; room < 2000; room += 8) {
        report_writer w = {.room = room};
        cru_report report = report_open(&w);
        for (int i = 0; i < 5; i++)
            cru_report_vector(&report, (const char *[]){"a", "b", "c", "d", "e"}[i], numbers, 20 * i);
        cru_report_matrix(&report, "f", numbers, 2, 3);
        unsigned char *place = malloc(room ? room : 1);
        ck_assert_uint_le(report_close(&w, place), room);
        ck_assert(room > 1900 || *w.fault);
        free(place);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("method-report");
    TCase *c = tcase_create("method-report");
    tcase_add_test(c, numbers_vectors_and_matrices_arrive);
    tcase_add_test(c, label_weights_are_found_and_stored_only_when_wanted);
    tcase_add_test(c, the_host_looks_again);
    tcase_add_test(c, damaged_reports_are_never_read_past_their_end);
    tcase_add_test(c, the_writer_keeps_to_its_room);
    suite_add_tcase(s, c);
    return s;
}
