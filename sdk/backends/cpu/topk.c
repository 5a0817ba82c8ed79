/* The k largest or smallest of every row, by a heap of the k best so far: O(cols log k). */
#include <math.h>

#include "cpu.h"

typedef struct heap {
    const float *x; /* the row */
    int32_t *ids;   /* the best so far, the worst of them on top */
    int64_t count;
    bool smallest;
} heap;

/* Whether column a comes before column b in the result. NaN ranks as the largest value, as in PyTorch. */
static bool before(const heap *h, int32_t a, int32_t b)
{
    float x = h->x[a], y = h->x[b];
    bool less = x < y || (isnan(y) && !isnan(x)), more = x > y || (isnan(x) && !isnan(y));
    if (less || more) return h->smallest ? less : more;
    return a < b;
}

static void sink(const heap *h, int64_t at)
{
    for (;;) {
        int64_t worst = 2 * at + 1;
        if (worst >= h->count) return;
        if (worst + 1 < h->count && before(h, h->ids[worst], h->ids[worst + 1])) worst++;
        if (!before(h, h->ids[at], h->ids[worst])) return;
        int32_t moved = h->ids[at];
        h->ids[at] = h->ids[worst];
        h->ids[worst] = moved;
        at = worst;
    }
}

/* Leaves the k best columns in `ids`, in order. */
static void select_row(heap *h, int64_t cols, int64_t k)
{
    h->count = k;
    for (int64_t i = 0; i < k; i++) h->ids[i] = (int32_t)i;
    for (int64_t i = k / 2 - 1; i >= 0; i--) sink(h, i);
    for (int64_t i = k; i < cols; i++)
        if (before(h, (int32_t)i, h->ids[0])) {
            h->ids[0] = (int32_t)i;
            sink(h, 0);
        }
    while (h->count > 1) {
        int32_t worst = h->ids[0];
        h->count--;
        h->ids[0] = h->ids[h->count];
        h->ids[h->count] = worst;
        sink(h, 0);
    }
}

static void topk_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_topk_args *t = task;
    for (int64_t row = begin; row < end; row++) {
        heap h = {.x = t->x + row * t->cols, .ids = t->ids + row * t->k, .smallest = t->smallest};
        select_row(&h, t->cols, t->k);
        if (!t->values) continue;
        for (int64_t i = 0; i < t->k; i++) t->values[row * t->k + i] = h.x[h.ids[i]];
    }
}

void cpu_topk(cru_device *device, const cru_topk_args *args)
{
    if (args->k <= 0) return;
    cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_MATH, args->cols), topk_rows, args});
}
