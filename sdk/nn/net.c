// SPDX-License-Identifier: Apache-2.0
/* Named sets of weights and buffers. */
#include <math.h>
#include <string.h>

#include <crucible/arena.h>
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>
#include <crucible/nn.h>

typedef struct entry {
    char *name;
    cru_tensor *tensor;
    cru_init init; /* of a buffer: its first value, as a constant */
    cru_rng rng;   /* of its own, so that one weight more moves no other */
    struct entry *next;
} entry;

typedef struct entry_list {
    entry *first, **end;
    int64_t count;
} entry_list;

struct cru_net {
    cru_ctx *ctx;
    uint64_t name; /* hashed */
    entry_list weights, buffers;
};

/* FNV-1a: names only need to land on different streams. The end of the text counts, too. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *c = text;; c++) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        if (!*c) return hash;
    }
}

cru_net *cru_net_create(cru_ctx *ctx, const char *name)
{
    cru_net *net = cru_ctx_alloc(ctx, 1, sizeof *net);
    net->ctx = ctx;
    net->name = hash_text(1469598103934665603u, name);
    net->weights.end = &net->weights.first;
    net->buffers.end = &net->buffers.first;
    return net;
}

cru_ctx *cru_net_ctx(const cru_net *net)
{
    return net->ctx;
}

/* ---- drawing --------------------------------------------------------------------------------------------- */

typedef struct fans {
    double in, out;
} fans;

static fans fans_of(const cru_tensor *w, const cru_init *init)
{
    fans f = {.in = (double)w->dim[0], .out = (double)w->dim[0]};
    if (w->rank == 2) f.out = (double)w->dim[1];
    if (w->rank == 4) {
        f.in = (double)(w->dim[1] * w->dim[2] * w->dim[3]);
        f.out = (double)(w->dim[0] * w->dim[2] * w->dim[3]);
    }
    if (init->fan_in) f.in = (double)init->fan_in;
    return f;
}

typedef struct distribution {
    bool normal;
    double a, b; /* uniform: from a to b; normal: mean and standard deviation */
} distribution;

static distribution symmetric(double s)
{
    return (distribution){.a = -s, .b = s};
}

static distribution distribution_of(const cru_tensor *w, const cru_init *init)
{
    fans f = fans_of(w, init);
    double given = (double)init->a, glorot = given != 0 ? given : 1, kaiming = given != 0 ? given : sqrt(2);
    switch (init->kind) {
    case CRU_INIT_ZEROS:
        return symmetric(0);
    case CRU_INIT_CONSTANT:
        return (distribution){.a = given, .b = given};
    case CRU_INIT_UNIFORM:
        return (distribution){.a = given, .b = (double)init->b};
    case CRU_INIT_NORMAL:
        return (distribution){.normal = true, .a = given, .b = (double)init->b};
    case CRU_INIT_FAN_IN:
        return symmetric(1 / sqrt(f.in));
    case CRU_INIT_FAN_OUT:
        return symmetric(1 / sqrt(f.out));
    case CRU_INIT_GLOROT_UNIFORM:
        return symmetric(glorot * sqrt(6 / (f.in + f.out)));
    case CRU_INIT_GLOROT_NORMAL:
        return (distribution){.normal = true, .b = glorot * sqrt(2 / (f.in + f.out))};
    case CRU_INIT_KAIMING_UNIFORM:
        return symmetric(kaiming * sqrt(3 / f.in));
    case CRU_INIT_KAIMING_NORMAL:
        return (distribution){.normal = true, .b = kaiming / sqrt(f.in)};
    case CRU_INIT_KAIMING_FAN_OUT:
        return (distribution){.normal = true, .b = kaiming / sqrt(f.out)};
    case CRU_INIT_VALUES: /* not drawn */
        break;
    }
    cru_panic(CRU_FAILED, "net: unknown initialisation %d", (int)init->kind);
}

static void draw(cru_net *net, entry *e)
{
    cru_device *device = cru_ctx_device(net->ctx);
    cru_tensor *w = e->tensor;
    int64_t n = cru_tensor_count(w);
    if (e->init.kind == CRU_INIT_VALUES) {
        device->backend->upload(device, w->data, e->init.values, (size_t)n * sizeof *e->init.values);
        return;
    }
    distribution d = distribution_of(w, &e->init);
    if (!d.normal && d.a == d.b) {
        device->backend->fill(device, w->data, n, (float)d.a);
        return;
    }
    cru_arena *scratch = cru_arena_create();
    if (!scratch) cru_panic(CRU_NO_MEMORY, "out of memory: initialisation");
    float *host = cru_arena_alloc(scratch, n, sizeof *host);
    if (d.normal)
        cru_rng_fill_normal(&e->rng, host, n, (float)d.a, (float)d.b);
    else
        cru_rng_fill_uniform(&e->rng, host, n, (float)d.a, (float)d.b);
    device->backend->upload(device, w->data, host, (size_t)n * sizeof *host);
    cru_arena_destroy(scratch);
}

/* ---- members --------------------------------------------------------------------------------------------- */

static entry *append(cru_net *net, entry_list *list, const char *name)
{
    entry *e = cru_ctx_alloc(net->ctx, 1, sizeof *e);
    size_t length = strlen(name);
    e->name = cru_ctx_alloc(net->ctx, (int64_t)length + 1, 1);
    memcpy(e->name, name, length);
    e->rng = cru_rng_stream(cru_ctx_seed(net->ctx), "init", hash_text(net->name, name));
    *list->end = e;
    list->end = &e->next;
    list->count++;
    return e;
}

cru_tensor *cru_net_weight(cru_net *net, const char *name, cru_dims shape, cru_init init)
{
    entry *e = append(net, &net->weights, name);
    e->tensor = cru_weight_create(net->ctx, shape);
    e->init = init;
    draw(net, e);
    return e->tensor;
}

cru_tensor *cru_net_buffer(cru_net *net, const char *name, cru_dims shape, double value)
{
    entry *e = append(net, &net->buffers, name);
    e->tensor = cru_tensor_create(net->ctx, shape);
    e->init = (cru_init){.kind = CRU_INIT_CONSTANT, .a = value};
    draw(net, e);
    return e->tensor;
}

int64_t cru_net_weight_count(const cru_net *net)
{
    return net->weights.count;
}

static const entry *entry_at(const cru_net *net, int64_t i)
{
    cru_assert(i >= 0 && i < net->weights.count, "net: no weight %lld", (long long)i);
    const entry *e = net->weights.first;
    while (i--) e = e->next;
    return e;
}

cru_tensor *cru_net_weight_at(const cru_net *net, int64_t i)
{
    return entry_at(net, i)->tensor;
}

const char *cru_net_weight_name(const cru_net *net, int64_t i)
{
    return entry_at(net, i)->name;
}

cru_tensor *cru_net_find(const cru_net *net, const char *name)
{
    for (const entry *e = net->weights.first; e; e = e->next)
        if (!strcmp(e->name, name)) return e->tensor;
    for (const entry *e = net->buffers.first; e; e = e->next)
        if (!strcmp(e->name, name)) return e->tensor;
    return NULL;
}

void cru_net_visit(cru_net *net, cru_net_visitor *visit, void *user)
{
    for (const entry *e = net->weights.first; e; e = e->next) visit(user, e->name, e->tensor);
    for (const entry *e = net->buffers.first; e; e = e->next) visit(user, e->name, e->tensor);
}

void cru_net_clear(cru_net *net)
{
    for (entry *e = net->weights.first; e; e = e->next) cru_weight_clear(e->tensor);
}

void cru_net_reset(cru_net *net)
{
    for (entry *e = net->weights.first; e; e = e->next) draw(net, e);
    for (entry *e = net->buffers.first; e; e = e->next) draw(net, e);
    cru_net_clear(net);
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

static void copy_values(cru_ctx *ctx, float *to, const float *from, int64_t n, float scale, bool add)
{
    cru_device *device = cru_ctx_device(ctx);
    cru_copy_args args = {
        .rows = 1, .cols = n, .x = from, .ldx = n, .y = to, .ldy = n, .scale = scale, .accumulate = add};
    device->backend->copy(device, &args);
}

typedef struct saved {
    cru_tensor *from, *copy;
} saved;

struct cru_snapshot {
    cru_net *net;
    int64_t count;
    saved *saved;
};

static int64_t save_list(cru_ctx *ctx, const entry_list *list, saved *to)
{
    int64_t i = 0;
    for (const entry *e = list->first; e; e = e->next, i++)
        to[i] = (saved){.from = e->tensor, .copy = cru_tensor_create(ctx, cru_shape_of(e->tensor))};
    return i;
}

cru_snapshot *cru_snapshot_create(cru_net *net)
{
    cru_snapshot *s = cru_ctx_alloc(net->ctx, 1, sizeof *s);
    s->net = net;
    s->count = net->weights.count + net->buffers.count;
    s->saved = cru_ctx_alloc(net->ctx, s->count, sizeof *s->saved);
    int64_t weights = save_list(net->ctx, &net->weights, s->saved);
    save_list(net->ctx, &net->buffers, s->saved + weights);
    cru_snapshot_take(s);
    return s;
}

void cru_snapshot_take(cru_snapshot *snapshot)
{
    for (int64_t i = 0; i < snapshot->count; i++) {
        saved *s = &snapshot->saved[i];
        copy_values(snapshot->net->ctx, s->copy->data, s->from->data, cru_tensor_count(s->from), 1, false);
    }
}

void cru_snapshot_restore(const cru_snapshot *snapshot)
{
    for (int64_t i = 0; i < snapshot->count; i++) {
        const saved *s = &snapshot->saved[i];
        copy_values(snapshot->net->ctx, s->from->data, s->copy->data, cru_tensor_count(s->from), 1, false);
    }
}

/* to = keep * to + (1 - keep) * from */
static void blend(cru_ctx *ctx, const entry_list *to, const entry_list *from, float keep)
{
    cru_assert(to->count == from->count, "net: %lld tensors against %lld", (long long)to->count,
               (long long)from->count);
    cru_device *device = cru_ctx_device(ctx);
    for (const entry *a = to->first, *b = from->first; a; a = a->next, b = b->next) {
        int64_t n = cru_tensor_count(a->tensor);
        cru_assert(n == cru_tensor_count(b->tensor), "net: %s and %s differ in size", a->name, b->name);
        float *data = a->tensor->data;
        if (keep != 0)
            device->backend->unary(device, CRU_UNARY_SCALE, &(cru_unary_args){.n = n, .x = data, .y = data, .a = keep});
        copy_values(ctx, data, b->tensor->data, n, 1 - keep, keep != 0);
    }
}

static bool lists_alike(const entry_list *a, const entry_list *b)
{
    if (a->count != b->count) return false;
    for (const entry *x = a->first, *y = b->first; x; x = x->next, y = y->next)
        if (cru_tensor_count(x->tensor) != cru_tensor_count(y->tensor)) return false;
    return true;
}

bool cru_net_alike(const cru_net *a, const cru_net *b)
{
    return lists_alike(&a->weights, &b->weights) && lists_alike(&a->buffers, &b->buffers);
}

void cru_net_copy(cru_net *to, const cru_net *from)
{
    blend(to->ctx, &to->weights, &from->weights, 0);
    blend(to->ctx, &to->buffers, &from->buffers, 0);
}

void cru_net_ema(cru_net *to, const cru_net *from, double momentum)
{
    blend(to->ctx, &to->weights, &from->weights, (float)momentum);
    blend(to->ctx, &to->buffers, &from->buffers, 0);
}
