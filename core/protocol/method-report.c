// SPDX-License-Identifier: Apache-2.0
#include "protocol/method-report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void records_put_matrix(records *list, const char *name, const double *values, int64_t rows, int64_t cols)
{
    char of_rows[200];
    records_put(list, name, values, rows * cols);
    if (rows == cols) return;
    snprintf(of_rows, sizeof of_rows, "%s.rows", name);
    records_put(list, of_rows, &(double){(double)rows}, 1);
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and, between them, marks: what a table, a file and a terminal can bear. */
static bool name_is_fine(const char *name)
{
    const size_t length = strnlen(name, REPORT_NAME_MOST + 1);
    if (length == 0 || length > REPORT_NAME_MOST) return false;
    for (size_t i = 0; i < length; i++) {
        const bool inside = i > 0 && i + 1 < length;
        if (!is_letter(name[i]) && !(inside && strchr("._-", name[i]))) return false;
    }
    return true;
}

static bool is_known(const records *list, const char *name)
{
    size_t position = 0;
    for (record item; records_next(list, &position, &item);)
        if (strcmp(item.name, name) == 0) return true;
    return false;
}

/* Whether one more record of that name may follow `names` others, which are in `list`. */
static bool may_follow(const records *list, int64_t names, const char *name, char fault[REPORT_FAULT])
{
    if (names >= REPORT_NAMES_MOST)
        snprintf(fault, REPORT_FAULT, "it has more than %d names", REPORT_NAMES_MOST);
    else if (!name_is_fine(name))
        snprintf(fault, REPORT_FAULT, "a name is not made of 1 to %d letters, digits and, inside, . _ -",
                 REPORT_NAME_MOST);
    else if (is_known(list, name))
        snprintf(fault, REPORT_FAULT, "%s is there twice", name);
    else
        return true;
    return false;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static void complain(report_writer *w, const char *fault)
{
    if (!*w->fault) snprintf(w->fault, sizeof w->fault, "%s", fault);
}

/* Whether the writer takes a record of `count` numbers; room is counted generously, with the record's head. */
static bool takes(report_writer *w, const char *name, int64_t count)
{
    enum { HEADS = 2 * (16 + REPORT_NAME_MOST + 16) }; /* of a matrix, two */
    char fault[REPORT_FAULT] = "";
    if (!w->weights && strcmp(name, CRU_LABEL_WEIGHT) == 0) return false;
    if (count < 0 || w->room < w->list.size + HEADS ||
        (uint64_t)count > (w->room - w->list.size - HEADS) / sizeof(double))
        snprintf(fault, sizeof fault, "there is room for %zu numbers", w->room / sizeof(double));
    else if (may_follow(&w->list, w->names, name, fault))
        return true;
    complain(w, fault);
    return false;
}

static void put(void *user, const char *name, const double *values, int64_t count)
{
    report_writer *w = user;
    if (!takes(w, name, count)) return;
    records_put(&w->list, name, values, count);
    w->names++;
}

static void put_matrix(void *user, const char *name, const double *values, int64_t rows, int64_t cols)
{
    report_writer *w = user;
    int64_t count;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &count)) count = -1;
    if (!takes(w, name, count)) return;
    records_put_matrix(&w->list, name, values, rows, cols);
    w->names += rows == cols ? 1 : 2;
}

cru_report report_open(report_writer *w)
{
    return (cru_report){.sink = {.put = put, .put_matrix = put_matrix, .user = w}};
}

size_t report_close(report_writer *w, unsigned char *bytes)
{
    const size_t size = w->list.failed ? 0 : w->list.size;
    if (w->list.failed) complain(w, "there is no memory for it");
    if (size) memcpy(bytes, w->list.bytes, size);
    records_free(&w->list);
    return size;
}

/* ---- taking ---------------------------------------------------------------------------------------------- */

/* A list that looks into the bytes; not to be changed or freed. */
static records view(const unsigned char *bytes, size_t size)
{
    return (records){.bytes = (unsigned char *)(uintptr_t)bytes, .size = size};
}

bool report_take(const unsigned char *bytes, size_t size, bool weights, records *into, char fault[REPORT_FAULT])
{
    const records given = view(bytes, size);
    records seen = {0};
    size_t position = 0;
    int64_t names = 0;
    char full[REPORT_NAME_MOST + sizeof "method."];
    bool good = true;
    *fault = 0;
    for (record item; good && records_next(&given, &position, &item);) {
        good = may_follow(&seen, names++, item.name, fault);
        if (!good) break;
        records_put(&seen, item.name, NULL, 0);
        if (!weights && strcmp(item.name, CRU_LABEL_WEIGHT) == 0) continue;
        snprintf(full, sizeof full, "method.%s", item.name);
        records_put(into, full, item.values, item.count);
    }
    if (good && position != size) snprintf(fault, REPORT_FAULT, "its bytes do not hold whole numbers");
    if (good && (seen.failed || into->failed)) snprintf(fault, REPORT_FAULT, "there is no memory for it");
    records_free(&seen);
    if (*fault) records_free(into);
    return !*fault;
}

bool report_find_weights(const unsigned char *bytes, size_t size, record *out)
{
    const records given = view(bytes, size);
    size_t position = 0;
    for (int64_t names = 0; names < REPORT_NAMES_MOST && records_next(&given, &position, out); names++)
        if (strcmp(out->name, CRU_LABEL_WEIGHT) == 0) return true;
    return false;
}
