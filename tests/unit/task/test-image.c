// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "task/image-format.h"
#include "task/image-hash.c" /* hidden in the library; the tests forge checksums with it */
#include "task/sample.h"

static int file_create(void)
{
    int fd = memfd_create("image", 0);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static int write_data(cru_data *d)
{
    int fd = file_create();
    cru_error err = {0};
    ck_assert_msg(cru_data_write(d, fd, &err) == CRU_OK, "%s", err.text);
    return fd;
}

static size_t file_size(int fd)
{
    struct stat info;
    fstat(fd, &info);
    return (size_t)info.st_size;
}

static void assert_csr_eq(const cru_csr *a, const cru_csr *b)
{
    int64_t nnz = cru_csr_nnz(b);
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->cols, b->cols);
    ck_assert_int_eq(a->offsets != NULL, b->offsets != NULL);
    ck_assert_int_eq(a->values != NULL, b->values != NULL);
    if (!b->offsets) return;
    ck_assert_mem_eq(a->offsets, b->offsets, (size_t)(b->rows + 1) * sizeof *b->offsets);
    ck_assert_mem_eq(a->ids, b->ids, (size_t)nnz * sizeof *b->ids);
    if (b->values) ck_assert_mem_eq(a->values, b->values, (size_t)nnz * sizeof *b->values);
}

static void assert_ids_eq(cru_ids a, cru_ids b)
{
    ck_assert_int_eq(a.count, b.count);
    if (b.count > 0) ck_assert_mem_eq(a.ids, b.ids, (size_t)b.count * sizeof *b.ids);
}

static void assert_split_eq(const cru_split *a, const cru_split *b)
{
    assert_ids_eq(a->train, b->train);
    assert_ids_eq(a->val, b->val);
    assert_ids_eq(a->test, b->test);
}

static void assert_features_eq(const cru_features *a, const cru_features *b)
{
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->cols, b->cols);
    ck_assert_int_eq(a->channels, b->channels);
    ck_assert_int_eq(a->height, b->height);
    ck_assert_int_eq(a->width, b->width);
    assert_csr_eq(&a->sparse, &b->sparse);
    ck_assert_int_eq(a->dense != NULL, b->dense != NULL);
    if (b->dense) ck_assert_mem_eq(a->dense, b->dense, (size_t)(b->rows * b->cols) * sizeof *b->dense);
}

static void assert_data_eq(const cru_data *a, const cru_data *b)
{
    ck_assert_int_eq(a->problem, b->problem);
    ck_assert_int_eq(a->items, b->items);
    ck_assert_int_eq(a->nodes, b->nodes);
    ck_assert_int_eq(a->classes, b->classes);
    ck_assert_int_eq(a->relation_count, b->relation_count);
    ck_assert_int_eq(a->official_count, b->official_count);
    assert_csr_eq(&a->graph, &b->graph);
    assert_features_eq(&a->x, &b->x);
    assert_split_eq(&a->split, &b->split);
    ck_assert_mem_eq(a->truth, b->truth, (size_t)b->items * sizeof *b->truth);
    ck_assert_mem_eq(a->labels, b->labels, (size_t)b->items * sizeof *b->labels);
    ck_assert_int_eq(a->candidates != NULL, b->candidates != NULL);
    if (b->candidates) ck_assert_mem_eq(a->candidates, b->candidates, (size_t)(b->items * b->classes));
    ck_assert_int_eq(a->graph_offsets != NULL, b->graph_offsets != NULL);
    if (b->graph_offsets) ck_assert_mem_eq(a->graph_offsets, b->graph_offsets, (size_t)(b->items + 1) * 8);
    for (int32_t i = 0; i < b->relation_count; i++) {
        ck_assert_str_eq(a->relations[i].name, b->relations[i].name);
        assert_csr_eq(&a->relations[i].graph, &b->relations[i].graph);
    }
    for (int32_t i = 0; i < b->official_count; i++) assert_split_eq(&a->official[i], &b->official[i]);
    ck_assert_int_eq(a->class_names != NULL, b->class_names != NULL);
    for (int32_t i = 0; b->class_names && i < b->classes; i++) ck_assert_str_eq(a->class_names[i], b->class_names[i]);
}

START_TEST(data_come_back_as_they_were_written)
{
    cru_data *d = _i ? sample_graphs() : sample_nodes(), *mapped;
    int fd = write_data(d);
    cru_error err = {0};
    ck_assert_msg(cru_data_map(fd, &mapped, &err) == CRU_OK, "%s", err.text);
    close(fd);
    assert_data_eq(mapped, d);
    ck_assert_int_eq(cru_data_check(mapped, &err), CRU_OK);
    ck_assert_uint_eq((uintptr_t)mapped->graph.ids % 64, 0);
    cru_data_destroy(mapped);
    cru_data_destroy(d);
}
END_TEST

START_TEST(changes_to_mapped_data_never_reach_the_file)
{
    cru_data *d = sample_nodes(), *first, *second;
    int fd = write_data(d);
    cru_error err = {0};
    ck_assert_int_eq(cru_data_map(fd, &first, &err), CRU_OK);
    first->labels[0] = 1;
    first->truth[1] = 0;
    first->split.train = (cru_ids){.ids = cru_data_alloc(first, 1, 4), .count = 1};
    ck_assert_int_eq(cru_data_map(fd, &second, &err), CRU_OK);
    assert_data_eq(second, d);
    cru_data_destroy(first);
    cru_data_destroy(second);
    cru_data_destroy(d);
    close(fd);
}
END_TEST

START_TEST(a_task_comes_back_without_truth)
{
    cru_data *d = sample_nodes();
    cru_task task, mapped;
    cru_error err = {0};
    void *mapping;
    int fd = file_create();
    cru_data_task(d, UINT64_MAX - 1, &task, &err);
    ck_assert_int_eq(cru_task_write(&task, fd, &err), CRU_OK);
    char content[10000];
    ssize_t length = pread(fd, content, sizeof content, 0);
    ck_assert_ptr_null(memmem(content, (size_t)length, "truth", 5));
    ck_assert_int_eq(cru_task_map(fd, &mapped, &mapping, &err), CRU_OK);
    close(fd);
    ck_assert_uint_eq(mapped.seed, UINT64_MAX - 1);
    ck_assert_uint_eq(mapped.size, sizeof mapped);
    ck_assert_mem_eq(mapped.labels, task.labels, 5 * sizeof *task.labels);
    ck_assert_mem_eq(mapped.candidates, task.candidates, 15);
    assert_csr_eq(&mapped.graph, &task.graph);
    assert_features_eq(&mapped.x, &task.x);
    assert_split_eq(&mapped.split, &task.split);
    ck_assert_str_eq(mapped.relations[1].name, "right");
    cru_task_unmap(mapping);
    cru_task_unmap(NULL);
    cru_data_destroy(d);
}
END_TEST

static sigjmp_buf frame;

static void on_fault(int number)
{
    (void)number;
    siglongjmp(frame, 1);
}

START_TEST(the_pages_of_a_mapped_task_are_read_only)
{
    cru_data *d = sample_nodes();
    cru_task task, mapped;
    cru_error err = {0};
    void *mapping;
    int fd = file_create();
    cru_data_task(d, 1, &task, &err);
    cru_task_write(&task, fd, &err);
    ck_assert_int_eq(cru_task_map(fd, &mapped, &mapping, &err), CRU_OK);
    struct sigaction catch = {.sa_handler = on_fault}, before;
    sigaction(SIGSEGV, &catch, &before);
    if (sigsetjmp(frame, 1) == 0) {
        *(volatile int32_t *)mapped.labels = 1;
        ck_abort_msg("the write went through");
    }
    sigaction(SIGSEGV, &before, NULL);
    cru_task_unmap(mapping);
    cru_data_destroy(d);
    close(fd);
}
END_TEST

START_TEST(writing_replaces_what_was_there)
{
    cru_data *d = sample_nodes(), *mapped;
    int fd = write_data(d), other = file_create();
    char junk[100000];
    cru_error err = {0};
    memset(junk, 0xff, sizeof junk);
    ck_assert_int_eq(write(other, junk, sizeof junk), sizeof junk);
    ck_assert_int_eq(cru_data_write(d, other, &err), CRU_OK);
    ck_assert_uint_eq(file_size(other), file_size(fd));
    ck_assert_int_eq(cru_data_map(other, &mapped, &err), CRU_OK);
    cru_data_destroy(mapped);
    cru_data_destroy(d);
    close(fd);
    close(other);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_io_error)
{
    cru_data *d = sample_nodes();
    cru_error err = {0};
    int fd = open("/dev/null", 0);
    ck_assert_int_eq(cru_data_write(d, fd, &err), CRU_IO);
    ck_assert(strstr(err.text, "image: cannot be written: "));
    close(fd);
    cru_data_destroy(d);
}
END_TEST

/* ---- hostile files ---- */

static unsigned char *bytes;
static size_t size;

static void load_sample(void)
{
    cru_data *d = sample_nodes();
    int fd = write_data(d);
    size = file_size(fd);
    bytes = malloc(size);
    ck_assert_int_eq(pread(fd, bytes, size, 0), (ssize_t)size);
    close(fd);
    cru_data_destroy(d);
}

static void free_sample(void)
{
    free(bytes);
}

/* Maps `count` of the bytes as data. A map that succeeds must also survive the check. */
static cru_status map_bytes(size_t count, cru_error *err)
{
    int fd = file_create();
    cru_data *d;
    *err = (cru_error){0};
    ck_assert_int_eq(write(fd, bytes, count), (ssize_t)count);
    cru_status status = cru_data_map(fd, &d, err);
    ck_assert_int_eq(status == CRU_OK, d != NULL);
    if (d) {
        cru_error ignored = {0};
        cru_data_check(d, &ignored);
        cru_data_destroy(d);
    }
    close(fd);
    return status;
}

static image_header *header(void)
{
    return (image_header *)bytes;
}

static image_entry *entry(const char *name)
{
    image_entry *entries = (image_entry *)(header() + 1);
    for (uint64_t i = 0; i < header()->entries; i++)
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    ck_abort_msg("no array %s", name);
}

/* Makes the checksums fit again, as somebody who means harm would. */
static void forge(void)
{
    image_hash h = image_hash_start();
    const image_entry *entries = (const image_entry *)(header() + 1);
    for (uint64_t i = 0; i < header()->entries; i++)
        if (entries[i].offset <= size && entries[i].size * entries[i].count <= size - entries[i].offset)
            image_hash_add(&h, bytes + entries[i].offset, entries[i].size * entries[i].count);
    header()->payload_sum = image_hash_end(&h);
    header()->head_sum = image_head_sum(*header(), entries);
}

START_TEST(every_truncation_is_refused)
{
    cru_error err;
    for (size_t cut = 0; cut < size; cut++) {
        ck_assert_int_eq(map_bytes(cut, &err), CRU_BAD_INPUT);
        ck_assert(err.text[0]);
    }
    ck_assert_int_eq(map_bytes(size, &err), CRU_OK);
}
END_TEST

START_TEST(every_flipped_bit_of_header_and_table_is_refused)
{
    cru_error err;
    size_t head = sizeof(image_header) + header()->entries * sizeof(image_entry);
    for (size_t i = 0; i < head; i++) {
        bytes[i] ^= (unsigned char)(1 << i % 8);
        ck_assert_int_eq(map_bytes(size, &err), CRU_BAD_INPUT);
        bytes[i] ^= (unsigned char)(1 << i % 8);
    }
}
END_TEST

START_TEST(every_flipped_byte_of_an_array_is_refused)
{
    cru_error err;
    const char *const names[] = {"graph.ids", "x.dense", "truth", "class-names"};
    for (int n = 0; n < 4; n++) {
        image_entry *e = entry(names[n]);
        for (uint64_t i = e->offset; i < e->offset + e->size * e->count; i++) {
            bytes[i] ^= 0x80;
            ck_assert_int_eq(map_bytes(size, &err), CRU_BAD_INPUT);
            ck_assert_str_eq(err.text, "image: an array is damaged (checksum)");
            bytes[i] ^= 0x80;
        }
    }
}
END_TEST

/* Each lies in one place and forges the checksums. */
static void huge_count(void)
{
    entry("truth")->count = UINT64_MAX / 4;
}
static void overflowing_count(void)
{
    entry("truth")->count = ((uint64_t)1 << 62) + 5;
}
static void longer_count(void)
{
    entry("truth")->count = 6;
}
static void other_element(void)
{
    entry("truth")->size = 2;
}
static void no_element(void)
{
    entry("truth")->size = 0;
}
static void offset_outside(void)
{
    entry("truth")->offset = size;
}
static void offset_wraps(void)
{
    entry("truth")->offset = UINT64_MAX - 63;
}
static void offset_in_table(void)
{
    entry("truth")->offset = 64;
}
static void misaligned(void)
{
    entry("truth")->offset += 4;
}
static void endless_name(void)
{
    memset(entry("truth")->name, 'x', IMAGE_NAME);
}
static void too_many_entries(void)
{
    header()->entries = UINT64_MAX / 64;
}
static void wrong_magic(void)
{
    header()->magic[0] = 'X';
}
static void newer_version(void)
{
    header()->version = 2;
}
static void other_order(void)
{
    header()->order = 0x04030201;
}
static void other_kind(void)
{
    memcpy(header()->kind, "task", 5);
}
static void other_file_size(void)
{
    header()->file_size += 64;
}
static void lost_labels(void)
{
    strcpy(entry("labels")->name, "LABELS");
}
static void lost_relation_names(void)
{
    strcpy(entry("relation-names")->name, "x");
}
static void lost_ids(void)
{
    strcpy(entry("graph.ids")->name, "x");
}
static void endless_names(void)
{
    image_entry *e = entry("class-names");
    memset(bytes + e->offset, 'x', e->count);
}
static void last_offset(void)
{
    ((int64_t *)(bytes + entry("graph.offsets")->offset))[5] = 1000000;
}
static void negative_offset(void)
{
    ((int64_t *)(bytes + entry("graph.offsets")->offset))[5] = -1;
}
static void fact(int which, int64_t value)
{
    ((int64_t *)(bytes + entry("facts")->offset))[which] = value;
}
static void many_items(void)
{
    fact(1, INT64_MAX);
}
static void many_relations(void)
{
    fact(4, INT32_MAX);
}
static void other_columns(void)
{
    fact(6, INT32_MAX);
}
static void many_officials(void)
{
    *(int64_t *)(bytes + entry("officials")->offset) = INT64_MAX;
}
static void long_split(void)
{
    entry("split.train")->count = 8; /* inside the file, but more than there are items */
}

static const struct {
    void (*lie)(void);
    const char *message;
} lies[] = {
    {huge_count, "image: array truth (4611686018427387903 x 4 bytes at"},
    {overflowing_count, "image: array truth (4611686018427387909 x 4 bytes at"},
    {longer_count, "image: array truth: 6 elements of 4 bytes, should be 5 of 4"},
    {other_element, "image: array truth: 5 elements of 2 bytes, should be 5 of 4"},
    {no_element, "image: array truth (5 x 0 bytes at"},
    {offset_outside, "image: array truth (5 x 4 bytes at"},
    {offset_wraps, "image: array truth (5 x 4 bytes at 18446744073709551552) lies outside the file"},
    {offset_in_table, "image: array truth (5 x 4 bytes at 64) lies outside the file"},
    {misaligned, "image: array truth is not aligned"},
    {endless_name, "image: an array without a proper name"},
    {too_many_entries, "image: a table of 288230376151711743 arrays does not fit"},
    {wrong_magic, "image: not an image, or not finished"},
    {newer_version, "image: version 2, this program reads 1"},
    {other_order, "image: written on a machine of other byte order"},
    {other_kind, "image: holds \"task\", not \"data\""},
    {other_file_size, "bytes long, should be"},
    {lost_labels, "image: array labels: missing"},
    {lost_relation_names, "image: array relation-names: missing"},
    {lost_ids, "image: array graph.ids: missing"},
    {endless_names, "image: array class-names: too few names"},
    {last_offset, "image: array graph.ids: 8 elements of 4 bytes, should be 1000000 of 4"},
    {negative_offset, "image: array graph.ids: 8 elements of 4 bytes, should be -1 of 4"},
    {many_items, "image: array facts: impossible numbers"},
    {many_relations, "image: array facts: impossible numbers"},
    {other_columns, "image: array x.dense: 20 elements of 4 bytes, should be 10737418235 of 4"},
    {many_officials, "official splits in"},
    {long_split, "image: array split.train: more ids than items"},
};

START_TEST(a_lie_with_forged_checksums_is_refused)
{
    cru_error err;
    lies[_i].lie();
    if (lies[_i].lie != too_many_entries) forge();
    ck_assert_int_eq(map_bytes(size, &err), CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, lies[_i].message) != NULL, "%s", err.text);
}
END_TEST

/* Contents may be anything as long as the sizes fit; then the check refuses or passes, but nothing crashes. */
START_TEST(random_damage_with_forged_checksums_never_crashes)
{
    cru_error err;
    unsigned char *original = malloc(size);
    memcpy(original, bytes, size);
    uint64_t state = 12345;
    for (int round = 0; round < 3000; round++) {
        memcpy(bytes, original, size);
        for (int k = 0; k < 3; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[64 + (state >> 33) % (size - 64)] = (unsigned char)(state >> 20);
        }
        forge();
        map_bytes(size, &err);
    }
    free(original);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    int ends[2];
    cru_data *d;
    cru_error err = {0};
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(cru_data_map(ends[0], &d, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "image: not a regular file");
    close(ends[0]);
    close(ends[1]);
    err = (cru_error){0};
    ck_assert_int_eq(cru_data_map(-1, &d, &err), CRU_IO);
    ck_assert_ptr_null(d);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("image");
    TCase *c = tcase_create("round trips");
    tcase_add_loop_test(c, data_come_back_as_they_were_written, 0, 2);
    tcase_add_test(c, changes_to_mapped_data_never_reach_the_file);
    tcase_add_test(c, a_task_comes_back_without_truth);
    tcase_add_test(c, the_pages_of_a_mapped_task_are_read_only);
    tcase_add_test(c, writing_replaces_what_was_there);
    tcase_add_test(c, a_file_that_cannot_be_written_is_an_io_error);
    tcase_add_test(c, what_is_no_file_is_refused);
    suite_add_tcase(s, c);
    TCase *hostile = tcase_create("hostile files");
    tcase_add_checked_fixture(hostile, load_sample, free_sample);
    tcase_add_test(hostile, every_truncation_is_refused);
    tcase_add_test(hostile, every_flipped_bit_of_header_and_table_is_refused);
    tcase_add_test(hostile, every_flipped_byte_of_an_array_is_refused);
    tcase_add_loop_test(hostile, a_lie_with_forged_checksums_is_refused, 0, sizeof lies / sizeof *lies);
    tcase_add_test(hostile, random_damage_with_forged_checksums_never_crashes);
    suite_add_tcase(s, hostile);
    return s;
}
