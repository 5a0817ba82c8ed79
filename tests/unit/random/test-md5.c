// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "random/md5.c" /* the library hides it */

/* The test suite of RFC 1321, appendix A.5. */
static const char *const vectors[][2] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
};

START_TEST(md5_meets_its_rfc)
{
    uint8_t sum[MD5_BYTES];
    char hex[2 * MD5_BYTES + 1];
    md5_bytes(vectors[_i][0], strlen(vectors[_i][0]), sum);
    for (int k = 0; k < MD5_BYTES; k++) snprintf(hex + 2 * k, 3, "%02x", sum[k]);
    ck_assert_str_eq(hex, vectors[_i][1]);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("md5");
    TCase *c = tcase_create("vectors");
    tcase_add_loop_test(c, md5_meets_its_rfc, 0, sizeof vectors / sizeof *vectors);
    suite_add_tcase(s, c);
    return s;
}
