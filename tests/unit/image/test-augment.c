// SPDX-License-Identifier: Apache-2.0
/* Operations on images: the bits of the Python imaging library where a fixture has them, formulas elsewhere. */
#include <math.h>

#include <crucible/draft/augment.h>

#include "json-fixture.h"

enum { SIDE = 8, CHANNELS = 3, PLANE = SIDE * SIDE, PIXELS = CHANNELS * PLANE };

typedef struct picture {
    cru_image image;
    uint8_t pixels[PIXELS], spare[PIXELS];
} picture;

static void picture_create(picture *p)
{
    p->image = (cru_image){CHANNELS, SIDE, SIDE, p->pixels, p->spare};
    memset(p->spare, 77, sizeof p->spare); /* what is left over must not show */
}

/* From rows of pixels of channels, as the fixture has them, to channel by channel. */
static void read_rows(const cJSON *rows, uint8_t *pixels)
{
    double numbers[PIXELS];
    ck_assert_int_eq(fixture_numbers(rows, numbers), PIXELS);
    for (int i = 0; i < PLANE; i++)
        for (int c = 0; c < CHANNELS; c++) pixels[c * PLANE + i] = (uint8_t)numbers[i * CHANNELS + c];
}

static void open_picture(picture *p, const cJSON *root)
{
    picture_create(p);
    read_rows(fixture_input(fixture_case(root, "image"), "rgb_hwc_uint8"), p->pixels);
}

static const struct {
    const char *name;
    cru_augment operation;
} operations[] = {
    {"AutoContrast_0.3", CRU_AUTO_CONTRAST}, {"Brightness_0.4", CRU_BRIGHTNESS},    {"Contrast_0.6", CRU_CONTRAST},
    {"Equalize_0.1", CRU_EQUALIZE},          {"Posterize_5.7", CRU_POSTERIZE},      {"Rotate_20", CRU_ROTATE},
    {"Sharpness_0.25", CRU_SHARPNESS},       {"ShearX_0.2", CRU_SHEAR_X},           {"ShearY_-0.25", CRU_SHEAR_Y},
    {"Solarize_120.5", CRU_SOLARIZE},        {"TranslateY_-0.15", CRU_TRANSLATE_Y},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

START_TEST(an_operation_gives_the_bits_of_the_fixture)
{
    cJSON *root = fixture_open("pll/augment.json");
    const cJSON *item = fixture_case(root, operations[_i].name);
    picture p;
    uint8_t expected[PIXELS];
    open_picture(&p, root);
    read_rows(fixture_expected(item, "out"), expected);
    cru_image_augment(&p.image, operations[_i].operation, fixture_input(item, "v")->valuedouble);
    ck_assert_mem_eq(p.image.pixels, expected, PIXELS);
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_grey_square_gives_the_bits_of_the_fixture)
{
    static const char *const names[] = {"grey_cutout_u0.3_0.7_v0.4", "grey_cutout_u0.95_0.05_v0.25"};
    cJSON *root = fixture_open("pll/augment.json");
    const cJSON *item = fixture_case(root, names[_i]);
    picture p;
    uint8_t expected[PIXELS];
    open_picture(&p, root);
    read_rows(fixture_expected(item, "out"), expected);
    const double x = SIDE + (1 - SIDE) * fixture_input(item, "u_x")->valuedouble;
    const double y = SIDE + (1 - SIDE) * fixture_input(item, "u_y")->valuedouble;
    cru_image_grey_square(&p.image, x, y, SIDE * fixture_input(item, "v")->valuedouble);
    ck_assert_mem_eq(p.image.pixels, expected, PIXELS);
    cJSON_Delete(root);
}
END_TEST

START_TEST(operations_of_no_effect_leave_the_image_alone)
{
    static const struct {
        cru_augment operation;
        double v;
    } idle[] = {{CRU_IDENTITY, 0.3}, {CRU_BRIGHTNESS, 1},   {CRU_COLOUR, 1},  {CRU_CONTRAST, 1},
                {CRU_SHARPNESS, 1},  {CRU_TRANSLATE_X, 0},  {CRU_SHEAR_X, 0}, {CRU_ROTATE, 0},
                {CRU_POSTERIZE, 8},  {CRU_SOLARIZE, 256.0}, {CRU_SHEAR_Y, 0}};
    cJSON *root = fixture_open("pll/augment.json");
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        picture p;
        open_picture(&p, root);
        uint8_t before[PIXELS];
        memcpy(before, p.pixels, PIXELS);
        cru_image_augment(&p.image, idle[i].operation, idle[i].v);
        ck_assert_mem_eq(p.image.pixels, before, PIXELS);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(without_colour_all_channels_are_the_luma)
{
    cJSON *root = fixture_open("pll/augment.json");
    picture p;
    open_picture(&p, root);
    uint8_t before[PIXELS];
    memcpy(before, p.pixels, PIXELS);
    cru_image_augment(&p.image, CRU_COLOUR, 0);
    for (int i = 0; i < PLANE; i++) {
        const double luma = 0.299 * before[i] + 0.587 * before[PLANE + i] + 0.114 * before[2 * PLANE + i];
        for (int c = 0; c < CHANNELS; c++) ck_assert_double_eq_tol(p.image.pixels[c * PLANE + i], luma, 0.51);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_shift_to_the_right_source_moves_columns)
{
    picture p;
    picture_create(&p);
    for (int i = 0; i < PIXELS; i++) p.pixels[i] = (uint8_t)(i % SIDE + 1);
    cru_image_augment(&p.image, CRU_TRANSLATE_X, 0.25); /* from column x + 2 */
    for (int i = 0; i < PIXELS; i++) ck_assert_int_eq(p.image.pixels[i], i % SIDE < SIDE - 2 ? i % SIDE + 3 : 0);
}
END_TEST

START_TEST(a_flat_channel_survives_contrast_and_histogram_operations)
{
    static const cru_augment risky[] = {CRU_AUTO_CONTRAST, CRU_EQUALIZE, CRU_CONTRAST};
    for (int k = 0; k < 3; k++) {
        picture p;
        picture_create(&p);
        memset(p.pixels, 90, PIXELS);
        cru_image_augment(&p.image, risky[k], 0.5);
        for (int i = 0; i < PIXELS; i++) ck_assert_int_eq(p.image.pixels[i], 90);
    }
}
END_TEST

START_TEST(flipping_twice_is_nothing)
{
    picture p;
    picture_create(&p);
    for (int i = 0; i < PIXELS; i++) p.pixels[i] = (uint8_t)i;
    cru_image_flip(&p.image);
    ck_assert_int_eq(p.image.pixels[0], SIDE - 1);
    ck_assert_int_eq(p.image.pixels[PIXELS - SIDE], PIXELS - 1);
    cru_image_flip(&p.image);
    for (int i = 0; i < PIXELS; i++) ck_assert_int_eq(p.image.pixels[i], (uint8_t)i);
}
END_TEST

/* ---- resizing -------------------------------------------------------------------------------------------------- */

/* Bilinear interpolation at pixel centres in double; the 8-bit passes may differ from it by one. */
static double bilinear(const uint8_t *plane, cru_rect r, int y, int x)
{
    const double fy = fmin(fmax((y + 0.5) * r.height / SIDE - 0.5, 0), r.height - 1);
    const double fx = fmin(fmax((x + 0.5) * r.width / SIDE - 0.5, 0), r.width - 1);
    const int y0 = (int)fy, x0 = (int)fx, y1 = y0 + (y0 < r.height - 1), x1 = x0 + (x0 < r.width - 1);
    const uint8_t *top = plane + (r.top + y0) * SIDE + r.left, *bottom = plane + (r.top + y1) * SIDE + r.left;
    const double wx = fx - x0, wy = fy - y0;
    return (1 - wy) * ((1 - wx) * top[x0] + wx * top[x1]) + wy * ((1 - wx) * bottom[x0] + wx * bottom[x1]);
}

START_TEST(a_resized_crop_interpolates_bilinearly)
{
    static const cru_rect rects[] = {{0, 0, SIDE, SIDE}, {2, 1, 5, 4}, {7, 7, 1, 1}, {0, 3, 8, 2}, {1, 0, 3, 7}};
    cJSON *root = fixture_open("pll/augment.json");
    for (size_t k = 0; k < sizeof rects / sizeof *rects; k++) {
        picture p;
        open_picture(&p, root);
        uint8_t before[PIXELS];
        memcpy(before, p.pixels, PIXELS);
        cru_image_resized_crop(&p.image, rects[k]);
        for (int i = 0; i < PIXELS; i++) {
            const int c = i / PLANE, y = i % PLANE / SIDE, x = i % SIDE;
            ck_assert_double_eq_tol(p.image.pixels[i], bilinear(before + c * PLANE, rects[k], y, x), 1.01);
        }
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_drawn_rectangle_lies_inside_and_has_a_sane_shape)
{
    cru_rng rng = cru_rng_stream(3, "test", 0);
    double smallest = 1, largest = 0;
    for (int i = 0; i < 2000; i++) {
        const cru_rect r = cru_rect_draw(&rng, 32, 32);
        ck_assert(r.top >= 0 && r.left >= 0 && r.top + r.height <= 32 && r.left + r.width <= 32);
        const double share = r.height * r.width / 1024.0, ratio = (double)r.width / r.height;
        ck_assert(ratio > 0.70 && ratio < 1.43); /* 3/4 .. 4/3, rounded to pixels */
        smallest = fmin(smallest, share);
        largest = fmax(largest, share);
    }
    ck_assert(smallest > 0.18 && smallest < 0.25 && largest > 0.95);
}
END_TEST

/* Of a white image a crop and a flip are white, so that the hole is all there is. Centres are uniform: each of the 64
 * occurs, the fixture's among them, and no mask is another than that of a centre. */
START_TEST(the_hole_of_the_distill_view_is_that_of_the_fixture)
{
    double mask[PLANE];
    cJSON *root = fixture_open("pll/augment.json");
    const cJSON *item = fixture_case(root, "tensor_cutout_len4_center_1_6");
    ck_assert_int_eq(fixture_input(item, "size")->valueint, SIDE);
    ck_assert_int_eq(fixture_input(item, "length")->valueint, SIDE / 2);
    fixture_numbers(fixture_expected(item, "mask"), mask);
    uint8_t scratch[2][PLANE];
    const cru_pixels pixels = {
        .channels = 1, .height = SIDE, .width = SIDE, .std = {1}, .scratch = {scratch[0], scratch[1]}};
    float white[PLANE], view[PLANE];
    for (int i = 0; i < PLANE; i++) white[i] = 1;
    cru_rng rng = cru_rng_stream(5, "test", 0);
    int seen[PLANE] = {0};
    for (int draw = 0; draw < 2000; draw++) {
        cru_view_distill(&pixels, &rng, white, view);
        int centre = -1;
        for (int c = 0; c < PLANE && centre < 0; c++) {
            bool same = true;
            for (int i = 0; i < PLANE && same; i++) {
                const int down = i / SIDE - c / SIDE, right = i % SIDE - c % SIDE;
                const bool hole = down >= -2 && down < 2 && right >= -2 && right < 2;
                same = (view[i] == 0) == hole;
            }
            if (same) centre = c;
        }
        ck_assert_int_ge(centre, 0);
        if (!seen[centre]++ &&
            centre == fixture_input(item, "cy")->valueint * SIDE + fixture_input(item, "cx")->valueint)
            for (int i = 0; i < PLANE; i++) ck_assert_float_eq(view[i], (float)mask[i]);
    }
    for (int c = 0; c < PLANE; c++) ck_assert_int_gt(seen[c], 0);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("augmentation");
    TCase *c = tcase_create("operations");
    tcase_add_loop_test(c, an_operation_gives_the_bits_of_the_fixture, 0, OPERATIONS);
    tcase_add_loop_test(c, a_grey_square_gives_the_bits_of_the_fixture, 0, 2);
    tcase_add_test(c, operations_of_no_effect_leave_the_image_alone);
    tcase_add_test(c, without_colour_all_channels_are_the_luma);
    tcase_add_test(c, a_shift_to_the_right_source_moves_columns);
    tcase_add_test(c, a_flat_channel_survives_contrast_and_histogram_operations);
    tcase_add_test(c, flipping_twice_is_nothing);
    tcase_add_test(c, a_resized_crop_interpolates_bilinearly);
    tcase_add_test(c, a_drawn_rectangle_lies_inside_and_has_a_sane_shape);
    tcase_add_test(c, the_hole_of_the_distill_view_is_that_of_the_fixture);
    suite_add_tcase(s, c);
    return s;
}
