// SPDX-License-Identifier: Apache-2.0
/* Views of the images of a task. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

enum { CHANNELS = 3, SIDE = 16, PLANE = SIDE * SIDE, COLS = CHANNELS * PLANE, IMAGES = 2 };

static float images[IMAGES * COLS];
static const int32_t train[] = {0, 1};
static const double means[] = {0.4, 0.5, 0.6}, deviations[] = {0.2, 0.25, 0.5};

static cru_task image_task(void)
{
    cru_rng rng = cru_rng_stream(1, "images", 0);
    for (int i = 0; i < IMAGES * COLS; i++) images[i] = (float)cru_rng_below(&rng, 256) / 255;
    return (cru_task){
        .size = sizeof(cru_task),
        .problem = CRU_ROWS,
        .items = IMAGES,
        .x = {.rows = IMAGES, .cols = COLS, .dense = images, .channels = CHANNELS, .height = SIDE, .width = SIDE},
        .split = {.train = {train, IMAGES}}};
}

static cru_pixels fixed_pixels(cru_ctx *ctx, const cru_task *task)
{
    return cru_pixels_of(ctx, task, (cru_list){means, CHANNELS}, (cru_list){deviations, CHANNELS});
}

/* Back to 0 .. 255. */
static int level(float value, int i)
{
    const int c = i / PLANE;
    return (int)lround(((double)value * deviations[c] + means[c]) * 255);
}

static int source(int i)
{
    return (int)lround((double)images[i] * 255);
}

START_TEST(the_plain_view_is_normalised)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    cru_pixels pixels = fixed_pixels(ctx, &task);
    float out[COLS];
    cru_view_plain(&pixels, NULL, images, out);
    for (int i = 0; i < COLS; i++)
        ck_assert_float_eq_tol(out[i], (images[i] - (float)means[i / PLANE]) / (float)deviations[i / PLANE], 1e-5f);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(without_lists_the_training_images_become_standard)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    cru_pixels pixels = cru_pixels_of(ctx, &task, (cru_list){0}, (cru_list){0});
    double sum[CHANNELS] = {0}, squares[CHANNELS] = {0};
    for (int n = 0; n < IMAGES; n++) {
        float out[COLS];
        cru_view_plain(&pixels, NULL, images + n * COLS, out);
        for (int i = 0; i < COLS; i++) {
            sum[i / PLANE] += (double)out[i];
            squares[i / PLANE] += (double)out[i] * (double)out[i];
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        ck_assert_double_eq_tol(sum[c] / (IMAGES * PLANE), 0, 1e-5);
        ck_assert_double_eq_tol(squares[c] / (IMAGES * PLANE), 1, 1e-4);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_list_of_another_length_is_refused)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    cru_pixels_of(ctx, &task, (cru_list){means, 2}, (cru_list){0});
    ck_assert_int_eq(cru_ctx_status(ctx), CRU_BAD_INPUT);
    cru_ctx_destroy(ctx);
}
END_TEST

/* Whether `out` is the first image moved by (down, right) out of a black frame, mirrored first or not. */
static bool is_shifted(const float *out, int down, int right, bool flipped)
{
    for (int i = 0; i < COLS; i++) {
        const int c = i / PLANE, y = i % PLANE / SIDE + down, x = i % SIDE + right;
        const bool inside = y >= 0 && y < SIDE && x >= 0 && x < SIDE;
        const int from = c * PLANE + y * SIDE + (flipped ? SIDE - 1 - x : x);
        if (level(out[i], i) != (inside ? source(from) : 0)) return false;
    }
    return true;
}

START_TEST(the_weak_view_is_a_shift_by_at_most_four_of_the_image_or_its_mirror)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    cru_pixels pixels = fixed_pixels(ctx, &task);
    cru_rng rng = cru_rng_stream(2, "views", 0);
    int mirrored = 0, places = 0;
    bool seen[9][9] = {{0}};
    for (int n = 0; n < 400; n++) {
        float out[COLS];
        int found = 0;
        cru_view_weak(&pixels, &rng, images, out);
        for (int k = 0; k < 162 && !found; k++) {
            const int down = k / 18 - 4, right = k / 2 % 9 - 4;
            if (!is_shifted(out, down, right, k % 2)) continue;
            found = 1;
            mirrored += k % 2;
            places += !seen[down + 4][right + 4];
            seen[down + 4][right + 4] = true;
        }
        ck_assert(found);
    }
    ck_assert(mirrored > 140 && mirrored < 260);
    ck_assert_int_gt(places, 70); /* of 81: about 0.6 are missed */
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(strong_and_distilled_views_stay_in_range_and_differ_each_time)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    cru_pixels pixels = fixed_pixels(ctx, &task);
    cru_rng rng = cru_rng_stream(4, "views", 0);
    float before[COLS] = {0};
    for (int n = 0; n < 100; n++) {
        float out[COLS];
        bool in_range = true;
        (n % 2 ? cru_view_strong : cru_view_distill)(&pixels, &rng, images + n % IMAGES * COLS, out);
        for (int i = 0; i < COLS; i++) in_range = in_range && level(out[i], i) >= 0 && level(out[i], i) <= 255;
        ck_assert(in_range);
        ck_assert(memcmp(out, before, sizeof out) != 0);
        memcpy(before, out, sizeof out);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(the_distilled_view_has_a_square_hole_cut_at_the_edges)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_task task = image_task();
    for (int i = 0; i < COLS; i++) images[i] = 1;
    cru_pixels pixels = fixed_pixels(ctx, &task);
    cru_rng rng = cru_rng_stream(5, "views", 0);
    for (int n = 0; n < 50; n++) {
        float out[COLS];
        int top = SIDE, bottom = -1, left = SIDE, right = -1, black = 0;
        cru_view_distill(&pixels, &rng, images, out);
        for (int i = 0; i < PLANE; i++) {
            if (level(out[i], i) != 0) continue;
            const int y = i / SIDE, x = i % SIDE;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
            left = x < left ? x : left;
            right = x > right ? x : right;
            black++;
        }
        const int high = bottom - top + 1, wide = right - left + 1;
        ck_assert_int_eq(black, high * wide);
        ck_assert(high == SIDE / 2 || ((top == 0 || bottom == SIDE - 1) && high < SIDE / 2 && high >= SIDE / 4));
        ck_assert(wide == SIDE / 2 || ((left == 0 || right == SIDE - 1) && wide < SIDE / 2 && wide >= SIDE / 4));
    }
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("views");
    TCase *c = tcase_create("images");
    tcase_add_test(c, the_plain_view_is_normalised);
    tcase_add_test(c, without_lists_the_training_images_become_standard);
    tcase_add_test(c, a_list_of_another_length_is_refused);
    tcase_add_test(c, the_weak_view_is_a_shift_by_at_most_four_of_the_image_or_its_mirror);
    tcase_add_test(c, strong_and_distilled_views_stay_in_range_and_differ_each_time);
    tcase_add_test(c, the_distilled_view_has_a_square_hole_cut_at_the_edges);
    suite_add_tcase(s, c);
    return s;
}
