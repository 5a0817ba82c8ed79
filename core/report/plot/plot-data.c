// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot-data.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/table/texts.h"

enum { BYTES_MOST = 1 << 30, COLUMNS_MOST = 100000 };

typedef struct reading {
    plot_data *d;
    texts classes;
    char *text; /* the file, ended by a 0 */
    size_t size;
    int64_t line;
} reading;

static cru_status wrong(const reading *r, const char *what, cru_error *err)
{
    if (r->line) return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %s", r->d->path, (long long)r->line, what);
    return cru_fail(err, CRU_BAD_INPUT, "%s: %s", r->d->path, what);
}

/* "-" is standard input. */
static cru_status read_all(reading *r, const char *path, cru_error *err)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    size_t room = 0;
    cru_status status = CRU_OK;
    r->text = NULL;
    r->size = 0;
    do {
        if (r->size + 1 >= room) {
            char *larger = room < BYTES_MOST ? realloc(r->text, room = room ? 2 * room : 65536) : NULL;
            if (!larger) status = cru_fail(err, CRU_BAD_INPUT, "%s: larger than a picture can use", path);
            if (larger) r->text = larger;
        }
        if (!status) r->size += fread(r->text + r->size, 1, room - r->size - 1, file);
    } while (!status && !feof(file) && !ferror(file));
    if (!status && ferror(file)) status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (file != stdin) fclose(file);
    if (!status) r->text[r->size] = '\0';
    return status;
}

static const char *copy(cru_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(cru_arena_alloc(arena, (int64_t)bytes, 1), text, bytes);
}

/* ---- CSV ------------------------------------------------------------------------------------------------- */

/* Takes the next field from *at, in place: unquoted, ended by a 0. *last: the line ends with it. NULL: bad quotes. */
static char *next_field(char **at, bool *last)
{
    char *from = *at, *out = *at, *p = *at;
    bool quoted = *p == '"';
    if (quoted) from = out = ++p;
    while (*p && (quoted || (*p != ',' && *p != '\n'))) {
        if (quoted && *p == '"' && p[1] != '"') break;
        if (quoted && *p == '"') p++;
        *out++ = *p++;
    }
    if (quoted && *p++ != '"') return NULL;
    if (*p == '\r' && (p[1] == '\n' || !p[1])) p++;
    if (*p && *p != ',' && *p != '\n') return NULL;
    *last = *p != ',';
    *at = *p ? p + 1 : p;
    if (!quoted && out > from && out[-1] == '\r') out--;
    *out = '\0';
    return from;
}

typedef enum field_kind { FIELD_NUMBER, FIELD_CLASS, FIELD_NAME, FIELD_PREDICTION } field_kind;

typedef struct field {
    field_kind kind;
    int32_t index; /* of the number or the prediction */
} field;

static field kind_of(plot_data *d, const char *name, const char **names)
{
    if (strcmp(name, "class") == 0 || strcmp(name, "label") == 0) return (field){FIELD_CLASS, 0};
    if (strcmp(name, "name") == 0) return (field){FIELD_NAME, 0};
    if (strncmp(name, "predicted ", 10) == 0 && d->prediction_count < PLOT_PREDICTIONS) {
        d->predictions[d->prediction_count].name = copy(d->arena, name + 10);
        return (field){FIELD_PREDICTION, d->prediction_count++};
    }
    names[d->cols] = copy(d->arena, name);
    return (field){FIELD_NUMBER, (int32_t)d->cols++};
}

static cru_status read_head(reading *r, char **at, field **fields, int64_t *count, cru_error *err)
{
    plot_data *d = r->d;
    int64_t commas = 1;
    for (const char *p = *at; *p && *p != '\n'; p++) commas += *p == ',';
    if (commas > COLUMNS_MOST) return wrong(r, "too many columns", err);
    *fields = cru_arena_alloc(d->arena, commas, sizeof **fields);
    d->names = cru_arena_alloc(d->arena, commas, sizeof *d->names);
    *count = 0;
    r->line = 1;
    for (bool last = false; !last;) {
        char *name = next_field(at, &last);
        if (!name) return wrong(r, "a quote that does not end", err);
        if (*count == commas) return wrong(r, "a name that goes on in the next line", err);
        (*fields)[(*count)++] = kind_of(d, name, d->names);
    }
    return CRU_OK;
}

static void make_room(reading *r, const char *at, const field *fields, int64_t count)
{
    plot_data *d = r->d;
    int64_t lines = 1;
    for (const char *p = at; *p; p++) lines += *p == '\n';
    d->values = cru_arena_alloc(d->arena, lines * d->cols, sizeof *d->values);
    for (int64_t i = 0; i < count; i++) {
        if (fields[i].kind == FIELD_CLASS) d->truth.ids = cru_arena_alloc(d->arena, lines, sizeof *d->truth.ids);
        if (fields[i].kind == FIELD_NAME) d->row_names = cru_arena_alloc(d->arena, lines, sizeof *d->row_names);
    }
    for (int32_t i = 0; i < d->prediction_count; i++)
        d->predictions[i].ids = cru_arena_alloc(d->arena, lines, sizeof *d->predictions[i].ids);
}

static cru_status take_field(reading *r, const field *f, const char *text, cru_error *err)
{
    plot_data *d = r->d;
    char *end;
    switch (f->kind) {
    case FIELD_CLASS:
        d->truth.ids[d->rows] = texts_add(&r->classes, text);
        return CRU_OK;
    case FIELD_NAME:
        d->row_names[d->rows] = copy(d->arena, text);
        return CRU_OK;
    case FIELD_PREDICTION:
        d->predictions[f->index].ids[d->rows] = texts_add(&r->classes, text);
        return CRU_OK;
    case FIELD_NUMBER:
        break;
    }
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) return wrong(r, "a number is expected", err);
    d->values[d->rows * d->cols + f->index] = (float)value;
    return CRU_OK;
}

static cru_status read_csv(reading *r, cru_error *err)
{
    char *at = r->text;
    field *fields = NULL;
    int64_t count = 0;
    cru_status status = read_head(r, &at, &fields, &count, err);
    if (status) return status;
    make_room(r, at, fields, count);
    while (*at) {
        bool last = false;
        r->line++;
        for (int64_t i = 0; i < count; i++) {
            char *text = last ? NULL : next_field(&at, &last);
            if (!text) return wrong(r, "fewer values than names, or a quote that does not end", err);
            status = take_field(r, &fields[i], text, err);
            if (status) return status;
        }
        if (!last) return wrong(r, "more values than names", err);
        r->d->rows++;
    }
    r->line = 0;
    return r->d->rows ? CRU_OK : wrong(r, "no values", err);
}

/* ---- NPY ------------------------------------------------------------------------------------------------- */

typedef struct npy {
    char type; /* 'f', 'i' or 'u' */
    int bytes; /* of a number */
    int64_t rows, cols;
    size_t offset; /* of the numbers */
} npy;

/* The header is a Python dictionary; of it the type, the order and the shape are needed. */
static cru_status read_npy_head(const reading *r, npy *n, cru_error *err)
{
    if (r->size < 12 || memcmp(r->text, "\x93NUMPY", 6) != 0 || r->text[6] < 1 || r->text[6] > 2)
        return wrong(r, "not a NPY file of version 1 or 2", err);
    const unsigned char *b = (const unsigned char *)r->text;
    size_t skip = b[6] == 1 ? 10 : 12, length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] == 2) length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (length > r->size - skip || length > 4096) return wrong(r, "the header is cut off", err);
    char head[4097];
    memcpy(head, r->text + skip, length);
    head[length] = '\0';
    const char *type = strstr(head, "'descr': '<"), *shape = strstr(head, "'shape': (");
    if (!type) type = strstr(head, "'descr': '|");
    if (!type || !shape || strstr(head, "'fortran_order': True"))
        return wrong(r, "only little-endian arrays of numbers in C order can be read", err);
    n->type = type[11];
    n->bytes = type[12] - '0';
    char *end;
    n->rows = strtoll(shape + 10, &end, 10);
    n->cols = *end == ',' && end[1] == ' ' ? strtoll(end + 2, &end, 10) : 1;
    if (*end == ',') end++;
    n->offset = skip + length;
    if (*end != ')' || n->rows < 1 || n->cols < 1 || n->rows > INT32_MAX || n->cols > COLUMNS_MOST)
        return wrong(r, "a vector or a matrix with numbers in it is expected", err);
    bool known =
        (n->type == 'f' && (n->bytes == 4 || n->bytes == 8)) ||
        ((n->type == 'i' || n->type == 'u') && (n->bytes == 1 || n->bytes == 2 || n->bytes == 4 || n->bytes == 8));
    if (!known || type[13] != '\'') return wrong(r, "numbers are f4, f8 or whole ones", err);
    if ((r->size - n->offset) / (size_t)n->bytes / (size_t)n->cols < (size_t)n->rows)
        return wrong(r, "the numbers are cut off", err);
    return CRU_OK;
}

static double npy_number(const reading *r, const npy *n, int64_t i)
{
    const char *at = r->text + n->offset + (size_t)i * (size_t)n->bytes;
    float single;
    double number;
    int64_t whole = 0;
    if (n->type == 'f') {
        memcpy(&single, at, sizeof single);
        if (n->bytes == 4) return (double)single;
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&whole, at, (size_t)n->bytes);
    int spare = 64 - 8 * n->bytes;
    if (n->type == 'i' && spare) whole = (int64_t)((uint64_t)whole << spare) >> spare;
    return (double)whole;
}

static cru_status read_npy(reading *r, cru_error *err)
{
    npy n = {0};
    plot_data *d = r->d;
    cru_status status = read_npy_head(r, &n, err);
    if (status) return status;
    d->rows = n.rows;
    d->cols = n.cols;
    d->values = cru_arena_alloc(d->arena, n.rows * n.cols, sizeof *d->values);
    for (int64_t i = 0; i < n.rows * n.cols; i++) {
        d->values[i] = (float)npy_number(r, &n, i);
        if (!isfinite(d->values[i])) return wrong(r, "a number is not finite", err);
    }
    return CRU_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static const char *text_of(const plot_data *d, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? copy(d->arena, item->valuestring) : "";
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void add_histogram(plot_data *d, const cJSON *list, const char *title, bool degrees)
{
    int64_t count = cJSON_GetArraySize(list), at = 0;
    if (count == 0 || d->histogram_count == PLOT_HISTOGRAMS) return;
    plot_histogram_data *h = &d->histograms[d->histogram_count++];
    *h = (plot_histogram_data){.title = title,
                               .what = degrees ? "degree" : "class",
                               .count = count,
                               .names = cru_arena_alloc(d->arena, count, sizeof *h->names),
                               .values = cru_arena_alloc(d->arena, count, sizeof *h->values)};
    for (const cJSON *item = list->child; item && at < count; item = item->next, at++) {
        char *range = cru_arena_alloc(d->arena, 64, 1);
        double from = number_of(item, "from"), to = number_of(item, "to");
        snprintf(range, 64, from == to ? "%.0f" : "%.0f-%.0f", from, to);
        h->names[at] = degrees ? range : text_of(d, item, "name");
        h->values[at] = number_of(item, degrees ? "nodes" : "items");
    }
}

static void take_dataset(plot_data *d, const cJSON *object)
{
    const char *title = text_of(d, object, "name");
    const cJSON *classes = cJSON_GetObjectItemCaseSensitive(object, "classes");
    const cJSON *degree = cJSON_GetObjectItemCaseSensitive(object, "degree");
    const cJSON *bins = degree ? cJSON_GetObjectItemCaseSensitive(degree, "histogram") : NULL;
    if (cJSON_IsArray(classes)) add_histogram(d, classes, title, false);
    if (cJSON_IsArray(bins)) add_histogram(d, bins, title, true);
}

/* One object, an array of them, or several one after the other. */
static cru_status read_json(reading *r, cru_error *err)
{
    const char *at = r->text;
    while (at[strspn(at, " \t\r\n")]) {
        cJSON *root = cJSON_ParseWithOpts(at, &at, false);
        if (!root) return wrong(r, "not the JSON that 'crucible stats --json' prints", err);
        if (cJSON_IsArray(root))
            for (const cJSON *item = root->child; item; item = item->next) take_dataset(r->d, item);
        else
            take_dataset(r->d, root);
        cJSON_Delete(root);
    }
    return r->d->histogram_count ? CRU_OK : wrong(r, "holds neither classes nor degrees", err);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static cru_status parse(reading *r, const char *path, cru_error *err)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".npy") == 0) return read_npy(r, err);
    if ((dot && strcmp(dot, ".json") == 0) || r->text[0] == '{' || r->text[0] == '[') return read_json(r, err);
    if (strlen(r->text) != r->size) return wrong(r, "not a text; CSV, NPY and JSON can be read", err);
    return read_csv(r, err);
}

/* The only column of another file holds the classes: "class", or one of numbers. */
static cru_status read_labels(reading *r, const char *path, cru_error *err)
{
    plot_data *other;
    cru_status status = plot_data_read(path, NULL, &other, err);
    if (status) return status;
    plot_data *d = r->d;
    if (other->rows != d->rows || (!other->truth.ids && other->cols != 1))
        status = cru_fail(err, CRU_BAD_INPUT, "%s: one class for each of the %lld rows of %s is expected", path,
                          (long long)d->rows, d->path);
    if (!status) d->truth.ids = cru_arena_alloc(d->arena, d->rows, sizeof *d->truth.ids);
    for (int64_t i = 0; !status && i < d->rows; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.7g", other->truth.ids ? 0 : (double)other->values[i]);
        d->truth.ids[i] = texts_add(&r->classes, other->truth.ids ? other->class_names[other->truth.ids[i]] : number);
    }
    plot_data_destroy(other);
    return status;
}

/* Starts an empty one. NULL: no memory. */
static plot_data *start(const char *path, reading *r)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) return NULL;
    plot_data *d = cru_arena_alloc_zeroed(arena, 1, sizeof *d);
    d->arena = arena;
    d->path = copy(arena, path);
    d->truth.name = "";
    *r = (reading){.d = d, .classes.arena = arena};
    return d;
}

/* Hands the data over, or destroys it after a failure. */
static cru_status finish(reading *r, cru_status status, plot_data **out)
{
    r->d->class_names = r->classes.text;
    r->d->class_count = r->classes.count;
    free(r->text);
    if (status)
        plot_data_destroy(r->d);
    else
        *out = r->d;
    return status;
}

cru_status plot_data_read(const char *path, const char *labels, plot_data **out, cru_error *err)
{
    reading r;
    *out = NULL;
    if (!start(path, &r)) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    cru_status status = read_all(&r, path, err);
    if (!status) status = parse(&r, path, err);
    if (!status && labels) status = read_labels(&r, labels, err);
    return finish(&r, status, out);
}

cru_status plot_data_parse(const char *path, const char *bytes, size_t size, plot_data **out, cru_error *err)
{
    reading r;
    *out = NULL;
    if (!start(path, &r)) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    r.text = malloc(size + 1);
    if (!r.text) return finish(&r, cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path), out);
    memcpy(r.text, bytes, size);
    r.text[size] = '\0';
    r.size = size;
    return finish(&r, parse(&r, path, err), out);
}

void plot_data_destroy(plot_data *d)
{
    if (d) cru_arena_destroy(d->arena);
}
