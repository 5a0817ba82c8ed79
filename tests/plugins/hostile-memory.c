// SPDX-License-Identifier: Apache-2.0
/* Looks through all memory that it can reach for a token, without the help of /proc: an address that is not there makes
 * write fail. Fails with "found" when the token is anywhere; `plant` puts it there, to show that it would be found. */
#include "hostile-memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"

enum { PAGE = 4096 };

typedef struct settings {
    bool plant;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, plant, false, "keep the token in memory"),
    CRU_END,
};

static bool readable(const char *address, const int ends[2])
{
    char byte;
    return write(ends[1], address, 1) == 1 && read(ends[0], &byte, 1) == 1;
}

/* Byte by byte, so that the search itself never holds the token in one piece. */
static bool in_page(const char *page)
{
    for (const char *at = page; at + TOKEN <= page + PAGE; at++) {
        int i = 0;
        while (i < TOKEN && at[i] == (char)('A' + (i * i * 7 + 3 * i) % 26)) i++;
        if (i == TOKEN) return true;
    }
    return false;
}

static int64_t search(const void *middle, uint64_t around, const int ends[2], int64_t *seen)
{
    uintptr_t from = ((uintptr_t)middle - around) & ~(uintptr_t)(PAGE - 1), to = (uintptr_t)middle + around;
    int64_t found = 0;
    for (uintptr_t at = from; at < to; at += PAGE) {
        if (!readable((const char *)at, ends)) continue;
        ++*seen;
        found += in_page((const char *)at);
    }
    return found;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const settings *set = s->settings;
    int ends[2], local = 0;
    int64_t seen = 0, found = 0;
    if (pipe2(ends, O_NONBLOCK) != 0) return cru_ctx_fail(s->ctx, CRU_FAILED, "no pipe");
    char *planted = malloc(TOKEN);
    if (set->plant) token_make(planted);
    found += search(planted, 96 << 20, ends, &seen);                   /* the heap, and the program before it */
    found += search(&local, 4 << 20, ends, &seen);                     /* the stack, with the environment */
    found += search((void *)(uintptr_t)&malloc, 1 << 30, ends, &seen); /* mappings */
    if (found) return cru_ctx_fail(s->ctx, CRU_FAILED, "found it on %ld of %ld pages", (long)found, (long)seen);
    if (seen < 100) return cru_ctx_fail(s->ctx, CRU_FAILED, "saw only %ld pages", (long)seen);
    return stub_fit(self, monitor);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-memory",
    .version = "1.0",
    .summary = "looks through its memory",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
