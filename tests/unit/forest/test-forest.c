// SPDX-License-Identifier: Apache-2.0
/* Forests against the definition of a best split, against scikit-learn's trees, and against what drawing promises. */
#include <math.h>

#include <crucible/draft/forest.h>

#include "forest/tree.h"
#include "json-fixture.h"

enum { MOST = 1024 };

/* ---- an oracle: is every node of a tree what the definition asks for? ----------------------------------------- */

typedef struct oracle {
    const cru_samples *samples;
    cru_impurity impurity;
    const tree *grown;
} oracle;

typedef struct bag {
    int32_t ids[MOST];
    int64_t count;
} bag;

static double weight_of(const cru_samples *s, int32_t row)
{
    return s->weights ? (double)s->weights[row] : 1;
}

static float value_of(const cru_samples *s, int32_t row, int64_t col)
{
    return s->x.values[row * s->x.cols + col];
}

/* W times the impurity, straight from the formulas. */
static double weighted_impurity(const oracle *o, const bag *b, double *total)
{
    double sum = 0, squares = 0, entropy = 0;
    for (int32_t c = 0; c < o->samples->classes; c++) total[c] = 0;
    for (int64_t i = 0; i < b->count; i++) {
        total[o->samples->labels[b->ids[i]]] += weight_of(o->samples, b->ids[i]);
        sum += weight_of(o->samples, b->ids[i]);
    }
    for (int32_t c = 0; c < o->samples->classes; c++) {
        const double p = sum > 0 ? total[c] / sum : 0;
        squares += p * p;
        if (p > 0) entropy -= p * log2(p);
    }
    return sum * (o->impurity == CRU_GINI ? 1 - squares : entropy);
}

static void divide(const oracle *o, const bag *b, int64_t col, double threshold, bag sides[2])
{
    sides[0].count = sides[1].count = 0;
    for (int64_t i = 0; i < b->count; i++) {
        bag *side = &sides[(double)value_of(o->samples, b->ids[i], col) > threshold];
        side->ids[side->count++] = b->ids[i];
    }
}

static double after_split(const oracle *o, const bag *b, int64_t col, double threshold)
{
    static bag sides[2];
    double total[MOST];
    divide(o, b, col, threshold, sides);
    return weighted_impurity(o, &sides[0], total) + weighted_impurity(o, &sides[1], total);
}

/* The least weighted impurity that any boundary between two neighbouring values leaves; INFINITY: there is none. */
static double best_after(const oracle *o, const bag *b)
{
    double best = INFINITY;
    for (int64_t col = 0; col < o->samples->x.cols; col++) {
        for (int64_t i = 0; i < b->count; i++) {
            const float low = value_of(o->samples, b->ids[i], col);
            float high = INFINITY;
            for (int64_t j = 0; j < b->count; j++) {
                const float v = value_of(o->samples, b->ids[j], col);
                if (v > low && v < high) high = v;
            }
            if (high == INFINITY || high <= low + 1e-7f) continue;
            best = fmin(best, after_split(o, b, col, ((double)low + (double)high) / 2));
        }
    }
    return best;
}

/* Checks the subtree at `at`, which holds the rows of the bag; returns the node after it. */
static int64_t check_node(const oracle *o, const bag *b, int64_t at)
{
    const tree_node *node = &o->grown->nodes[at];
    const int32_t classes = o->samples->classes;
    double total[MOST], sum = 0;
    const double impurity = weighted_impurity(o, b, total), best = impurity > 1e-9 ? best_after(o, b) : INFINITY;
    if (node->feature < 0) {
        ck_assert_msg(best == INFINITY, "a leaf of %lld rows could be divided", (long long)b->count);
        for (int32_t c = 0; c < classes; c++) sum += total[c];
        for (int32_t c = 0; c < classes; c++)
            ck_assert_double_eq_tol((double)o->grown->shares[(int64_t)node->next * classes + c], total[c] / sum, 1e-6);
        return at + 1;
    }
    ck_assert_double_eq_tol(after_split(o, b, node->feature, node->threshold), best, 1e-9 * fmax(1, best));
    bag *sides = malloc(2 * sizeof *sides);
    divide(o, b, node->feature, node->threshold, sides);
    ck_assert_int_eq(check_node(o, &sides[0], at + 1), node->next);
    const int64_t end = check_node(o, &sides[1], node->next);
    free(sides);
    return end;
}

/* One tree on all columns and all rows, node by node. */
static void check_tree(const cru_samples *samples, cru_impurity impurity)
{
    const cru_rng rng = cru_rng_stream(5, "forest", 0);
    const cru_forest_shape shape = {.trees = 1, .impurity = impurity, .features = samples->x.cols};
    cru_forest *forest = cru_forest_grow(&shape, samples, &rng);
    oracle o = {samples, impurity, &forest->tree[0]};
    bag *all = calloc(1, sizeof *all);
    for (int32_t i = 0; i < samples->x.rows; i++)
        if (weight_of(samples, i) > 0) all->ids[all->count++] = i;
    ck_assert_int_eq(check_node(&o, all, 0), forest->tree[0].count);
    ck_assert_int_eq(cru_forest_nodes(forest), forest->tree[0].count);
    free(all);
    cru_forest_destroy(forest);
}

/* ---- material --------------------------------------------------------------------------------------------- */

typedef struct material {
    float x[MOST * 4], weights[MOST];
    int32_t labels[MOST];
} material;

/* Values on a grid of `steps` points (0: continuous), labels that depend on them but for noise. */
static cru_samples draw_samples(material *m, int64_t rows, int64_t cols, int64_t steps)
{
    cru_rng rng = cru_rng_stream(9, "material", (uint64_t)(rows * 100 + steps));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < cols; c++)
            m->x[i * cols + c] = steps ? (float)cru_rng_below(&rng, steps) / 8 : (float)cru_rng_normal(&rng);
        m->weights[i] = (float)cru_rng_below(&rng, 4) / 2; /* some rows weigh nothing */
        const bool noisy = cru_rng_uniform(&rng) < 0.2;
        m->labels[i] = noisy ? (int32_t)cru_rng_below(&rng, 3) : m->x[i * cols] > 0.5f;
    }
    m->weights[0] = 1;
    return (cru_samples){.x = {rows, cols, m->x}, .labels = m->labels, .weights = m->weights, .classes = 3};
}

START_TEST(every_node_takes_the_purest_split)
{
    static const int64_t sizes[] = {1, 2, 15, 16, 17, 49, 300};
    static material m;
    const int64_t rows = sizes[_i % 7];
    for (int64_t steps = 0; steps <= 30; steps += 15) {
        cru_samples samples = draw_samples(&m, rows, 1 + _i % 4, steps);
        check_tree(&samples, _i < 7 ? CRU_GINI : CRU_ENTROPY);
        samples.weights = NULL;
        check_tree(&samples, _i < 7 ? CRU_GINI : CRU_ENTROPY);
    }
}
END_TEST

START_TEST(values_that_hardly_differ_are_not_divided)
{
    const float x[] = {0.1f, 0.1f + 5e-8f, 0.1f + 3e-7f, 0.9f};
    const int32_t labels[] = {0, 1, 1, 0};
    cru_samples samples = {.x = {4, 1, x}, .labels = labels, .classes = 2};
    check_tree(&samples, CRU_GINI);
    const cru_rng rng = cru_rng_stream(1, "forest", 0);
    cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = 1}, &samples, &rng);
    float share[8];
    cru_forest_predict(forest, &samples.x, share);
    const float expected[] = {0.5f, 0.5f, 0.5f, 0.5f, 0, 1, 1, 0};
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(share[i], expected[i], 1e-6f);
    cru_forest_destroy(forest);
}
END_TEST

/* ---- scikit-learn's trees --------------------------------------------------------------------------------------- */

static int64_t floats(const cJSON *from, float *out)
{
    static double numbers[MOST];
    const int64_t count = fixture_numbers(from, numbers);
    for (int64_t i = 0; i < count; i++) out[i] = (float)numbers[i];
    return count;
}

/* The fixture writes -2 for the feature of a leaf. */
static bool same_tree(const tree *t, const cJSON *wanted)
{
    static double feature[MOST], threshold[MOST];
    bool same = fixture_numbers(cJSON_GetObjectItem(wanted, "feature"), feature) == t->count;
    fixture_numbers(cJSON_GetObjectItem(wanted, "threshold"), threshold);
    for (int64_t i = 0; same && i < t->count; i++) {
        const tree_node *node = &t->nodes[i];
        same = node->feature < 0 ? feature[i] < 0
                                 : feature[i] == node->feature && fabs(threshold[i] - node->threshold) < 1e-8;
    }
    return same;
}

START_TEST(a_tree_grows_as_in_the_reference)
{
    static const char *const cases[] = {"full_tree", "bootstrap_tree"};
    static float x[MOST], x_test[MOST], weights[MOST], counts[MOST], share[MOST];
    static double labels[MOST], expected[MOST];
    int32_t classes[MOST];
    cJSON *root = fixture_open("gad/rf.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    const int64_t rows = fixture_numbers(fixture_input(item, "y"), labels);
    const int64_t cols = floats(fixture_input(item, "x"), x) / rows;
    const int64_t tests = floats(fixture_input(item, "x_test"), x_test) / cols;
    floats(fixture_input(item, "weight"), weights);
    if (_i == 1) {
        floats(fixture_input(item, "counts"), counts);
        for (int64_t i = 0; i < rows; i++) weights[i] *= counts[i];
    }
    for (int64_t i = 0; i < rows; i++) classes[i] = (int32_t)labels[i];
    cru_samples samples = {.x = {rows, cols, x}, .labels = classes, .weights = weights, .classes = 2};
    check_tree(&samples, CRU_GINI);
    fixture_numbers(fixture_expected(item, "p_test"), expected);
    const cJSON *wanted = fixture_expected(item, "tree");
    bool found = false; /* where two columns are equally good the first drawn wins: one of a few orders is theirs */
    for (uint64_t order = 0; order < 50 && !found; order++) {
        const cru_rng rng = cru_rng_stream(order, "forest", 0);
        cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = 1, .features = cols}, &samples, &rng);
        cru_forest_predict(forest, &(cru_dense){tests, cols, x_test}, share);
        found = same_tree(&forest->tree[0], wanted);
        for (int64_t i = 0; found && i < tests; i++)
            ck_assert_double_eq_tol((double)share[2 * i + 1], expected[i], 1e-5);
        cru_forest_destroy(forest);
    }
    ck_assert(found);
    cJSON_Delete(root);
}
END_TEST

/* ---- drawing
 * ------------------------------------------------------------------------------------------------------ */

START_TEST(a_bootstrap_holds_two_thirds_of_the_rows)
{
    enum { ROWS = 200, TREES = 100 };
    static float x[ROWS];
    static int32_t labels[ROWS];
    for (int i = 0; i < ROWS; i++) x[i] = (float)i, labels[i] = i;
    cru_samples samples = {.x = {ROWS, 1, x}, .labels = labels, .classes = ROWS};
    const cru_rng rng = cru_rng_stream(2, "forest", 0);
    cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = TREES, .sample = 1}, &samples, &rng);
    /* every row has a class of its own, so a tree has a leaf for each row in its bag and 2 leaves - 1 nodes */
    const double rows = ((double)cru_forest_nodes(forest) / TREES + 1) / 2, spread = sqrt(ROWS * 0.0972 / TREES);
    ck_assert_double_eq_tol(rows, ROWS * (1 - exp(-1)), 5 * spread);
    cru_forest_destroy(forest);
    forest = cru_forest_grow(&(cru_forest_shape){.trees = 3, .sample = 1e-9}, &samples, &rng);
    ck_assert_int_eq(cru_forest_nodes(forest), 3); /* one draw at least */
    cru_forest_destroy(forest);
}
END_TEST

START_TEST(columns_are_drawn_evenly_and_constant_ones_never_split)
{
    enum { ROWS = 8, COLS = 5, TREES = 2000 };
    float x[ROWS * COLS];
    int32_t labels[ROWS];
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % 2;
        for (int c = 0; c < COLS; c++) x[i * COLS + c] = c == 2 ? 7 : (float)(i * (c + 1));
    }
    cru_samples samples = {.x = {ROWS, COLS, x}, .labels = labels, .classes = 2};
    const cru_rng rng = cru_rng_stream(3, "forest", 0);
    cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = TREES, .features = 1}, &samples, &rng);
    int64_t used[COLS] = {0};
    for (int64_t k = 0; k < TREES; k++) used[forest->tree[k].nodes[0].feature]++;
    ck_assert_int_eq(used[2], 0);
    for (int c = 0; c < COLS; c++)
        if (c != 2) ck_assert_double_eq_tol((double)used[c], TREES / 4.0, 5 * sqrt(TREES * 0.1875));
    cru_forest_destroy(forest);
}
END_TEST

START_TEST(threads_do_not_change_a_bit)
{
    enum { ROWS = 400 };
    static material m;
    static float share[2][ROWS * 3];
    cru_samples samples = draw_samples(&m, ROWS, 4, 0);
    for (int run = 0; run < 2; run++) {
        cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = 4, .threads = run ? 3 : 1});
        const cru_rng rng = cru_ctx_stream(ctx, "forest");
        cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = 10, .sample = 0.7}, &samples, &rng);
        cru_forest_predict(forest, &samples.x, share[run]);
        cru_forest_destroy(forest);
        cru_ctx_destroy(ctx);
    }
    ck_assert_mem_eq(share[0], share[1], sizeof share[0]);
    for (int i = 0; i < ROWS; i++)
        ck_assert_float_eq_tol(share[0][3 * i] + share[0][3 * i + 1] + share[0][3 * i + 2], 1, 1e-5f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("forest");
    TCase *c = tcase_create("forest");
    tcase_add_loop_test(c, every_node_takes_the_purest_split, 0, 14);
    tcase_add_test(c, values_that_hardly_differ_are_not_divided);
    tcase_add_loop_test(c, a_tree_grows_as_in_the_reference, 0, 2);
    tcase_add_test(c, a_bootstrap_holds_two_thirds_of_the_rows);
    tcase_add_test(c, columns_are_drawn_evenly_and_constant_ones_never_split);
    tcase_add_test(c, threads_do_not_change_a_bit);
    suite_add_tcase(s, c);
    return s;
}
