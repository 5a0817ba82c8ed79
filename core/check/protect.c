// SPDX-License-Identifier: Apache-2.0
#include "check/protect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/case.h"
#include "process/child.h"

/* State of the process, because a signal handler has no other way to its context. */
static struct {
    int fd;
    const char *begin, *end;
} guard;

static void on_fault(int number, siginfo_t *info, void *context)
{
    static const verdict caught = {.state = CHECK_FAILED, .text = "writes to its inputs"};
    const char *address = info->si_addr;
    (void)context;
    if (address >= guard.begin && address < guard.end) {
        write_all(guard.fd, &caught, sizeof caught);
        _exit(0);
    }
    signal(number, SIG_DFL); /* the faulting instruction runs again and ends the process as it would have */
}

void protect_report_to(int fd)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    guard.fd = fd;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

typedef struct pages {
    char *begin;
    size_t size, used;
} pages;

/* A copy of `count` elements, or NULL for an array that is not there. With no pages yet only the size is counted. */
static const void *put(pages *p, const void *from, int64_t count, size_t size)
{
    enum { ALIGNMENT = 64 };
    if (!from) return NULL;
    size_t bytes = (size_t)count * size;
    char *to = p->begin ? p->begin + p->used : NULL;
    p->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

static cru_csr put_csr(pages *p, const cru_csr *a)
{
    cru_csr copy = *a;
    const int64_t entries = cru_csr_nnz(a);
    copy.offsets = put(p, a->offsets, a->rows + 1, sizeof *a->offsets);
    copy.ids = put(p, a->ids, entries, sizeof *a->ids);
    copy.values = put(p, a->values, entries, sizeof *a->values);
    return copy;
}

static cru_ids put_ids(pages *p, const cru_ids *ids)
{
    return (cru_ids){.ids = put(p, ids->ids, ids->count, sizeof *ids->ids), .count = ids->count};
}

static const cru_task *put_task(pages *p, const cru_task *task)
{
    cru_task copy = *task;
    copy.graph = put_csr(p, &task->graph);
    copy.graph_offsets = put(p, task->graph_offsets, task->items + 1, sizeof *task->graph_offsets);
    copy.x.dense = put(p, task->x.dense, task->x.rows * task->x.cols, sizeof *task->x.dense);
    copy.x.sparse = put_csr(p, &task->x.sparse);
    copy.labels = put(p, task->labels, task->items, sizeof *task->labels);
    copy.candidates = put(p, task->candidates, task->items * task->classes, 1);
    copy.split.train = put_ids(p, &task->split.train);
    copy.split.val = put_ids(p, &task->split.val);
    copy.split.test = put_ids(p, &task->split.test);
    return put(p, &copy, 1, sizeof copy);
}

protected_inputs protect_inputs(const cru_task *task, const void *settings, size_t settings_size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pages p = {0};
    put_task(&p, task);
    put(&p, settings, (int64_t)settings_size, 1);
    p.size = (p.used / page + 1) * page;
    p.used = 0;
    p.begin = mmap(NULL, p.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p.begin == MAP_FAILED) cru_panic(CRU_NO_MEMORY, "no memory for a task of %zu bytes", p.size);
    protected_inputs inputs = {.pages = p.begin, .size = p.size};
    inputs.task = put_task(&p, task);
    inputs.settings = put(&p, settings, (int64_t)settings_size, 1);
    mprotect(p.begin, p.size, PROT_READ);
    guard.begin = p.begin;
    guard.end = p.begin + p.size;
    return inputs;
}

void protect_free(protected_inputs *inputs)
{
    munmap(inputs->pages, inputs->size);
    guard.begin = guard.end = NULL;
}
