// SPDX-License-Identifier: Apache-2.0
/* Matrices as text, read by several threads, and several files at once. */
#include <omp.h>
#include <stdlib.h>

#include "blob.h"
#include "text-matrix.h"
#include "tiny-files.h"

static cru_arena *arena;

static void begin(void)
{
    start();
    arena = cru_arena_create();
    omp_set_num_threads(3);
}

static void end(void)
{
    cru_arena_destroy(arena);
    stop();
}

/* Lines of `cols` numbers each; every fifth line is blank. What strtod makes of them is the oracle. */
enum { ROWS = 500, COLS = 4, MOST_TEXT = 200000 };
static const char *const numbers[] = {"0", "7", "0.0", "9.5", "-3", "0.0152788", "1e-3", "12", ".25", "+4.", "-0.5"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const char *number_at(int64_t row, int64_t col)
{
    return numbers[(row * 5 + col * 3) % NUMBERS];
}

static char *write_rows(const char *separator)
{
    char *all = calloc(1, MOST_TEXT), *at = all;
    for (int64_t i = 0; i < ROWS; i++) {
        if (i % 5 == 4) *at++ = '\n';
        for (int64_t j = 0; j < COLS; j++) at += sprintf(at, "%s%s", j ? separator : "", number_at(i, j));
        *at++ = '\n';
    }
    return all;
}

START_TEST(every_thread_puts_its_rows_in_their_place)
{
    static const char *const separators[] = {",", " ", "\t", " , ", ", "};
    char *rows = write_rows(separators[_i]);
    text_matrix m;
    ck_assert_msg(text_matrix_read(arena, text(rows), ROWS, &m, &err) == CRU_OK, "%s", err.text);
    ck_assert_int_eq(m.cols, COLS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            ck_assert_float_eq(m.numbers[i * COLS + j], (float)strtod(number_at(i, j), NULL));
    free(rows);
}
END_TEST

/* Row i stands in line 1 + i + (blank lines up to it). */
START_TEST(faults_are_told_with_their_line)
{
    static const int64_t places[] = {1, 167, 250, 499};
    const int64_t row = places[_i], line = 1 + row + (row + 1) / 5;
    char *rows = write_rows(","), *at = rows, expected[50];
    text_matrix m;
    for (int64_t k = 1; k < line; k++) at = strchr(at, '\n') + 1;
    *at = 'x';
    ck_assert_int_eq(text_matrix_read(arena, text(rows), ROWS, &m, &err), CRU_BAD_INPUT);
    snprintf(expected, sizeof expected, ":%lld: expected a number", (long long)line);
    ck_assert_msg(strstr(err.text, expected) != NULL, "'%s' does not say '%s'", err.text, expected);
    free(rows);
}
END_TEST

START_TEST(rows_too_many_or_too_few_are_refused)
{
    char *rows = write_rows(",");
    const char *path = text(rows);
    text_matrix m;
    for (int64_t wrong = ROWS - 1; wrong <= ROWS + 1; wrong += 2) {
        err = (cru_error){0};
        ck_assert_int_eq(text_matrix_read(arena, path, wrong, &m, &err), CRU_BAD_INPUT);
        ck_assert_msg(strstr(err.text, ": 500 rows, expected ") != NULL, "%s", err.text);
    }
    free(rows);
}
END_TEST

START_TEST(a_text_may_be_empty_or_one_line_without_an_end)
{
    text_matrix m;
    ck_assert_int_eq(text_matrix_read(arena, text(""), 0, &m, &err), CRU_OK);
    ck_assert_int_eq(text_matrix_read(arena, text("1 2"), 1, &m, &err), CRU_OK);
    ck_assert_int_eq(m.cols, 2);
    ck_assert_float_eq(m.numbers[1], 2);
}
END_TEST

START_TEST(several_files_come_in_their_order_and_the_room_stays_as_it_is)
{
    enum { FILES = 6 };
    const char *paths_[FILES];
    blob blobs[FILES];
    char content[FILES][10];
    for (int i = 0; i < FILES; i++) {
        snprintf(content[i], sizeof content[i], "file %d", i);
        paths_[i] = text(content[i]);
    }
    enum { ROOM = 20 << 20 };
    const byte_room room = {cru_arena_alloc(arena, ROOM, 1), ROOM};
    memset(room.bytes, 7, ROOM);
    ck_assert_int_eq(blob_read_all(arena, (file_list){paths_, FILES}, room, blobs, &err), CRU_OK);
    int64_t kept = 0;
    for (int64_t i = 0; i < ROOM; i++) kept += ((const char *)room.bytes)[i] == 7;
    ck_assert_int_eq(kept, ROOM);
    for (int i = 0; i < FILES; i++) {
        ck_assert_str_eq((const char *)blobs[i].bytes, content[i]);
        ck_assert_str_eq(blobs[i].name, paths_[i]);
    }
    paths_[2] = "/nowhere/a";
    paths_[4] = "/nowhere/b";
    ck_assert_int_eq(blob_read_all(arena, (file_list){paths_, FILES}, room, blobs, &err), CRU_IO);
    ck_assert_msg(strncmp(err.text, "/nowhere/a: ", 12) == 0, "%s", err.text);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("text matrices");
    TCase *c = tcase_create("text");
    tcase_add_checked_fixture(c, begin, end);
    tcase_add_loop_test(c, every_thread_puts_its_rows_in_their_place, 0, 5);
    tcase_add_loop_test(c, faults_are_told_with_their_line, 0, 4);
    tcase_add_test(c, rows_too_many_or_too_few_are_refused);
    tcase_add_test(c, a_text_may_be_empty_or_one_line_without_an_end);
    tcase_add_test(c, several_files_come_in_their_order_and_the_room_stays_as_it_is);
    suite_add_tcase(s, c);
    return s;
}
