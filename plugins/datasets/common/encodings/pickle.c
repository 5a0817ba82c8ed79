// SPDX-License-Identifier: Apache-2.0
#include "pickle.h"

#include <string.h>

#include "pickle-machine.h"

typedef struct global_name {
    const char *module, *name;
    pickle_global global;
} global_name;

static const global_name globals[] = {
    {"scipy.sparse.csr", "csr_matrix", GLOBAL_CSR},
    {"scipy.sparse._csr", "csr_matrix", GLOBAL_CSR},
    {"numpy", "ndarray", GLOBAL_NDARRAY},
    {"numpy", "dtype", GLOBAL_DTYPE},
    {"numpy.core.multiarray", "_reconstruct", GLOBAL_RECONSTRUCT},
    {"numpy._core.multiarray", "_reconstruct", GLOBAL_RECONSTRUCT},
    {"numpy.core.multiarray", "scalar", GLOBAL_SCALAR},
    {"numpy._core.multiarray", "scalar", GLOBAL_SCALAR},
    {"collections", "defaultdict", GLOBAL_DEFAULTDICT},
    {"__builtin__", "list", GLOBAL_LIST},
    {"builtins", "list", GLOBAL_LIST},
    {"__builtin__", "object", GLOBAL_OBJECT},
    {"builtins", "object", GLOBAL_OBJECT},
    {"copy_reg", "_reconstructor", GLOBAL_NEW},
    {"copyreg", "_reconstructor", GLOBAL_NEW},
    {"_codecs", "encode", GLOBAL_ENCODE},
    {"collections", "OrderedDict", GLOBAL_DEFAULTDICT},
    {"torch._utils", "_rebuild_tensor_v2", GLOBAL_TENSOR},
    {"torch", "FloatStorage", GLOBAL_FLOAT_STORAGE},
    {"torch", "DoubleStorage", GLOBAL_DOUBLE_STORAGE},
    {"torch", "LongStorage", GLOBAL_LONG_STORAGE},
    {"torch", "IntStorage", GLOBAL_INT_STORAGE},
    {"torch", "ShortStorage", GLOBAL_SHORT_STORAGE},
    {"torch", "CharStorage", GLOBAL_CHAR_STORAGE},
    {"torch", "ByteStorage", GLOBAL_BYTE_STORAGE},
    {"torch", "BoolStorage", GLOBAL_BOOL_STORAGE},
    {"torch_geometric.data.data", "Data", GLOBAL_GRAPH},
    {"torch_geometric.data.data", "DataEdgeAttr", GLOBAL_GRAPH},
    {"torch_geometric.data.data", "DataTensorAttr", GLOBAL_GRAPH},
    {"torch_geometric.data.storage", "GlobalStorage", GLOBAL_GRAPH},
};

cru_status machine_fail(const machine *m, cru_status status, const char *what)
{
    return cru_fail(m->err, status, "%s: byte %lld: %s", m->file->name, (long long)m->opcode, what);
}

/* Room for one more element of `size` bytes; the new array, or the old one when it has room. */
static void *grow(machine *m, void *old, int64_t count, int64_t *room, size_t size)
{
    if (count < *room) return old;
    int64_t larger = *room > 0 ? 2 * *room : 16;
    void *fresh = cru_arena_try(m->arena, larger, size);
    if (!fresh) return machine_fail(m, CRU_NO_MEMORY, "no memory"), NULL;
    if (count > 0) memcpy(fresh, old, (size_t)count * size);
    *room = larger;
    return fresh;
}

static cru_status push_value(machine *m, pickle_value *v)
{
    pickle_value **stack = grow(m, m->stack, m->height, &m->room, sizeof *stack);
    if (!stack) return CRU_NO_MEMORY;
    m->stack = stack;
    m->stack[m->height++] = v;
    return CRU_OK;
}

pickle_value *machine_push(machine *m, pickle_kind kind)
{
    pickle_value *v = cru_arena_try_zeroed(m->arena, 1, sizeof *v);
    if (!v) return machine_fail(m, CRU_NO_MEMORY, "no memory"), NULL;
    v->kind = kind;
    return push_value(m, v) == CRU_OK ? v : NULL;
}

/* The lowest height that an opcode may pop to: what lies below a mark is out of reach. */
static int64_t floor_of(const machine *m)
{
    return m->mark_count > 0 ? m->marks[m->mark_count - 1] : 0;
}

static cru_status need(const machine *m, int64_t count)
{
    if (m->height - floor_of(m) >= count) return CRU_OK;
    return machine_fail(m, CRU_BAD_INPUT, "the stack is too short");
}

static cru_status push_mark(machine *m)
{
    int64_t *marks = grow(m, m->marks, m->mark_count, &m->mark_room, sizeof *marks);
    if (!marks) return CRU_NO_MEMORY;
    m->marks = marks;
    m->marks[m->mark_count++] = m->height;
    return CRU_OK;
}

static cru_status pop_mark(machine *m, int64_t *height)
{
    if (m->mark_count == 0) return machine_fail(m, CRU_BAD_INPUT, "there is no mark");
    *height = m->marks[--m->mark_count];
    return CRU_OK;
}

static cru_status add_item(machine *m, pickle_value *to, pickle_value *item)
{
    pickle_value **items = grow(m, to->items, to->count, &to->room, sizeof *items);
    if (!items) return CRU_NO_MEMORY;
    to->items = items;
    to->items[to->count++] = item;
    return CRU_OK;
}

/* Moves the values from `first` on into a container of `kind` that takes their place. */
static cru_status collect(machine *m, int64_t first, pickle_kind kind)
{
    int64_t count = m->height - first;
    if (kind == PICKLE_DICT && count % 2 != 0) return machine_fail(m, CRU_BAD_INPUT, "a key without a value");
    pickle_value **items = count > 0 ? cru_arena_try(m->arena, count, sizeof *items) : NULL;
    if (count > 0 && !items) return machine_fail(m, CRU_NO_MEMORY, "no memory");
    if (count > 0) memcpy(items, m->stack + first, (size_t)count * sizeof *items);
    m->height = first;
    pickle_value *v = machine_push(m, kind);
    if (!v) return CRU_NO_MEMORY;
    v->items = items;
    v->count = v->room = count;
    return CRU_OK;
}

static cru_status collect_marked(machine *m, pickle_kind kind)
{
    int64_t first = 0;
    cru_status status = pop_mark(m, &first);
    return status ? status : collect(m, first, kind);
}

/* Adds the values from `first` on to the list or dict below them. */
static cru_status extend(machine *m, int64_t first, pickle_kind kind)
{
    if (first <= floor_of(m)) return machine_fail(m, CRU_BAD_INPUT, "nothing to add items to");
    pickle_value *to = m->stack[first - 1];
    if (to->kind != kind) return machine_fail(m, CRU_BAD_INPUT, "items for something that is no list or dict");
    if (kind == PICKLE_DICT && (m->height - first) % 2 != 0)
        return machine_fail(m, CRU_BAD_INPUT, "a key without a value");
    cru_status status = CRU_OK;
    for (int64_t i = first; i < m->height && !status; i++) status = add_item(m, to, m->stack[i]);
    m->height = first;
    return status;
}

static cru_status extend_marked(machine *m, pickle_kind kind)
{
    int64_t first = 0;
    cru_status status = pop_mark(m, &first);
    return status ? status : extend(m, first, kind);
}

static cru_status push_global(machine *m, const blob *module, const blob *name)
{
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        const global_name *g = &globals[i];
        if ((int64_t)strlen(g->module) != module->size || memcmp(g->module, module->bytes, strlen(g->module)) != 0)
            continue;
        if ((int64_t)strlen(g->name) != name->size || memcmp(g->name, name->bytes, strlen(g->name)) != 0) continue;
        pickle_value *v = machine_push(m, PICKLE_GLOBAL);
        if (!v) return CRU_NO_MEMORY;
        v->global = g->global;
        return CRU_OK;
    }
    return cru_fail(m->err, CRU_UNSUPPORTED, "%s: byte %lld: the pickle wants %.*s.%.*s, which is not allowed",
                    m->file->name, (long long)m->opcode, (int)(module->size < 60 ? module->size : 60),
                    (const char *)module->bytes, (int)(name->size < 60 ? name->size : 60), (const char *)name->bytes);
}

static cru_status line_global(machine *m)
{
    const char *module, *name;
    int64_t module_length, name_length;
    cru_status status = machine_line(m, &module, &module_length);
    if (!status) status = machine_line(m, &name, &name_length);
    if (status) return status;
    return push_global(m, &(blob){.bytes = (const uint8_t *)module, .size = module_length},
                       &(blob){.bytes = (const uint8_t *)name, .size = name_length});
}

static cru_status stack_global(machine *m)
{
    cru_status status = need(m, 2);
    if (status) return status;
    const pickle_value *module = m->stack[m->height - 2], *name = m->stack[m->height - 1];
    if (module->kind != PICKLE_BYTES || name->kind != PICKLE_BYTES)
        return machine_fail(m, CRU_BAD_INPUT, "a global without a name");
    m->height -= 2;
    return push_global(m, &(blob){.bytes = module->bytes, .size = module->size},
                       &(blob){.bytes = name->bytes, .size = name->size});
}

/* _codecs.encode(text, "latin1"): the text is UTF-8 and holds code points below 256 only. */
static cru_status call_encode(machine *m, const pickle_value *args)
{
    const pickle_value *text = pickle_item(args, 0);
    if (!pickle_is(text, PICKLE_BYTES)) return machine_fail(m, CRU_BAD_INPUT, "encode() without a text");
    uint8_t *bytes = cru_arena_try(m->arena, text->size, 1);
    if (!bytes) return machine_fail(m, CRU_NO_MEMORY, "no memory");
    int64_t size = 0;
    for (int64_t i = 0; i < text->size; i++) {
        uint8_t c = text->bytes[i];
        if (c >= 0x80) {
            bool latin = (c == 0xc2 || c == 0xc3) && i + 1 < text->size && (text->bytes[i + 1] & 0xc0) == 0x80;
            if (!latin) return machine_fail(m, CRU_BAD_INPUT, "a text that latin1 cannot encode");
            c = (uint8_t)((c & 3) << 6 | (text->bytes[++i] & 0x3f));
        }
        bytes[size++] = c;
    }
    pickle_value *v = machine_push(m, PICKLE_BYTES);
    if (!v) return CRU_NO_MEMORY;
    v->bytes = bytes;
    v->size = size;
    return CRU_OK;
}

/* REDUCE and NEWOBJ: a global and a tuple of arguments become an object. */
static cru_status call(machine *m)
{
    cru_status status = need(m, 2);
    if (status) return status;
    const pickle_value *callee = m->stack[m->height - 2], *args = m->stack[m->height - 1];
    if (callee->kind != PICKLE_GLOBAL || args->kind != PICKLE_TUPLE)
        return machine_fail(m, CRU_BAD_INPUT, "a call of something that is no global");
    m->height -= 2;
    if (callee->global == GLOBAL_ENCODE) return call_encode(m, args);
    if (callee->global == GLOBAL_DEFAULTDICT) return machine_push(m, PICKLE_DICT) ? CRU_OK : CRU_NO_MEMORY;
    if (callee->global == GLOBAL_NEW) callee = pickle_item(args, 0);
    if (!pickle_is(callee, PICKLE_GLOBAL)) return machine_fail(m, CRU_BAD_INPUT, "an object without a class");
    pickle_value *v = machine_push(m, PICKLE_OBJECT);
    if (!v) return CRU_NO_MEMORY;
    v->global = callee->global;
    v->args = args;
    return CRU_OK;
}

/* BINPERSID: the reader of the file around the pickle knows what the id on the stack stands for. */
static cru_status persist(machine *m)
{
    cru_status status = need(m, 1);
    if (status) return status;
    const pickle_value *id = m->stack[--m->height];
    pickle_value *v = machine_push(m, PICKLE_OBJECT);
    if (!v) return CRU_NO_MEMORY;
    v->global = GLOBAL_PERSISTENT;
    v->args = id;
    return CRU_OK;
}

static cru_status build(machine *m)
{
    cru_status status = need(m, 2);
    if (status) return status;
    pickle_value *object = m->stack[m->height - 2];
    if (object->kind != PICKLE_OBJECT) return machine_fail(m, CRU_BAD_INPUT, "a state for something that is no object");
    object->state = m->stack[--m->height];
    return CRU_OK;
}

/* Indices of the memo run from 0 in every pickler, so an index beyond the file's size is a lie. */
static cru_status memo_put(machine *m, uint64_t index)
{
    cru_status status = need(m, 1);
    if (status) return status;
    if (index >= (uint64_t)m->file->size) return machine_fail(m, CRU_BAD_INPUT, "an impossible memo index");
    while (m->memo_count <= (int64_t)index) {
        pickle_value **memo = grow(m, m->memo, m->memo_count, &m->memo_room, sizeof *memo);
        if (!memo) return CRU_NO_MEMORY;
        m->memo = memo;
        m->memo[m->memo_count++] = NULL;
    }
    m->memo[index] = m->stack[m->height - 1];
    return CRU_OK;
}

static cru_status memo_get(machine *m, uint64_t index)
{
    if (index >= (uint64_t)m->memo_count || !m->memo[index])
        return machine_fail(m, CRU_BAD_INPUT, "an empty place of the memo");
    return push_value(m, m->memo[index]);
}

typedef cru_status memo_use(machine *m, uint64_t index);

static cru_status binary_memo(machine *m, int width, memo_use *use)
{
    uint64_t index;
    cru_status status = machine_number(m, width, &index);
    return status ? status : use(m, index);
}

static cru_status line_memo(machine *m, memo_use *use)
{
    const char *text;
    int64_t length, index;
    cru_status status = machine_line(m, &text, &length);
    if (!status) status = machine_decimal(m, text, length, &index);
    if (!status && index < 0) status = machine_fail(m, CRU_BAD_INPUT, "an impossible memo index");
    return status ? status : use(m, (uint64_t)index);
}

static cru_status pop(machine *m)
{
    if (m->mark_count > 0 && m->marks[m->mark_count - 1] == m->height) {
        m->mark_count--;
        return CRU_OK;
    }
    cru_status status = need(m, 1);
    if (!status) m->height--;
    return status;
}

/* Collects the topmost `count` values into a tuple, or adds them to the container below them. */
static cru_status take_top(machine *m, int64_t count, pickle_kind kind, bool add)
{
    cru_status status = need(m, count);
    if (status) return status;
    return add ? extend(m, m->height - count, kind) : collect(m, m->height - count, kind);
}

static cru_status skip(machine *m, int64_t count)
{
    return machine_bytes(m, (uint64_t)count) ? CRU_OK : machine_fail(m, CRU_BAD_INPUT, "the pickle ends too early");
}

static cru_status run_structure(machine *m, uint8_t op)
{
    int64_t height = 0;
    switch (op) {
    case 0x80:
        return skip(m, 1); /* protocol */
    case 0x95:
        return skip(m, 8); /* frame */
    case '(':
        return push_mark(m);
    case '0':
        return pop(m);
    case '1': {
        cru_status status = pop_mark(m, &height);
        if (!status) m->height = height;
        return status;
    }
    case '2':
        return need(m, 1) == CRU_OK ? push_value(m, m->stack[m->height - 1]) : CRU_BAD_INPUT;
    case ')':
        return collect(m, m->height, PICKLE_TUPLE);
    case ']':
        return collect(m, m->height, PICKLE_LIST);
    case '}':
        return collect(m, m->height, PICKLE_DICT);
    case 0x85:
    case 0x86:
    case 0x87:
        return take_top(m, op - 0x84, PICKLE_TUPLE, false);
    case 't':
        return collect_marked(m, PICKLE_TUPLE);
    case 'l':
        return collect_marked(m, PICKLE_LIST);
    case 'd':
        return collect_marked(m, PICKLE_DICT);
    case 'a':
        return take_top(m, 1, PICKLE_LIST, true);
    case 's':
        return take_top(m, 2, PICKLE_DICT, true);
    case 'e':
        return extend_marked(m, PICKLE_LIST);
    case 'u':
        return extend_marked(m, PICKLE_DICT);
    case 'c':
        return line_global(m);
    case 0x93:
        return stack_global(m);
    case 'R':
    case 0x81:
        return call(m);
    case 'Q':
        return persist(m);
    case 'b':
        return build(m);
    case 'p':
        return line_memo(m, memo_put);
    case 'g':
        return line_memo(m, memo_get);
    case 'q':
        return binary_memo(m, 1, memo_put);
    case 'h':
        return binary_memo(m, 1, memo_get);
    case 'r':
        return binary_memo(m, 4, memo_put);
    case 'j':
        return binary_memo(m, 4, memo_get);
    case 0x94:
        return memo_put(m, (uint64_t)m->memo_count);
    default:
        return machine_fail(m, CRU_UNSUPPORTED, "an opcode that data does not need");
    }
}

cru_status pickle_parse(const blob *file, cru_arena *arena, const pickle_value **out, cru_error *err)
{
    machine m = {.file = file, .arena = arena, .err = err};
    *out = NULL;
    while (m.at < file->size) {
        m.opcode = m.at;
        uint8_t op = file->bytes[m.at++];
        if (op == '.') {
            cru_status status = need(&m, 1);
            if (!status) *out = m.stack[m.height - 1];
            return status;
        }
        bool known;
        cru_status status = machine_scalar(&m, op, &known);
        if (!known) status = run_structure(&m, op);
        if (status) return status;
    }
    m.opcode = m.at;
    return machine_fail(&m, CRU_BAD_INPUT, "the pickle has no end");
}

const pickle_value *pickle_get(const pickle_value *dict, const char *key)
{
    if (!pickle_is(dict, PICKLE_DICT)) return NULL;
    for (int64_t i = 0; i + 1 < dict->count; i += 2) {
        const pickle_value *k = dict->items[i];
        if (k->kind == PICKLE_BYTES && k->size == (int64_t)strlen(key) && memcmp(k->bytes, key, (size_t)k->size) == 0)
            return dict->items[i + 1];
    }
    return NULL;
}

const pickle_value *pickle_item(const pickle_value *list, int64_t i)
{
    bool indexed = pickle_is(list, PICKLE_TUPLE) || pickle_is(list, PICKLE_LIST);
    return indexed && i >= 0 && i < list->count ? list->items[i] : NULL;
}
