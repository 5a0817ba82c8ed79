// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/open.h"
#include "data/stamp.h"
#include "task/sample.h"

static char folder[] = "/tmp/crucible-stamp-XXXXXX", path[100], stamp_name[120];
static cru_data *sample;

static void make_folder(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sample.img", folder);
    snprintf(stamp_name, sizeof stamp_name, "%s.stamp", path);
    sample = sample_nodes();
    image_store(path, sample);
}

static void remove_folder(void)
{
    cru_data_destroy(sample);
    unlink(path);
    unlink(stamp_name);
    rmdir(folder);
}

/* The file's stamp, once its last change is over for the clock of the file system. */
static stamp settled(void)
{
    stamp s = {0};
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    do ck_assert(stamp_take(fd, &s));
    while (!s.settled);
    close(fd);
    return s;
}

static bool opens(void)
{
    cru_data *data = image_map(path);
    bool opened = data != NULL;
    if (opened) ck_assert_float_eq(data->x.dense[19], 19);
    cru_data_destroy(data);
    return opened;
}

/* The last byte of the file that an array covers is the last letter of "blue": the class names are stored last. */
static void flip_last_array(void)
{
    struct stat info;
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(fstat(fd, &info), 0);
    for (off_t at = info.st_size - 1; at > 0; at--) {
        char byte;
        ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
        if (byte != 'e') continue;
        byte = 'f';
        ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
        break;
    }
    close(fd);
}

START_TEST(a_verified_image_is_stamped)
{
    settled();
    ck_assert_int_ne(access(stamp_name, F_OK), 0);
    ck_assert(opens());
    stamp now = settled();
    ck_assert(stamp_matches(path, &now));
    ck_assert(opens());
}
END_TEST

START_TEST(a_file_that_has_just_changed_gets_no_stamp)
{
    stamp s = settled();
    s.settled = false;
    stamp_store(path, &s);
    ck_assert(!stamp_matches(path, &s));
}
END_TEST

START_TEST(a_flipped_bit_is_found_in_spite_of_the_stamp)
{
    settled();
    ck_assert(opens());
    flip_last_array();
    ck_assert(!opens());
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_ne(access(stamp_name, F_OK), 0);
}
END_TEST

START_TEST(setting_the_time_back_does_not_hide_a_change)
{
    struct stat info;
    settled();
    ck_assert(opens());
    ck_assert_int_eq(stat(path, &info), 0);
    flip_last_array();
    ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[]){info.st_atim, info.st_mtim}, 0), 0);
    ck_assert(!opens());
}
END_TEST

START_TEST(a_cut_file_is_found_in_spite_of_the_stamp)
{
    stamp s = settled();
    ck_assert(opens());
    ck_assert_int_eq(truncate(path, s.size - 64), 0);
    ck_assert(!opens());
    image_store(path, sample);
    ck_assert(opens());
}
END_TEST

START_TEST(a_file_in_the_place_of_another_is_verified)
{
    char other[110];
    settled();
    ck_assert(opens());
    stamp before = settled();
    snprintf(other, sizeof other, "%s.other", path);
    image_store(other, sample);
    ck_assert_int_eq(rename(other, path), 0);
    stamp after = settled();
    ck_assert_int_eq(after.size, before.size);
    ck_assert(!stamp_matches(path, &after));
    ck_assert(opens());
    ck_assert(stamp_matches(path, &after));
}
END_TEST

START_TEST(what_is_no_stamp_counts_for_nothing)
{
    stamp s = settled();
    FILE *file = fopen(stamp_name, "w");
    fputs("verified: everything\n", file);
    fclose(file);
    ck_assert(!stamp_matches(path, &s));
    flip_last_array();
    ck_assert(!opens());
}
END_TEST

/* 16 MiB of features and more: stamped when stored, and verified again all the same when it changes. */
START_TEST(a_large_image_is_stamped_when_it_is_stored)
{
    enum { ROWS = 4, COLS = 1 << 20 };
    cru_data *large = cru_data_create();
    large->problem = CRU_ROWS;
    large->items = large->nodes = ROWS;
    large->classes = 1;
    large->x = (cru_features){.rows = ROWS, .cols = COLS};
    large->x.dense = cru_data_alloc(large, ROWS * COLS, sizeof(float));
    large->truth = SAMPLE(large, int32_t, 0, 0, 0, 0);
    large->labels = SAMPLE(large, int32_t, 0, 0, 0, 0);
    image_store(path, large);
    cru_data_destroy(large);
    stamp s = settled();
    ck_assert(stamp_matches(path, &s));
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(pwrite(fd, "x", 1, s.size / 2), 1);
    close(fd);
    ck_assert_ptr_null(image_map(path));
}
END_TEST

/* What the stamp spares: the arrays are not read. */
START_TEST(a_verified_file_is_mapped_without_reading_its_arrays)
{
    cru_data *data = NULL;
    cru_error err = {0};
    flip_last_array();
    int fd = open(path, O_RDONLY);
    ck_assert_int_eq(cru_data_map(fd, &data, &err), CRU_BAD_INPUT);
    ck_assert_int_eq(cru_data_map_verified(fd, &data, &err), CRU_OK);
    ck_assert_str_eq(data->class_names[2], "bluf");
    data->labels[0] = 1; /* private pages: this stays here */
    cru_data_destroy(data);
    ck_assert_int_eq(cru_data_map_verified(fd, &data, &err), CRU_OK);
    ck_assert_int_eq(data->labels[0], 0);
    cru_data_destroy(data);
    close(fd);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("stamp");
    TCase *c = tcase_create("stamps");
    tcase_add_checked_fixture(c, make_folder, remove_folder);
    tcase_add_test(c, a_verified_image_is_stamped);
    tcase_add_test(c, a_file_that_has_just_changed_gets_no_stamp);
    tcase_add_test(c, a_flipped_bit_is_found_in_spite_of_the_stamp);
    tcase_add_test(c, setting_the_time_back_does_not_hide_a_change);
    tcase_add_test(c, a_cut_file_is_found_in_spite_of_the_stamp);
    tcase_add_test(c, a_file_in_the_place_of_another_is_verified);
    tcase_add_test(c, what_is_no_stamp_counts_for_nothing);
    tcase_add_test(c, a_large_image_is_stamped_when_it_is_stored);
    tcase_add_test(c, a_verified_file_is_mapped_without_reading_its_arrays);
    suite_add_tcase(s, c);
    return s;
}
