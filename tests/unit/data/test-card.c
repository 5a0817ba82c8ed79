// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <string.h>

#include "data/card.h"

static cru_error err;

static card *parse(const char *text)
{
    card *c = NULL;
    err = (cru_error){0};
    card_parse(text, strlen(text), "cards/toy.ini", &c, &err);
    return c;
}

static void refuses(const char *text, const char *message)
{
    card *c = parse(text);
    ck_assert_ptr_null(c);
    ck_assert_int_eq(err.status, CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, message) != NULL, "'%s' does not say '%s'", err.text, message);
}

#define HEAD "[dataset]\nname = toy\nformat = csv\n"

START_TEST(a_whole_card_is_read)
{
    static const char sum[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    card *c = parse(HEAD "title = A toy\ncitation = Who,\n  What.\nterms = ask first\n"
                         "[sha256]\nedges = 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
                         "[files]\nedges = e.csv\nnodes = n.csv\n[urls]\nnodes = https://example.org/n.csv\n"
                         "[settings]\nlabel = kind\n[expect]\nnodes = 3\nclasses = 2\n"
                         "[protocols]\nigl = scheme = igl, train = 0.1\n");
    ck_assert_ptr_nonnull(c);
    ck_assert_str_eq(c->name, "toy");
    ck_assert_str_eq(c->format, "csv");
    ck_assert_str_eq(c->citation, "Who, What.");
    ck_assert_str_eq(c->terms, "ask first");
    ck_assert_ptr_null(c->licence);
    ck_assert_int_eq(c->file_count, 2);
    ck_assert_str_eq(c->files[0].role, "edges");
    ck_assert_str_eq(c->files[0].forms[0].name, "e.csv");
    ck_assert_str_eq(c->files[0].forms[0].sha256, sum);
    ck_assert_int_eq(c->files[0].url_count, 0);
    ck_assert_str_eq(c->files[1].urls[0], "https://example.org/n.csv");
    ck_assert_int_eq(c->settings.count, 1);
    ck_assert_str_eq(c->settings.items[0].key, "label");
    ck_assert_str_eq(c->settings.items[0].value, "kind");
    ck_assert_str_eq(c->protocols.items[0].key, "igl");
    ck_assert_str_eq(c->protocols.items[0].value, "scheme = igl, train = 0.1");
    ck_assert_int_eq(c->expect.nodes, 3);
    ck_assert_int_eq(c->expect.edges, -1);
    card_destroy(c);
}
END_TEST

#define SUM_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SUM_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

START_TEST(a_file_may_have_forms_sizes_and_several_addresses)
{
    card *c = parse(HEAD "by-hand = ask,\n  politely\n[bytes]\nrows = 10, 30\n[files]\nrows = r.gz, r\nmore = m\n"
                         "[sha256]\nrows = " SUM_A ",\n  " SUM_B "\n"
                         "[urls]\nrows = https://one.org/a,b,\n  https://two.org/p.zip!/r\n"
                         "[convert]\nrows = idx-first 20\nmore = unpack\n");
    ck_assert_msg(c != NULL, "%s", err.text);
    const card_file *f = &c->files[0];
    ck_assert_str_eq(c->by_hand, "ask, politely");
    ck_assert_int_eq(f->form_count, 2);
    ck_assert_str_eq(f->forms[0].name, "r.gz");
    ck_assert_str_eq(f->forms[0].sha256, SUM_A);
    ck_assert_int_eq(f->forms[0].bytes, 10);
    ck_assert_str_eq(card_published(f)->name, "r");
    ck_assert_str_eq(card_published(f)->sha256, SUM_B);
    ck_assert_int_eq(card_published(f)->bytes, 30);
    ck_assert_int_eq(f->url_count, 2);
    ck_assert_str_eq(f->urls[0], "https://one.org/a,b");
    ck_assert_str_eq(f->urls[1], "https://two.org/p.zip!/r");
    ck_assert_int_eq(f->conversion, CARD_FIRST_IDX);
    ck_assert_int_eq(f->amount, 20);
    ck_assert_int_eq(c->files[1].conversion, CARD_UNPACKED);
    ck_assert_int_eq(c->files[1].forms[0].bytes, -1);
    card_destroy(c);
}
END_TEST

START_TEST(forms_and_addresses_have_limits)
{
    refuses(HEAD "[files]\na = x, y, z\n", "cards/toy.ini:5: [files] a: more than 2");
    refuses(HEAD "[urls]\na = b, c, d, e, f\n", "cards/toy.ini:5: [urls] a: more than 4");
    refuses(HEAD "[urls]\na = b\na = c\n[files]\na = x\n", "cards/toy.ini:6: [urls] gives 'a' twice");
    refuses(HEAD "[files]\na = x\n[sha256]\na = " SUM_A ", " SUM_B "\n", "[files] has no 'a' of so many forms");
    refuses(HEAD "[bytes]\na = -3\n", "cards/toy.ini:5: a = -3");
    refuses(HEAD "[convert]\na = first\n", "cards/toy.ini:5: a = first: expected");
    refuses(HEAD "[convert]\na = first 0\n", "cards/toy.ini:5: a = first 0: expected");
    refuses(HEAD "[convert]\na = unpack\na = unpack\n", "cards/toy.ini:6: a = unpack: expected");
}
END_TEST

START_TEST(faults_carry_file_and_line)
{
    refuses("[dataset]\nname = toy\nfromat = csv\n",
            "cards/toy.ini:3: [dataset] has no key 'fromat'; did you mean 'format'?");
    refuses(HEAD "[expct]\nnodes = 1\n", "cards/toy.ini:4: a card has no section [expct]; did you mean [expect]?");
    refuses(HEAD "[expect]\nnodes = many\n", "cards/toy.ini:5: nodes = many");
    refuses(HEAD "[expect]\nnodes = -1\n", "cards/toy.ini:5:");
    refuses(HEAD "[sha256]\na = 12\n", "cards/toy.ini:5: '12' is not a sha256");
    refuses(HEAD "[files]\na = x\na = y\n", "cards/toy.ini:6: [files] gives 'a' twice");
    refuses(HEAD "[settings]\na = x\na = y\n", "cards/toy.ini:6: [settings] gives 'a' twice");
    refuses(HEAD "nonsense\n", "cards/toy.ini:4:");
    refuses("name = toy\n", "cards/toy.ini:1: 'name' stands before the first section");
}
END_TEST

START_TEST(what_must_be_there_is_asked_for)
{
    refuses("", "lacks 'name'");
    refuses("[dataset]\nname = toy\n", "lacks 'format'");
    refuses(HEAD "[urls]\nedges = https://example.org\n", "cards/toy.ini:5: [files] has no 'edges'");
}
END_TEST

START_TEST(names_cannot_lead_out_of_a_folder)
{
    refuses("[dataset]\nname = ../toy\nformat = csv\n", "name '../toy'");
    refuses("[dataset]\nname = Toy\nformat = csv\n", "name 'Toy'");
    refuses(HEAD "[files]\na = ../x\n", "leads upwards");
    refuses(HEAD "[files]\na = x/../../y\n", "leads upwards");
    refuses(HEAD "[files]\na = x/..\n", "leads upwards");
    card *c = parse(HEAD "[files]\na = x/..y/z\n");
    ck_assert_ptr_nonnull(c);
    card_destroy(c);
}
END_TEST

START_TEST(a_missing_card_is_an_io_error)
{
    card *c;
    cru_error e = {0};
    ck_assert_int_eq(card_read("/nowhere/toy.ini", &c, &e), CRU_IO);
    ck_assert_ptr_null(c);
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/toy.ini"));
}
END_TEST

START_TEST(promised_counts_are_compared)
{
    int64_t offsets[] = {0, 1, 2, 2};
    int32_t ids[] = {1, 0}, train[] = {0}, test[] = {1, 2};
    cru_split official = {.train = {train, 1}, .test = {test, 2}};
    cru_data data = {.problem = CRU_NODES,
                     .items = 3,
                     .nodes = 3,
                     .classes = 2,
                     .graph = {3, 3, offsets, ids, NULL},
                     .x = {.rows = 3, .cols = 5},
                     .official = &official,
                     .official_count = 1};
    card *c = parse(HEAD "[expect]\nnodes = 3\nedges = 2\nfeatures = 5\nclasses = 2\ntrain = 1\nval = 0\ntest = 2\n"
                         "official = 1\n");
    ck_assert_int_eq(card_check(c, &data, &err), CRU_OK);
    data.x.cols = 6;
    ck_assert_int_eq(card_check(c, &data, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "cards/toy.ini: the card expects 5 features, the files hold 6");
    card_destroy(c);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("card");
    TCase *c = tcase_create("cards");
    tcase_add_test(c, a_whole_card_is_read);
    tcase_add_test(c, a_file_may_have_forms_sizes_and_several_addresses);
    tcase_add_test(c, forms_and_addresses_have_limits);
    tcase_add_test(c, faults_carry_file_and_line);
    tcase_add_test(c, what_must_be_there_is_asked_for);
    tcase_add_test(c, names_cannot_lead_out_of_a_folder);
    tcase_add_test(c, a_missing_card_is_an_io_error);
    tcase_add_test(c, promised_counts_are_compared);
    suite_add_tcase(s, c);
    return s;
}
