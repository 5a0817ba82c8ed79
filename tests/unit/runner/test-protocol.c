// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/protocol.h"

START_TEST(records_come_back_in_order)
{
    records list = {0};
    double many[300];
    for (int i = 0; i < 300; i++) many[i] = i;
    records_put(&list, "a", &(double){1.5}, 1);
    records_put(&list, "exactly8", NULL, 0);
    records_put(&list, "", many, 300);
    record item;
    size_t at = 0;
    ck_assert(records_next(&list, &at, &item));
    ck_assert_str_eq(item.name, "a");
    ck_assert_double_eq(item.values[0], 1.5);
    ck_assert(records_next(&list, &at, &item));
    ck_assert_str_eq(item.name, "exactly8");
    ck_assert_int_eq(item.count, 0);
    ck_assert(records_next(&list, &at, &item));
    ck_assert_int_eq(item.count, 300);
    ck_assert_mem_eq(item.values, many, sizeof many);
    ck_assert(!records_next(&list, &at, &item));
    records_free(&list);
}
END_TEST

/* Every truncation, and every byte of the head set to every extreme, ends the walk inside the list. */
START_TEST(damaged_records_are_never_read_past_their_end)
{
    records list = {0};
    record item;
    records_put(&list, "first", (double[]){1, 2, 3}, 3);
    records_put(&list, "second", (double[]){4}, 1);
    for (size_t size = 0; size < list.size; size++) {
        records cut = {.bytes = malloc(size ? size : 1), .size = size};
        memcpy(cut.bytes, list.bytes, size);
        for (size_t at = 0; records_next(&cut, &at, &item);) ck_assert_uint_le(at, size);
        records_free(&cut);
    }
    for (size_t byte = 0; byte < 16; byte++)
        for (int value = 0; value < 256; value += 17) {
            records bad = {.bytes = malloc(list.size), .size = list.size};
            memcpy(bad.bytes, list.bytes, list.size);
            bad.bytes[byte] = (unsigned char)value;
            for (size_t at = 0; records_next(&bad, &at, &item);) {
                ck_assert_uint_le(at, bad.size);
                ck_assert_uint_lt(strlen(item.name), bad.size);
            }
            records_free(&bad);
        }
    records_free(&list);
}
END_TEST

START_TEST(a_reply_carries_numbers_and_a_file)
{
    int pair[2], fd, file = memfd_create("x", 0);
    char text[5] = {0};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(write(file, "text", 4), 4);
    records sent = {0}, got;
    records_put(&sent, "value", &(double){NAN}, 1);
    judge_reply reply = {.ticket = 7, .items = 3, .classes = 2, .value = 0.5}, back;
    ck_assert(reply_send(pair[0], &reply, &sent, file));
    ck_assert(reply_receive(pair[1], &back, &got, &fd));
    ck_assert_uint_eq(back.ticket, 7);
    ck_assert_int_eq(back.items, 3);
    ck_assert_uint_eq(got.size, sent.size);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, text, 4, 0), 4);
    ck_assert_str_eq(text, "text");
    close(fd);
    close(file);
    records_free(&sent);
    records_free(&got);
    close(pair[0]);
    ck_assert(!reply_receive(pair[1], &back, &got, &fd));
    close(pair[1]);
}
END_TEST

START_TEST(a_reply_that_promises_too_much_is_refused)
{
    int pair[2], fd;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    judge_reply lie = {.payload = UINT64_MAX}, back;
    records got;
    ck_assert_int_eq(write(pair[0], &lie, sizeof lie), sizeof lie);
    ck_assert(!reply_receive(pair[1], &back, &got, &fd));
    ck_assert_int_eq(fd, -1);
    lie.payload = 1000;
    ck_assert_int_eq(write(pair[0], &lie, sizeof lie), sizeof lie);
    close(pair[0]);
    ck_assert(!reply_receive(pair[1], &back, &got, &fd));
    close(pair[1]);
}
END_TEST

START_TEST(scores_have_the_size_that_was_agreed)
{
    score_shape shape = {.items = 5, .classes = 3}, other = {.items = 5, .classes = 4};
    int fd = scores_create(&shape);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_ne(ftruncate(fd, 1), 0);
    ck_assert_int_ne(ftruncate(fd, 1 << 20), 0);
    ck_assert_ptr_null(scores_map(fd, &other, false));
    float *mine = scores_map(fd, &shape, true), *theirs = scores_map(fd, &shape, false);
    mine[29] = 4;
    ck_assert_float_eq(theirs[29], 4);
    scores_unmap(mine, &shape);
    scores_unmap(theirs, &shape);
    close(fd);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("protocol");
    TCase *t = tcase_create("messages");
    tcase_add_test(t, records_come_back_in_order);
    tcase_add_test(t, damaged_records_are_never_read_past_their_end);
    tcase_add_test(t, a_reply_carries_numbers_and_a_file);
    tcase_add_test(t, a_reply_that_promises_too_much_is_refused);
    tcase_add_test(t, scores_have_the_size_that_was_agreed);
    suite_add_tcase(s, t);
    return s;
}
