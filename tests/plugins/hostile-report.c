// SPDX-License-Identifier: Apache-2.0
/* Reports too much, too many, badly named, no numbers; or says over the host's own connection that it wrote a
 * report. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "protocol/protocol.h"

enum { NAMES, VAST, MATRIX, NAN_VALUES, BAD_NAMES, TWICE, LARGER, HOLLOW, FEW_WEIGHTS, NAN_WEIGHTS };
static const char *const things[] = {"names",  "vast",   "matrix",  "nan",         "bad-names", "twice",
                                     "larger", "hollow", "weights", "nan-weights", NULL};

typedef struct settings {
    int64_t thing;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, thing, NAMES, things, "what it reports"),
    CRU_END,
};

/* An outcome of its own, before the true one; the first counts. */
static void say(uint64_t bytes)
{
    worker_message m = {.type = WORKER_OUTCOME, .outcome = STORE_OK, .report_bytes = bytes};
    for (int fd = 3; fd < 16; fd++)
        if (write(fd, &m, sizeof m) == (ssize_t)sizeof m) break;
}

static void report_names(cru_report *report)
{
    char name[32];
    for (int i = 0; i < 1000000; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        cru_report_number(report, name, i);
    }
}

static void report_bad_names(cru_report *report)
{
    static const char *const names[] = {"", ".", "-a", "a/b", "a b", "\033[2J", "a\nb", "\xe2\x80\xae", "a."};
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) cru_report_number(report, names[i], 1);
    cru_report_number(report, longest, 1);
    cru_report_number(report, "fine", 2);
}

static cru_status report(void *self, cru_report *report)
{
    stub *s = self;
    const int64_t thing = ((const settings *)s->settings)->thing, many = 1000000;
    double *numbers = cru_ctx_alloc(s->ctx, many, sizeof *numbers);
    numbers[0] = NAN;
    if (thing == NAMES) report_names(report);
    if (thing == VAST) cru_report_vector(report, "vast", numbers, many);
    if (thing == MATRIX) cru_report_matrix(report, "vast", numbers, INT64_MAX / 2, 3);
    if (thing == NAN_VALUES) cru_report_number(report, "fine", NAN);
    if (thing == BAD_NAMES) report_bad_names(report);
    if (thing == TWICE) cru_report_number(report, "fine", 2);
    if (thing == TWICE) cru_report_number(report, "fine", 3);
    if (thing == LARGER) say(UINT64_MAX);
    if (thing == HOLLOW) say(4096);
    if (thing == FEW_WEIGHTS) cru_report_vector(report, CRU_LABEL_WEIGHT, numbers + 1, 1);
    if (thing == NAN_WEIGHTS) cru_report_vector(report, CRU_LABEL_WEIGHT, numbers, s->task->split.train.count);
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = stub_fit, .predict = stub_predict, .report = report};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-report",
    .version = "1.0",
    .summary = "for tests",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
