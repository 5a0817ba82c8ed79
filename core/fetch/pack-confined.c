// SPDX-License-Identifier: Apache-2.0
/* The bytes that pack_open_here gives, from a process that can do nothing else.
 *
 * Libraries that unpack are large and their inputs are from strangers. So a child opens the archive, locked in as the
 * scan of a plugin is: no network, no programs, no files but the archive and the system's libraries, nothing to write
 * to but a pipe. What comes out of it is checked here, like a download: the child's word counts for nothing. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "fetch/pack.h"
#include "process/child.h"
#include "worker/sandbox-rules.h"
#include "worker/sandbox.h"

enum { BLOCK = 1 << 16, MEMORY_MIB = 4096, PATIENCE_SECONDS = 600 };

/* What the child says first. Blocks follow, each after its size; 0 ends them, -1: the archive is damaged. Bytes of one
 * process, read by the same program. */
typedef struct opening {
    cru_error error;
    int64_t size;
} opening;

/* ---- in the child ---------------------------------------------------------------------------------------- */

typedef struct errand {
    const pack_order *order;
    const sandbox *box; /* NULL: the kernel has no locks, which `crucible doctor` says */
} errand;

static cru_status lock_in(const sandbox *box, const char *path, cru_error *err)
{
    const char *const readable[] = {path, NULL};
    sandbox_rules *rules = NULL;
    int ruleset = -1;
    if (!box) return CRU_OK;
    cru_status status = rules_create(&(sandbox_files){.readable = readable, .libraries = true}, &rules, err);
    if (!status) status = rules_make(rules, -1, &ruleset, err);
    rules_destroy(rules);
    return status ? status : sandbox_enter(box, ruleset, err);
}

static int unpack_to(void *user, int fd)
{
    const errand *e = user;
    opening o = {.size = -1};
    pack *from = NULL;
    char bytes[BLOCK];
    cru_status status = lock_in(e->box, e->order->path, &o.error);
    if (!status) status = pack_open_here(e->order, &from, &o.error);
    if (!status) o.size = from->size;
    if (!write_all(fd, &o, sizeof o) || status) return 1;
    for (int64_t got = 1; got > 0;) {
        got = from->read(from, bytes, sizeof bytes);
        if (!write_all(fd, &got, sizeof got) || (got > 0 && !write_all(fd, bytes, (size_t)got))) return 1;
    }
    return 0;
}

/* ---- in the parent --------------------------------------------------------------------------------------- */

typedef struct confined_pack {
    pack base; /* first: a pack is one of these */
    child child;
    int64_t left; /* of the block */
    bool ended;
} confined_pack;

/* All of it, or false. */
static bool hear(confined_pack *c, void *bytes, size_t count)
{
    for (size_t got; count > 0; count -= got) {
        if (child_read(&c->child, bytes, count, &got, PATIENCE_SECONDS) != CHILD_DATA) return false;
        bytes = (char *)bytes + got;
    }
    return true;
}

static int64_t read_confined(pack *p, void *bytes, size_t count)
{
    confined_pack *c = (confined_pack *)p;
    if (!c->left && !c->ended) {
        if (!hear(c, &c->left, sizeof c->left) || c->left < 0 || c->left > BLOCK) c->left = -1;
        c->ended = c->left <= 0;
    }
    if (c->ended) return c->left;
    if ((int64_t)count > c->left) count = (size_t)c->left;
    if (!hear(c, bytes, count)) {
        c->ended = true;
        return c->left = -1;
    }
    c->left -= (int64_t)count;
    return (int64_t)count;
}

static void close_confined(pack *p)
{
    confined_pack *c = (confined_pack *)p;
    child_finish(&c->child);
    free(c);
}

static cru_status hear_opening(confined_pack *c, const pack_order *order, cru_error *err)
{
    opening o;
    if (!hear(c, &o, sizeof o))
        return cru_fail(err, CRU_BAD_INPUT, "%s cannot be unpacked: the process that tried has died", order->url);
    o.error.text[sizeof o.error.text - 1] = 0;
    printable(o.error.text, false);
    if (o.error.status) return cru_fail(err, o.error.status, "%s", o.error.text);
    c->base.size = o.size < 0 ? -1 : o.size;
    return CRU_OK;
}

cru_status pack_open(const pack_order *order, pack **out, cru_error *err)
{
    const child_limits limits = {.data_bytes = (int64_t)MEMORY_MIB << 20, .no_files = true};
    *out = NULL;
    confined_pack *c = calloc(1, sizeof *c);
    if (!c) return cru_fail(err, CRU_NO_MEMORY, "no memory to unpack %s", order->url);
    c->base = (pack){-1, read_confined, close_confined};
    sandbox *box = sandbox_prepare(SANDBOX_SCAN); /* here: it writes to a file in memory, which the child cannot */
    cru_status status = child_start(&c->child, &limits, unpack_to, &(errand){order, box}, err);
    sandbox_destroy(box);
    if (status) {
        free(c);
        return status;
    }
    status = hear_opening(c, order, err);
    if (!status)
        *out = &c->base;
    else
        close_confined(&c->base);
    return status;
}
