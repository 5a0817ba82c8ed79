// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <string.h>

#include "pickle-numpy.h"

static cru_arena *arena;
static cru_error err;
static const pickle_value *top;

static void start(void)
{
    arena = cru_arena_create();
    err = (cru_error){0};
}

static void stop(void)
{
    cru_arena_destroy(arena);
}

static cru_status parse(const char *bytes, size_t size)
{
    err = (cru_error){0};
    return pickle_parse(&(blob){"p", (const uint8_t *)bytes, (int64_t)size}, arena, &top, &err);
}
#define PARSE(literal) parse(literal, sizeof literal - 1)

static void says(const char *part)
{
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' does not say '%s'", err.text, part);
}

/* pickle.dumps({1: [2, 3], 'k': (True, None, -1.5)}, 0 / 2), written by hand. */
START_TEST(text_and_binary_protocols_agree)
{
    static const char text[] = "(dp0\nI1\n(lp1\nI2\naI3\nasS'k'\np2\n(I01\nNF-1.5\ntp3\ns.";
    static const char binary[] = "\x80\x02}q\x00(K\x01]q\x01(K\x02K\x03"
                                 "eU\x01kq\x02\x88NG\xbf\xf8\x00\x00\x00\x00\x00\x00\x87q\x03u.";
    for (int p = 0; p < 2; p++) {
        ck_assert_int_eq(p ? PARSE(binary) : PARSE(text), CRU_OK);
        ck_assert(pickle_is(top, PICKLE_DICT));
        ck_assert_int_eq(top->count, 4);
        ck_assert_int_eq(top->items[0]->integer, 1);
        ck_assert_int_eq(pickle_item(top->items[1], 1)->integer, 3);
        ck_assert_ptr_null(pickle_item(top->items[1], 2));
        const pickle_value *k = pickle_get(top, "k");
        ck_assert(pickle_is(k, PICKLE_TUPLE));
        ck_assert(pickle_is(pickle_item(k, 0), PICKLE_BOOL));
        ck_assert(pickle_is(pickle_item(k, 1), PICKLE_NONE));
        ck_assert_double_eq(pickle_item(k, 2)->real, -1.5);
        ck_assert_ptr_null(pickle_get(top, "q"));
    }
}
END_TEST

START_TEST(numbers_of_all_widths)
{
    static const char bytes[] = "(K\xffM\x01\x02J\xfe\xff\xff\xff\x8a\x02\x00\x80\x8a\x00L-7L\nI-42\nt.";
    static const int64_t expected[] = {255, 513, -2, -32768, 0, -7, -42};
    ck_assert_int_eq(PARSE(bytes), CRU_OK);
    for (int i = 0; i < 7; i++) ck_assert_int_eq(pickle_item(top, i)->integer, expected[i]);
}
END_TEST

START_TEST(escaped_strings_are_decoded)
{
    ck_assert_int_eq(PARSE("S'a\\x00\\n\\\\\\''\n."), CRU_OK);
    ck_assert_int_eq(top->size, 5);
    ck_assert_mem_eq(top->bytes, "a\0\n\\'", 5);
    ck_assert_int_eq(PARSE("S'\\q'\n."), CRU_BAD_INPUT);
}
END_TEST

START_TEST(code_is_refused_by_name)
{
    ck_assert_int_eq(PARSE("cos\nsystem\n(S'true'\ntR."), CRU_UNSUPPORTED);
    says("byte 0");
    says("os.system");
    ck_assert_int_eq(PARSE("\x80\x04\x8c\x08"
                           "builtins\x8c\x04"
                           "eval\x93."),
                     CRU_UNSUPPORTED);
    says("builtins.eval");
    ck_assert_int_eq(PARSE("(ios\nsystem\n."), CRU_UNSUPPORTED);
}
END_TEST

#define DTYPE(code) "cnumpy\ndtype\n(U\x02" code "K\x00K\x01tR(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
#define ARRAY(shape, code, data)                                                                                       \
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01"                                             \
    "btR(K\x01" shape                                                                                                  \
    DTYPE(code) "\x89" data "tb"

START_TEST(a_numpy_array)
{
    array a;
    ck_assert_int_eq(PARSE(ARRAY("(K\x02t", "i2", "U\x04\x01\x00\xff\xff") "."), CRU_OK);
    ck_assert_int_eq(pickle_array(top, "p", &a, &err), CRU_OK);
    ck_assert_int_eq(a.count, 2);
    ck_assert_double_eq(array_real(&a, 1), -1);
    ck_assert_int_eq(PARSE(ARRAY("(K\x03t", "i2", "U\x04\x01\x00\xff\xff") "."), CRU_OK);
    ck_assert_int_eq(pickle_array(top, "p", &a, &err), CRU_BAD_INPUT);
    says("too few");
    ck_assert_int_eq(pickle_array(NULL, "p", &a, NULL), CRU_BAD_INPUT);
}
END_TEST

START_TEST(bytes_that_python_2_wrote_as_text)
{
    array a;
    ck_assert_int_eq(PARSE(ARRAY("(K\x01t", "u1", "c_codecs\nencode\n(X\x02\x00\x00\x00\xc3\xbfU\x06latin1tR") "."),
                     CRU_OK);
    ck_assert_int_eq(pickle_array(top, "p", &a, &err), CRU_OK);
    ck_assert_double_eq(array_real(&a, 0), 255);
    ck_assert_int_eq(PARSE("c_codecs\nencode\n(X\x02\x00\x00\x00\xc4\xbfU\x06latin1tR."), CRU_BAD_INPUT);
}
END_TEST

START_TEST(a_sparse_matrix)
{
    static const char bytes[] =
        "\x80\x02"
        "cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shapeK\x02K\x03\x86U\x06indptr" ARRAY(
            "(K\x03t", "u1",
            "U\x03\x00\x01\x02") "U\x07indices" ARRAY("(K\x02t", "u1",
                                                      "U\x02\x02\x00") "U\x04"
                                                                       "data" ARRAY("(K\x02t", "u1",
                                                                                    "U\x02\x05\x06") "ub.";
    csr_arrays csr;
    ck_assert_int_eq(PARSE(bytes), CRU_OK);
    ck_assert_int_eq(pickle_csr(top, "p", &csr, &err), CRU_OK);
    ck_assert_int_eq(csr.rows, 2);
    ck_assert_int_eq(csr.cols, 3);
    ck_assert_double_eq(array_real(&csr.indices, 0), 2);
    ck_assert_double_eq(array_real(&csr.data, 1), 6);
    for (size_t cut = 0; cut + 1 < sizeof bytes; cut++) ck_assert_int_ne(parse(bytes, cut), CRU_OK);
}
END_TEST

START_TEST(a_default_dictionary_collects_its_items)
{
    ck_assert_int_eq(PARSE("\x80\x02"
                           "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00]K\x01"
                           "aK\x01]u."),
                     CRU_OK);
    ck_assert(pickle_is(top, PICKLE_DICT));
    ck_assert_int_eq(top->count, 4);
    ck_assert_int_eq(top->items[1]->count, 1);
}
END_TEST

START_TEST(broken_programs_are_refused)
{
    static const char *const bad[] = {
        "",
        ".",
        "t.",
        "(",
        "0",
        "K",
        "(K\x01u.",
        "]K\x01s.",
        ("U\x09"
         "ab."),
        "h\x05.",
        "NR.",
        "(dI1\ns.",
        "Nb.",
        "I12x\n.",
        "F1.5x\n.",
        "p9999999\n.",
        "N(0",
        "(Na.",
        "\x8a\x09.",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(parse(bad[i], strlen(bad[i])) != CRU_OK, "accepted program %zu", i);
        says("p: byte ");
    }
}
END_TEST

START_TEST(a_list_may_hold_itself)
{
    ck_assert_int_eq(PARSE("]q\x01h\x01"
                           "a."),
                     CRU_OK);
    ck_assert_ptr_eq(pickle_item(top, 0), top);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("pickle");
    TCase *c = tcase_create("pickle");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, text_and_binary_protocols_agree);
    tcase_add_test(c, numbers_of_all_widths);
    tcase_add_test(c, escaped_strings_are_decoded);
    tcase_add_test(c, code_is_refused_by_name);
    tcase_add_test(c, a_numpy_array);
    tcase_add_test(c, bytes_that_python_2_wrote_as_text);
    tcase_add_test(c, a_sparse_matrix);
    tcase_add_test(c, a_default_dictionary_collects_its_items);
    tcase_add_test(c, broken_programs_are_refused);
    tcase_add_test(c, a_list_may_hold_itself);
    suite_add_tcase(s, c);
    return s;
}
