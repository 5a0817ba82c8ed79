// SPDX-License-Identifier: Apache-2.0
#include "linalg/quadtree.h"

#include <math.h>
#include <stdlib.h>

#include "memory/heap.h"

enum { DEEPEST = 48 };

typedef struct cell {
    double centre[2], half; /* the square */
    double sum[2];          /* of its points */
    int64_t count;
    int64_t point;    /* of a leaf with points: one of them; all of a leaf's points are (almost) equal */
    int32_t child[4]; /* 0: none */
} cell;

struct quadtree {
    const double *y;
    cell *cells; /* the first is the root */
    int64_t used, room;
};

quadtree *cru_quadtree_create(void)
{
    return heap_alloc(1, sizeof(quadtree));
}

void cru_quadtree_destroy(quadtree *tree)
{
    free(tree->cells);
    free(tree);
}

static int32_t new_cell(quadtree *t, double x, double y, double half)
{
    if (t->used == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->cells = heap_grow(t->cells, t->room, sizeof *t->cells);
    }
    t->cells[t->used] = (cell){.centre = {x, y}, .half = half, .point = -1};
    return (int32_t)t->used++;
}

/* The child of cell c that holds a position, made when missing. */
static int32_t child_at(quadtree *t, int32_t c, const double *p)
{
    int side = (p[0] > t->cells[c].centre[0]) + 2 * (p[1] > t->cells[c].centre[1]);
    if (t->cells[c].child[side]) return t->cells[c].child[side];
    double half = t->cells[c].half / 2;
    double x = t->cells[c].centre[0] + (side & 1 ? half : -half), y = t->cells[c].centre[1] + (side & 2 ? half : -half);
    int32_t made = new_cell(t, x, y, half);
    t->cells[c].child[side] = made;
    return made;
}

static void add_mass(cell *c, const double *p, int64_t count)
{
    c->sum[0] += (double)count * p[0];
    c->sum[1] += (double)count * p[1];
    c->count += count;
}

/* Moves the points of a leaf one level down, so that it can be divided. They are equal: their mean stands for all. */
static void split_leaf(quadtree *t, int32_t c)
{
    int64_t resident = t->cells[c].point, count = t->cells[c].count;
    double mean[2] = {t->cells[c].sum[0] / (double)count, t->cells[c].sum[1] / (double)count};
    t->cells[c].point = -1;
    int32_t child = child_at(t, c, mean);
    add_mass(&t->cells[child], mean, count);
    t->cells[child].point = resident;
}

static void insert(quadtree *t, int64_t i)
{
    const double *p = t->y + 2 * i;
    int32_t c = 0;
    for (int depth = 0;; depth++) {
        cell *here = &t->cells[c];
        if (here->count == 0) {
            here->point = i;
            add_mass(here, p, 1);
            return;
        }
        if (here->point >= 0) {
            const double *q = t->y + 2 * here->point;
            if (depth >= DEEPEST || (p[0] == q[0] && p[1] == q[1])) {
                add_mass(here, p, 1);
                return;
            }
            split_leaf(t, c);
        }
        add_mass(&t->cells[c], p, 1);
        c = child_at(t, c, p);
    }
}

void cru_quadtree_build(quadtree *t, const double *y, int64_t n)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < 2 * n; i++) {
        low[i % 2] = fmin(low[i % 2], y[i]);
        high[i % 2] = fmax(high[i % 2], y[i]);
    }
    t->y = y;
    t->used = 0;
    double half = n ? fmax(high[0] - low[0], high[1] - low[1]) / 2 : 0;
    new_cell(t, n ? (low[0] + high[0]) / 2 : 0, n ? (low[1] + high[1]) / 2 : 0, half * (1 + 1e-9) + 1e-300);
    for (int64_t i = 0; i < n; i++) insert(t, i);
}

/* A point is not repelled by itself: its own part of a leaf (or of the equal points in it) has distance 0, so it adds
 * no force, and exactly 1 to the sum, which is taken off at the end. */
double cru_quadtree_repulsion(const quadtree *t, int64_t i, double theta, double force[2])
{
    const double *p = t->y + 2 * i;
    int32_t stack[4 * (DEEPEST + 2)];
    int top = 0;
    double total = 0;
    stack[top++] = 0;
    while (top) {
        const cell *c = &t->cells[stack[--top]];
        if (!c->count) continue;
        double dx = p[0] - c->sum[0] / (double)c->count, dy = p[1] - c->sum[1] / (double)c->count;
        double square = dx * dx + dy * dy;
        if (c->point >= 0 || 4 * c->half * c->half < theta * theta * square) {
            double q = 1 / (1 + square);
            total += (double)c->count * q;
            force[0] += (double)c->count * q * q * dx;
            force[1] += (double)c->count * q * q * dy;
            continue;
        }
        for (int k = 0; k < 4; k++)
            if (c->child[k]) stack[top++] = c->child[k];
    }
    return total - 1;
}
