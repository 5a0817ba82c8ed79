// SPDX-License-Identifier: Apache-2.0
/* webgraph: a graph in the code of WebGraph (BVGraph), as the Laboratory for Web Algorithmics publishes its crawls. It
 * has neither labels nor features.
 *
 *   graph        NAME.graph: the successors of node after node, in bits
 *   properties   NAME.properties: text, key=value: nodes, arcs, windowsize, minintervallength, zetak
 *
 * A node's list: its length d; unless d = 0, how many nodes back the list is from which it copies (0: none), and which
 * blocks of that list are copied and which left out, in turn; then runs of consecutive numbers; then the rest, as gaps.
 * Lengths and gaps are in gamma code, the last gaps in zeta code, the way back is unary.
 *
 * Boldi, Vigna. The WebGraph Framework I: Compression Techniques. WWW 2004. */
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "blob.h"
#include "node-data.h"
#include "source.h"

/* ---- bits, the most significant first -------------------------------------------------------------------- */

typedef struct bit_reader {
    const uint8_t *bytes;
    int64_t bits, at;
    bool over; /* something was read behind the end, or a number was too large */
} bit_reader;

enum { MOST_BITS = 40 }; /* of any number of a graph with 2^31 nodes */

static uint64_t read_bits(bit_reader *r, int count)
{
    uint64_t value = 0;
    if (count > MOST_BITS || r->bits - r->at < count) {
        r->over = true;
        return 0;
    }
    for (int i = 0; i < count; i++, r->at++) value = value << 1 | (r->bytes[r->at >> 3] >> (7 - (r->at & 7)) & 1);
    return value;
}

/* How many zeros stand before the next one. */
static int read_unary(bit_reader *r)
{
    int zeros = 0;
    while (!r->over && read_bits(r, 1) == 0)
        if (++zeros > MOST_BITS) r->over = true;
    return r->over ? 0 : zeros;
}

static int64_t read_gamma(bit_reader *r)
{
    const int width = read_unary(r);
    return (int64_t)((uint64_t)1 << width | read_bits(r, width)) - 1;
}

static int64_t read_zeta(bit_reader *r, int k)
{
    const int h = read_unary(r);
    if (h * k + k > MOST_BITS) {
        r->over = true;
        return 0;
    }
    const int64_t left = (int64_t)1 << (h * k), m = (int64_t)read_bits(r, h * k + k - 1);
    return m < left ? m + left - 1 : (m << 1) + (int64_t)read_bits(r, 1) - 1;
}

/* 0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2. */
static int64_t to_signed(int64_t n)
{
    return n & 1 ? -((n + 1) >> 1) : n >> 1;
}

/* ---- lists of successors --------------------------------------------------------------------------------- */

typedef struct facts {
    int64_t nodes, arcs, window, least_run, zeta;
} facts;

typedef struct decoding {
    facts f;
    bit_reader in;
    int64_t *offsets;       /* nodes + 1 */
    int32_t *ids;           /* arcs */
    int32_t *copied, *rest; /* nodes each: parts of one list */
    int64_t copied_count, rest_count;
} decoding;

/* Copies blocks of an earlier list; every second block is left out, and what follows the last one goes with it. */
static bool read_copied(decoding *d, int64_t x, int64_t length)
{
    const int64_t back = d->f.window > 0 ? read_unary(&d->in) : 0;
    if (back > x || back > d->f.window) return false;
    if (back == 0) return true;
    const int32_t *from = d->ids + d->offsets[x - back];
    int64_t left = d->offsets[x - back + 1] - d->offsets[x - back], blocks = read_gamma(&d->in);
    for (int64_t b = 0; !d->in.over && b <= blocks; b++) {
        const int64_t size = b == blocks ? left : read_gamma(&d->in) + (b > 0);
        if (size > left) return false;
        if (b % 2 == 0) {
            if (size > length - d->copied_count) return false;
            memcpy(d->copied + d->copied_count, from, (size_t)size * sizeof *from);
            d->copied_count += size;
        }
        from += size;
        left -= size;
    }
    return !d->in.over;
}

static bool put(decoding *d, int64_t id)
{
    const bool sound = !d->in.over && id >= 0 && id < d->f.nodes;
    if (sound) d->rest[d->rest_count++] = (int32_t)id;
    return sound;
}

/* Runs of consecutive numbers; they use up `*extra`. */
static bool read_runs(decoding *d, int64_t x, int64_t *extra)
{
    const int64_t runs = *extra > 0 && d->f.least_run > 0 ? read_gamma(&d->in) : 0;
    int64_t next = x;
    for (int64_t i = 0; i < runs && !d->in.over; i++) {
        next = i == 0 ? x + to_signed(read_gamma(&d->in)) : next + 1 + read_gamma(&d->in);
        const int64_t length = read_gamma(&d->in) + d->f.least_run;
        if (length > *extra) return false;
        for (int64_t k = 0; k < length; k++)
            if (!put(d, next++)) return false;
        *extra -= length;
    }
    return !d->in.over;
}

static bool read_gaps(decoding *d, int64_t x, int64_t extra)
{
    int64_t next = 0;
    for (int64_t i = 0; i < extra; i++) {
        const int64_t gap = read_zeta(&d->in, (int)d->f.zeta);
        next = i == 0 ? x + to_signed(gap) : next + 1 + gap;
        if (!put(d, next)) return false;
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* The parts of a list, in order; a number that comes twice is a fault. */
static bool store_list(decoding *d, int64_t x)
{
    int32_t *list = d->ids + d->offsets[x];
    const int64_t count = d->copied_count + d->rest_count;
    memcpy(list, d->copied, (size_t)d->copied_count * sizeof *list);
    memcpy(list + d->copied_count, d->rest, (size_t)d->rest_count * sizeof *list);
    qsort(list, (size_t)count, sizeof *list, by_id);
    for (int64_t i = 1; i < count; i++)
        if (list[i] == list[i - 1]) return false;
    d->offsets[x + 1] = d->offsets[x] + count;
    return true;
}

static bool read_list(decoding *d, int64_t x)
{
    const int64_t length = read_gamma(&d->in);
    d->copied_count = d->rest_count = 0;
    if (d->in.over || length > d->f.nodes || length > d->f.arcs - d->offsets[x]) return false;
    if (length > 0) {
        if (!read_copied(d, x, length)) return false;
        int64_t extra = length - d->copied_count;
        if (!read_runs(d, x, &extra) || !read_gaps(d, x, extra)) return false;
    }
    return store_list(d, x);
}

/* ---- the two files --------------------------------------------------------------------------------------- */

/* The number behind "key=" at the start of a line; -1: there is none. */
static int64_t property(const blob *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = (const char *)text->bytes; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0 || line[length] != '=') continue;
        char *end;
        const long long value = strtoll(line + length + 1, &end, 10);
        return end != line + length + 1 && value >= 0 ? value : -1;
    }
    return -1;
}

static cru_status read_facts(const blob *text, int64_t bytes, facts *f, cru_error *err)
{
    *f = (facts){property(text, "nodes"), property(text, "arcs"), property(text, "windowsize"),
                 property(text, "minintervallength"), property(text, "zetak")};
    if (f->nodes < 1 || f->arcs < 0 || f->window < 0 || f->least_run < 0 || f->zeta < 1 || f->zeta > 7)
        return cru_fail(err, CRU_BAD_INPUT, "%s: lacks nodes, arcs, windowsize, minintervallength or zetak",
                        text->name);
    if (strstr((const char *)text->bytes, "\ncompressionflags=") &&
        !strstr((const char *)text->bytes, "\ncompressionflags=\n"))
        return cru_fail(err, CRU_UNSUPPORTED, "%s: compressionflags other than the usual codes", text->name);
    /* a list takes a bit at least, and no crawl comes below a sixteenth of a bit for a link */
    if (f->nodes > INT32_MAX || f->nodes > 8 * bytes || f->arcs / 16 > 8 * bytes)
        return cru_fail(err, CRU_BAD_INPUT, "%s: promises more than %lld bytes can hold", text->name, (long long)bytes);
    return CRU_OK;
}

static cru_status decode(const blob *graph, decoding *d, cru_arena *arena, cru_error *err)
{
    d->in = (bit_reader){.bytes = graph->bytes, .bits = 8 * graph->size};
    d->offsets = cru_arena_try(arena, d->f.nodes + 1, sizeof *d->offsets);
    d->ids = cru_arena_try(arena, d->f.arcs + 1, sizeof *d->ids);
    d->copied = cru_arena_try(arena, d->f.nodes, sizeof *d->copied);
    d->rest = cru_arena_try(arena, d->f.nodes, sizeof *d->rest);
    if (!d->offsets || !d->ids || !d->copied || !d->rest)
        return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for %lld arcs", graph->name, (long long)d->f.arcs);
    d->offsets[0] = 0;
    for (int64_t x = 0; x < d->f.nodes; x++)
        if (!read_list(d, x))
            return cru_fail(err, CRU_BAD_INPUT, "%s: node %lld: not a list of successors, before bit %lld", graph->name,
                            (long long)x, (long long)d->in.at);
    if (d->offsets[d->f.nodes] != d->f.arcs)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld arcs, the properties promise %lld", graph->name,
                        (long long)d->offsets[d->f.nodes], (long long)d->f.arcs);
    return CRU_OK;
}

static cru_status read_all(const cru_loading *l, cru_arena *arena)
{
    const node_only *s = l->settings;
    const char *paths[2];
    blob files[2]; /* graph, properties */
    decoding d = {0};
    cru_status status = source_need(l->source, "graph", &paths[0], l->err);
    if (!status) status = source_need(l->source, "properties", &paths[1], l->err);
    if (!status) status = blob_read_all(arena, (file_list){paths, 2}, (byte_room){0}, files, l->err);
    if (!status) status = read_facts(&files[1], files[0].size, &d.f, l->err);
    if (!status) status = decode(&files[0], &d, arena, l->err);
    if (!status) status = node_unlabelled(&s->node, d.f.nodes, l->data, l->err);
    const cru_csr arcs = {d.f.nodes, d.f.nodes, d.offsets, d.ids, NULL};
    return status ? status : node_graph(&s->node, &arcs, l->data, l->err);
}

static cru_status load(const cru_loading *l)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = read_all(l, arena);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(node_only, node_only_params),
    .name = "webgraph",
    .version = "1.0",
    .summary = "a graph without labels in the code of WebGraph (BVGraph)",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
