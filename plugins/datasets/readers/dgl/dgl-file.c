// SPDX-License-Identifier: Apache-2.0
#include "dgl-file.h"

#include <string.h>

#define MAGIC_FILE   0xDD2E4FF046B4A13Fu
#define MAGIC_HETERO 0xDD589FBE35224ABFu
#define MAGIC_META   0xDD3C5FFE20046ABFu
#define MAGIC_CSR    0xDD6CD31205DFF127u
#define MAGIC_COO    0xDD61FFD305DFF127u
#define MAGIC_UNIT   0xDD2E60F0F6B4A127u
#define MAGIC_ARRAY  0xDD5E40F096B4A13Fu

enum { HEADER = 4096, SAVED_COO = 1, SAVED_CSR = 2, SAVED_CSC = 4, MOST_PARTS = 1000 };

/* Reading stops at the first fault: every later read gives 0 and `status` stays. */
typedef struct parsing {
    const blob *file;
    cru_arena *arena;
    cru_error *err;
    int64_t at;
    cru_status status;
} parsing;

static void fail(parsing *p, const char *what)
{
    if (p->status) return;
    p->status = cru_fail(p->err, CRU_BAD_INPUT, "%s: byte %lld: %s", p->file->name, (long long)p->at, what);
}

static const uint8_t *take(parsing *p, uint64_t count)
{
    if (!p->status && count > (uint64_t)(p->file->size - p->at)) fail(p, "the file ends too early");
    if (p->status) return NULL;
    const uint8_t *bytes = p->file->bytes + p->at;
    p->at += (int64_t)count;
    return bytes;
}

static uint64_t number(parsing *p, int width)
{
    uint64_t value = 0;
    const uint8_t *bytes = take(p, (uint64_t)width);
    if (bytes) memcpy(&value, bytes, (size_t)width);
    return value;
}

static void magic(parsing *p, uint64_t expected, const char *what)
{
    if (number(p, 8) != expected) fail(p, what);
}

/* A count of things that need at least one byte each. */
static int64_t count_of(parsing *p)
{
    uint64_t count = number(p, 8);
    if (count > MOST_PARTS) fail(p, "an impossible count");
    return !p->status ? (int64_t)count : 0;
}

static const char *string(parsing *p)
{
    uint64_t size = number(p, 8);
    const uint8_t *bytes = take(p, size);
    if (!bytes) return "";
    char *text = cru_arena_alloc_zeroed(p->arena, (int64_t)size + 1, 1);
    memcpy(text, bytes, size);
    return text;
}

static array read_array(parsing *p)
{
    static const char *const codes[] = {"i", "u", "f"};
    array a = {.name = p->file->name};
    magic(p, MAGIC_ARRAY, "expected an array");
    number(p, 8);
    number(p, 8); /* the device */
    uint64_t dims = number(p, 4), code = number(p, 1), bits = number(p, 1);
    number(p, 2); /* lanes */
    int64_t shape[ARRAY_DIMS] = {0};
    if (dims > ARRAY_DIMS || code > 2 || bits % 8 != 0 || bits > 64) fail(p, "an array of unknown type");
    for (uint64_t d = 0; !p->status && d < dims; d++) shape[d] = (int64_t)number(p, 8);
    uint64_t size = number(p, 8);
    a.bytes = take(p, size);
    a.size = (int64_t)size;
    if (p->status) return a;
    const char type[] = {codes[code][0], (char)('0' + bits / 8)};
    p->status = array_set_type(&a, type, 2, p->err);
    if (!p->status) p->status = array_set_shape(&a, shape, (int32_t)dims, p->err);
    return a;
}

static array read_vector(parsing *p)
{
    array a = read_array(p);
    if (!p->status && a.dims != 1) fail(p, "expected an array of one dimension");
    return a;
}

/* The row of every entry of a compressed matrix, as an array of int64. */
static array expand(parsing *p, const array *indptr, const array *indices)
{
    array rows = {.name = p->file->name, .type = ARRAY_INT, .width = 8, .dims = 1};
    int64_t *values = cru_arena_alloc(p->arena, indices->count, sizeof *values), last = 0;
    for (int64_t r = 0; !p->status && r < indptr->count; r++) {
        int64_t stop = 0;
        p->status = array_whole(indptr, r, (array_range){last, r == 0 ? 0 : indices->count}, &stop, p->err);
        while (!p->status && last < stop) values[last++] = r - 1;
    }
    if (!p->status && last != indices->count) fail(p, "rows that do not hold all entries");
    rows.bytes = (const uint8_t *)values;
    rows.size = 8 * indices->count;
    rows.shape[0] = rows.count = indices->count;
    return rows;
}

/* A matrix; rows and columns of its entries. */
static void read_matrix(parsing *p, bool compressed, array *rows, array *cols)
{
    magic(p, compressed ? MAGIC_CSR : MAGIC_COO, "expected a sparse matrix");
    number(p, 8);
    number(p, 8); /* its size */
    *rows = read_vector(p);
    *cols = read_vector(p);
    read_array(p); /* edge ids: no edge tensor is used */
    number(p, compressed ? 1 : 2);
    if (!p->status && compressed) *rows = expand(p, rows, cols);
    if (!p->status && rows->count != cols->count) fail(p, "a sparse matrix with parts of unequal length");
}

static void read_meta(parsing *p)
{
    array rows, cols;
    magic(p, MAGIC_META, "expected a meta-graph");
    read_matrix(p, true, &rows, &cols);
}

/* One relation, in up to three forms; the first is taken. */
static dgl_edges read_unit(parsing *p)
{
    dgl_edges e = {.name = ""};
    magic(p, MAGIC_UNIT, "expected a relation");
    uint64_t saved = number(p, 8) & 7;
    number(p, 8);
    bool first = true;
    for (uint64_t form = SAVED_COO; form <= SAVED_CSC; form <<= 1) {
        if (!(saved & form)) continue;
        array rows, cols;
        read_meta(p);
        read_matrix(p, form != SAVED_COO, &rows, &cols);
        if (!p->status && first) {
            e.from = form == SAVED_CSC ? cols : rows; /* CSC: rows are destinations */
            e.to = form == SAVED_CSC ? rows : cols;
        }
        first = false;
    }
    if (first) fail(p, "a relation without edges");
    return e;
}

static void read_structure(parsing *p, dgl_graph *g)
{
    magic(p, MAGIC_HETERO, "expected a graph");
    read_meta(p);
    g->relation_count = count_of(p);
    if (g->relation_count < 1) fail(p, "a graph without relations");
    g->relations = cru_arena_alloc_zeroed(p->arena, g->relation_count, sizeof *g->relations);
    for (int64_t k = 0; k < g->relation_count && !p->status; k++) g->relations[k] = read_unit(p);
    int64_t types = count_of(p);
    if (types != 1) fail(p, "a graph with several types of nodes");
    uint64_t nodes = number(p, 8);
    if (nodes > INT32_MAX) fail(p, "too many nodes");
    g->nodes = (int64_t)nodes;
}

/* The tensors of one type, by name. */
static int64_t read_tensors(parsing *p, dgl_tensor_entry **out)
{
    int64_t count = count_of(p);
    *out = cru_arena_alloc_zeroed(p->arena, count, sizeof **out);
    for (int64_t i = 0; i < count && !p->status; i++) {
        (*out)[i].name = string(p);
        (*out)[i].values = read_array(p);
    }
    return count;
}

cru_status dgl_parse(const blob *file, cru_arena *arena, dgl_graph *out, cru_error *err)
{
    *out = (dgl_graph){.name = file->name};
    parsing p = {.file = file, .arena = arena, .err = err};
    magic(&p, MAGIC_FILE, "not a file of dgl.save_graphs");
    if (number(&p, 8) != 2) fail(&p, "not version 2");
    if (number(&p, 8) != 2) fail(&p, "not a heterograph file");
    if (number(&p, 8) < 1) fail(&p, "no graph");
    take(&p, HEADER - 32);
    uint64_t start = number(&p, 8);
    if (start > (uint64_t)file->size) fail(&p, "the graph begins behind the end of the file");
    if (!p.status) p.at = (int64_t)start;
    read_structure(&p, out);
    if (count_of(&p) != 1) fail(&p, "expected the tensors of one type of nodes");
    out->tensor_count = read_tensors(&p, &out->tensors);
    dgl_tensor_entry *ignored;
    int64_t edge_types = count_of(&p);
    for (int64_t k = 0; k < edge_types && !p.status; k++) read_tensors(&p, &ignored);
    for (int64_t k = count_of(&p); k > 0 && !p.status; k--) string(&p);
    if (count_of(&p) != out->relation_count) fail(&p, "names for another number of relations");
    for (int64_t k = 0; k < out->relation_count && !p.status; k++) out->relations[k].name = string(&p);
    return p.status;
}

const array *dgl_tensor(const dgl_graph *g, const char *name)
{
    for (int64_t i = 0; i < g->tensor_count; i++)
        if (strcmp(g->tensors[i].name, name) == 0) return &g->tensors[i].values;
    return NULL;
}
