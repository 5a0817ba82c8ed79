// SPDX-License-Identifier: Apache-2.0
/* The same dataset from plain and from packed files: gzip, xz, zip, and one inside another. */
#include <lzma.h>
#include <zip.h>
#include <zlib.h>

#include "tiny-files.h"

typedef struct bytes {
    char at[20000];
    size_t size;
} bytes;

static bytes read_bytes(const char *path)
{
    bytes b = {.size = 0};
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "%s", path);
    b.size = fread(b.at, 1, sizeof b.at, in);
    fclose(in);
    return b;
}

static bytes gzip(const bytes *in)
{
    bytes out = {.size = 0};
    z_stream z = {.next_in = (Bytef *)in->at,
                  .avail_in = (uInt)in->size,
                  .next_out = (Bytef *)out.at,
                  .avail_out = sizeof out.at};
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.size = z.total_out;
    deflateEnd(&z);
    return out;
}

static bytes xz(const bytes *in)
{
    bytes out = {.size = 0};
    lzma_ret done = lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)in->at, in->size,
                                            (uint8_t *)out.at, &out.size, sizeof out.at);
    ck_assert_int_eq(done, LZMA_OK);
    return out;
}

static bytes zipped(const bytes *in)
{
    char path[] = "/tmp/crucible-zip-XXXXXX";
    int fd = mkstemp(path);
    zip_t *zip = fd >= 0 ? zip_open(path, ZIP_TRUNCATE, NULL) : NULL;
    ck_assert_ptr_nonnull(zip);
    ck_assert_int_ge(zip_file_add(zip, "member", zip_source_buffer(zip, in->at, in->size, 0), 0), 0);
    ck_assert_int_eq(zip_close(zip), 0);
    bytes out = read_bytes(path);
    close(fd);
    unlink(path);
    return out;
}

static bytes gzip_in_zip(const bytes *in)
{
    bytes inner = gzip(in);
    return zipped(&inner);
}

/* Two packed files, one behind the other, stand for what both hold. */
static bytes in_two_halves(const bytes *in, bytes (*pack)(const bytes *))
{
    bytes first = {.size = in->size / 3}, second = {.size = in->size - in->size / 3};
    memcpy(first.at, in->at, first.size);
    memcpy(second.at, in->at + first.size, second.size);
    bytes out = pack(&first), rest = pack(&second);
    memcpy(out.at + out.size, rest.at, rest.size);
    out.size += rest.size;
    return out;
}

static bytes two_gzip(const bytes *in)
{
    return in_two_halves(in, gzip);
}

static bytes two_xz(const bytes *in)
{
    return in_two_halves(in, xz);
}

typedef bytes packer(const bytes *in);

static void check_packed(format_run *run, packer *pack)
{
    bytes plain = read_bytes(run->files[0].path), packed = pack(&plain);
    run->files[0].path = file(packed.at, packed.size);
    must_load(run);
}

static packer *const packers[] = {gzip, xz, zipped, gzip_in_zip, two_gzip, two_xz};
enum { PACKERS = sizeof packers / sizeof *packers };

START_TEST(tables_may_be_packed)
{
    format_run run = {
        .name = "geom-gcn",
        .files = {{"nodes", text("node_id\tfeature\tlabel\n0\t1,0\t0\n1\t0,1\t1\n")}, {"edges", text("a\tb\n0\t1\n")}}};
    check_packed(&run, packers[_i]);
    ck_assert_int_eq(data->nodes, 2);
    ck_assert(has_edge(1, 0));
}
END_TEST

START_TEST(tables_of_ones_own_may_be_packed)
{
    const bytes edges = {.at = "source,target\nx,y\n", .size = 18}, packed = packers[_i](&edges);
    format_run run = {
        .name = "csv",
        .files = {{"nodes", text("id,label,a\nx,red,1\ny,blue,2\n")}, {"edges", file(packed.at, packed.size)}}};
    check_packed(&run, packers[_i]);
    ck_assert_int_eq(data->nodes, 2);
    ck_assert(has_edge(1, 0));
}
END_TEST

static const char *const graph_role[] = {"graph", NULL};

START_TEST(matlab_files_may_be_packed)
{
    format_run run = {.name = "mat"};
    corpus("network", graph_role, &run);
    must_load(&run);
    int64_t nodes = data->nodes, edges = cru_csr_nnz(&data->graph);
    cru_data_destroy(data);
    check_packed(&run, packers[_i]);
    ck_assert_int_eq(data->nodes, nodes);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), edges);
}
END_TEST

START_TEST(npz_files_may_be_packed)
{
    static packer *const sensible[] = {gzip, xz, zipped};
    format_run run = {.name = "npz-graph", .settings = {"directed", "yes"}};
    corpus("heterophilous", graph_role, &run);
    check_packed(&run, sensible[_i]);
    ck_assert_int_eq(data->nodes, 2);
    ck_assert(has_edge(1, 0));
}
END_TEST

START_TEST(graphs_of_dgl_may_be_packed)
{
    format_run run = {.name = "dgl"};
    corpus("coo", graph_role, &run);
    check_packed(&run, packers[_i]);
    ck_assert_int_gt(data->nodes, 0);
}
END_TEST

/* Every format, from a file of its fuzz corpus: as it is, and with every file packed. */
static const struct {
    const char *format, *sample, *roles[9];
} formats[] = {
    {"cifar", "one", {"annotations", "counts", "test", "train-1"}},
    {"content-cites", "tiny", {"content", "cites"}},
    {"dgl", "csr-csc-relations", {"graph"}},
    {"geom-gcn", "tiny", {"nodes", "edges", "split-0"}},
    {"graph-list", "tiny", {"graphs"}},
    {"idx", "tiny", {"train-images", "train-labels", "test-images", "test-labels"}},
    {"linkx", "label", {"graph", "splits"}},
    {"linkx", "gamers", {"nodes", "edges", "splits"}},
    {"mat", "network", {"graph"}},
    {"mat-pll", "sparse", {"rows"}},
    {"musae", "tiny", {"edges", "target", "features", "splits"}},
    {"npy-graph", "tiny", {"y", "x", "edges"}},
    {"npy-graph", "splits", {"y", "x", "edges", "splits"}},
    {"npz-graph", "gnn-benchmark", {"graph"}},
    {"npz-graph", "pickled", {"graph"}},
    {"ogb-graphs", "tiny", {"edges", "num-nodes", "num-edges", "node-features", "labels", "train", "val", "test"}},
    {"ogb-nodes", "tiny", {"labels", "node-features", "edges", "train", "val", "test"}},
    {"planetoid", "gap", {"y", "ally", "ty", "test-index", "allx", "tx", "graph", "x"}},
    {"plcifar10", "tiny", {"annotations", "test", "train-1"}},
    {"pyg", "version-1", {"graph"}},
    {"pyg", "dictionary", {"graph"}},
    {"tu", "tiny", {"edges", "graph-indicator", "graph-labels", "node-labels"}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

START_TEST(every_format_may_be_packed)
{
    static packer *const plain_packers[] = {gzip, xz, zipped};
    for (int k = 0; k < 3; k++) {
        format_run run = {.name = formats[_i].format};
        corpus(formats[_i].sample, formats[_i].roles, &run);
        must_load(&run);
        cru_data *expected = data;
        int files = open_count;
        bytes packed[8];
        for (int f = 0; f < files; f++) {
            bytes plain = read_bytes(run.files[f].path);
            packed[f] = plain_packers[k](&plain);
        }
        while (open_count > 0) close(fds[--open_count]);
        for (int f = 0; f < files; f++) run.files[f].path = file(packed[f].at, packed[f].size);
        must_load(&run);
        ck_assert_int_eq(data->items, expected->items);
        ck_assert_int_eq(data->classes, expected->classes);
        ck_assert_int_eq(data->x.cols, expected->x.cols);
        ck_assert_int_eq(cru_csr_nnz(&data->graph), cru_csr_nnz(&expected->graph));
        ck_assert_mem_eq(data->truth, expected->truth, (size_t)data->items * sizeof *data->truth);
        cru_data_destroy(expected);
        cru_data_destroy(data);
        data = NULL;
        while (open_count > 0) close(fds[--open_count]);
    }
}
END_TEST

START_TEST(a_zip_of_several_files_is_refused)
{
    format_run run = {.name = "geom-gcn", .files = {{"nodes", TEST_FIXTURES "/../fuzz/corpus/unpack/two-in-zip"}}};
    must_fail(&run, "exactly one plain member");
}
END_TEST

/* Records of CIFAR-10 whose pixels hardly pack, as those of photographs. */
static bytes records(int count)
{
    enum { RECORD = 3073 };
    bytes out = {.size = (size_t)count * RECORD};
    uint32_t state = 1;
    for (size_t i = 0; i < out.size; i++) {
        state = 1664525 * state + 1013904223;
        out.at[i] = (char)(i % RECORD == 0 ? i / RECORD : state >> 24);
    }
    return out;
}

/* A gzip file ends in the size of its last member: in two members it tells of fewer images than there are. */
START_TEST(images_may_be_more_than_the_end_of_their_file_says)
{
    static packer *const sure_and_unsure[] = {gzip, two_gzip};
    const bytes train = records(3), test = records(1), packed = sure_and_unsure[_i](&train);
    format_run run = {.name = "cifar",
                      .files = {{"train-1", file(packed.at, packed.size)}, {"test", file(test.at, test.size)}}};
    must_load(&run);
    ck_assert_int_eq(data->items, 4);
    ck_assert_int_eq(data->official[0].train.count, 3);
    ck_assert_int_eq(data->truth[2], 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3072; j++)
            ck_assert_float_eq(data->x.dense[i * 3072 + j], (float)((uint8_t)train.at[i * 3073 + 1 + j] / 255.0));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("packed files");
    TCase *c = tcase_create("packed");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_loop_test(c, every_format_may_be_packed, 0, FORMATS);
    tcase_add_loop_test(c, tables_may_be_packed, 0, PACKERS);
    tcase_add_loop_test(c, tables_of_ones_own_may_be_packed, 0, PACKERS);
    tcase_add_loop_test(c, matlab_files_may_be_packed, 0, PACKERS);
    tcase_add_loop_test(c, npz_files_may_be_packed, 0, 3);
    tcase_add_loop_test(c, graphs_of_dgl_may_be_packed, 0, PACKERS);
    tcase_add_loop_test(c, images_may_be_more_than_the_end_of_their_file_says, 0, 2);
    tcase_add_test(c, a_zip_of_several_files_is_refused);
    suite_add_tcase(s, c);
    return s;
}
