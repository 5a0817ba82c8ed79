// SPDX-License-Identifier: Apache-2.0
/* relabelled on a generated base: how many labels stay, how many are wrong, and that nothing else changes. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/load-format.h"

enum { NODES = 300 };

/* The base as the host hands it over: an image in a file with the role "base". */
static cru_data *make(const char *kind, const char *rate, const char *draw, cru_data **base)
{
    char path[60];
    *base = format_must_load(&(format_run){.name = "csbm", .settings = {"nodes", "300", "classes", "4"}, .seed = 1});
    int fd = memfd_create("base", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(cru_data_write(*base, fd, NULL), CRU_OK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    cru_data *data = format_must_load(
        &(format_run){.name = "relabelled",
                      .settings = {"base", "csbm", "labelled", "0.6", "rate", rate, "kind", kind, "draw", draw},
                      .files = {{"base", path}}});
    close(fd);
    return data;
}

static int64_t count_wrong(const cru_data *data, const cru_data *base, int64_t *labelled)
{
    int64_t wrong = 0;
    *labelled = 0;
    for (int64_t i = 0; i < data->items; i++) {
        *labelled += data->truth[i] != CRU_UNLABELLED;
        wrong += data->truth[i] != CRU_UNLABELLED && data->truth[i] != base->truth[i];
    }
    return wrong;
}

START_TEST(so_many_labels_stay_and_so_many_are_wrong)
{
    cru_data *base, *data = make("uniform", "0.3", "0", &base);
    int64_t labelled, wrong = count_wrong(data, base, &labelled), stay = 0;
    for (int32_t c = 0; c < base->classes; c++) {
        int64_t of_class = 0;
        for (int64_t i = 0; i < base->items; i++) of_class += base->truth[i] == c;
        stay += (int64_t)round(0.6 * (double)of_class);
    }
    ck_assert_int_eq(labelled, stay);
    ck_assert_int_eq(wrong, (int64_t)round(0.3 * (double)stay));
    cru_data_destroy(data);
    cru_data_destroy(base);
}
END_TEST

START_TEST(a_pair_is_the_next_class)
{
    cru_data *base, *data = make("pair", "0.5", "0", &base);
    for (int64_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED && data->truth[i] != base->truth[i])
            ck_assert_int_eq(data->truth[i], (base->truth[i] + 1) % base->classes);
    cru_data_destroy(data);
    cru_data_destroy(base);
}
END_TEST

START_TEST(graph_and_features_stay_and_another_draw_changes_other_labels)
{
    cru_data *base, *other_base, *data = make("uniform", "0.3", "0", &base),
                                 *other = make("uniform", "0.3", "1", &other_base);
    ck_assert_int_eq(data->items, NODES);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), cru_csr_nnz(&base->graph));
    ck_assert_mem_eq(data->graph.ids, base->graph.ids, (size_t)cru_csr_nnz(&base->graph) * sizeof *base->graph.ids);
    ck_assert_mem_eq(data->x.dense, base->x.dense, (size_t)(base->x.rows * base->x.cols) * sizeof(float));
    ck_assert(memcmp(data->truth, other->truth, NODES * sizeof *data->truth) != 0);
    cru_data_destroy(data);
    cru_data_destroy(base);
    cru_data_destroy(other);
    cru_data_destroy(other_base);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("relabelled");
    TCase *tc = tcase_create("relabelled");
    tcase_add_test(tc, so_many_labels_stay_and_so_many_are_wrong);
    tcase_add_test(tc, a_pair_is_the_next_class);
    tcase_add_test(tc, graph_and_features_stay_and_another_draw_changes_other_labels);
    suite_add_tcase(suite, tc);
    return suite;
}
