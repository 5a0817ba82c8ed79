// SPDX-License-Identifier: Apache-2.0
/* task.h: the learning problem.
 *
 * `cru_task` is what a method sees: the problem after corruption, without truth. `cru_data` is what datasets produce
 * and corruptors change: it also holds the true labels, and exists only in the host's judge process, never in a process
 * in which a method runs. The host makes a task from data with `cru_data_task`, which copies nothing that a method may
 * not know.
 *
 * Items are what is classified or scored: nodes (CRU_NODES, CRU_ANOMALY), graphs (CRU_GRAPHS) or rows (CRU_ROWS). For
 * nodes and rows the features belong to the items themselves. For graphs the features belong to the nodes of one big
 * block-diagonal graph, and graph g owns the nodes graph_offsets[g] .. graph_offsets[g+1]-1. */
#ifndef CRUCIBLE_TASK_H
#define CRUCIBLE_TASK_H

#include <crucible/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Problem kinds; bits, because a plugin claims a set of them. */
typedef enum cru_problem {
    CRU_NODES = 1,   /* classify the nodes of one graph */
    CRU_GRAPHS = 2,  /* classify whole graphs */
    CRU_ANOMALY = 4, /* score the nodes of one graph, class 1 is the anomaly; always two classes */
    CRU_ROWS = 8,    /* classify rows or images, no graph */
} cru_problem;

/* Features: exactly one of `dense` and `sparse.offsets` is set, or none when there are no features (cols = 0). An image
 * has channels > 0 and then cols = channels * height * width, channel-major. */
typedef struct cru_features {
    int64_t rows, cols;
    const float *dense; /* rows x cols, row-major */
    cru_csr sparse;
    int32_t channels, height, width;
} cru_features;

/* One set of items, ids in the order in which they were drawn (some methods depend on it). */
typedef struct cru_ids {
    const int32_t *ids;
    int64_t count;
} cru_ids;

typedef struct cru_split {
    cru_ids train, val, test;
} cru_split;

/* One relation of a multi-relation graph, over the same nodes as the merged graph. */
typedef struct cru_relation {
    const char *name;
    cru_csr graph;
} cru_relation;

#define CRU_UNLABELLED (-1)

typedef struct cru_task {
    uint32_t size; /* sizeof(cru_task) of the host that made it; newer fields are appended */
    cru_problem problem;
    int64_t items;
    int64_t nodes; /* equals items unless problem is CRU_GRAPHS */
    int32_t classes;
    cru_csr graph;                 /* nodes x nodes; zeroed for CRU_ROWS. Edge weights rarely: values is usually NULL */
    const int64_t *graph_offsets;  /* items + 1, for CRU_GRAPHS, else NULL */
    const cru_relation *relations; /* relation_count entries; `graph` is their union, and may have loops */
    int32_t relation_count;
    cru_features x;
    const int32_t *labels;     /* items: observed labels of train and val, CRU_UNLABELLED for all others, and for all
                                * when labels are candidate sets */
    const uint8_t *candidates; /* items x classes, 0/1, rows of train and val only; NULL unless labels are partial */
    cru_split split;           /* test ids are known (transductive), their labels are not */
    uint64_t seed;             /* of the method's own draws: cru_ctx_seed */
} cru_task;

/* ---- below: for dataset, corruptor and metric plugins, and the host ------------------------------------------- */

/* A problem with truth. All arrays live in the data's own memory: get them with cru_data_alloc and store them here;
 * never free. A dataset plugin fills it, each corruptor of the chain edits it (in place, or by allocating a new array
 * and replacing the pointer). */
typedef struct cru_data {
    uint32_t size; /* sizeof(cru_data) */
    cru_problem problem;
    int64_t items, nodes;
    int32_t classes;
    cru_csr graph;
    int64_t *graph_offsets;
    cru_relation *relations;
    int32_t relation_count;
    cru_features x;
    int32_t *truth;      /* items: true labels, CRU_UNLABELLED where the source has none */
    int32_t *labels;     /* items: labels as annotated; starts as a copy of truth, label noise edits it */
    uint8_t *candidates; /* items x classes or NULL */
    cru_split split;     /* the split of this trial; datasets leave it empty, the host sets it before corruptors run */
    cru_split *official; /* splits that come with the data */
    int32_t official_count;
    const char *const *class_names; /* classes entries, or NULL */
    void *memory;                   /* the arena behind all of the above */
    uint64_t seed; /* of the trial, set by the host before corruptors run: for those that repeat the draws of a study
                    * with its own generator (mt19937.h); all others use the stream they are given */
} cru_data;

CRU_API cru_data *cru_data_create(void); /* NULL when there is no memory */
CRU_API void cru_data_destroy(cru_data *data);

/* Zeroed memory, 64-byte aligned, freed with the data. Returns NULL when there is none left or when count * size
 * overflows: parsers pass sizes read from files. */
CRU_API void *cru_data_alloc(cru_data *data, int64_t count, size_t size);

/* Everything the struct's comments promise: sizes agree, ids in range, labels below classes, training items labelled,
 * splits disjoint, relations' union, features finite. Reads all of the data once. Run by the host after every dataset
 * and corruptor, so that a fault is reported where it was made. */
CRU_API cru_status cru_data_check(const cru_data *data, cru_error *err);

/* The task that hides the truth of `data`, which must have passed cru_data_check. Borrows features, graph and split
 * from it; labels and candidates outside train and val are blanked in memory that belongs to `data`. */
CRU_API cru_status cru_data_task(cru_data *data, uint64_t seed, cru_task *task, cru_error *err);

/* ---- one flat memory image: the dataset cache and the shared memory between processes ---------------------------- */

/* An image is a header, a table of named arrays and the arrays, each aligned to 64 bytes; versioned, checksummed, in
 * the machine's byte order, which is checked. Writing replaces the content of `fd`, a regular file or a memfd, and
 * writes the header last: what is not complete is not an image. Opening maps the file and checks every offset and size
 * before anything is used; nothing is copied, and the file may be closed afterwards, but must not be cut while it is
 * mapped. A file that is cut, damaged or foreign is CRU_BAD_INPUT. */
CRU_API cru_status cru_data_write(const cru_data *data, int fd, cru_error *err);
CRU_API cru_status cru_task_write(const cru_task *task, int fd, cru_error *err);

/* The dataset cache: also verifies the checksum over all arrays, at about the speed of memory. The data can be changed
 * like any other; changes stay in this process and never reach the file. Checksums find accidents, not malice: run
 * cru_data_check on files of unknown origin. */
CRU_API cru_status cru_data_map(int fd, cru_data **data, cru_error *err);

/* cru_data_map without reading the arrays: for a file whose checksum was verified before and that nobody has touched
 * since.
 * Header, table, offsets and sizes are checked as always. */
CRU_API cru_status cru_data_map_verified(int fd, cru_data **data, cru_error *err);

/* Shared memory between processes: read-only pages, and only header and table are verified, so that opening costs
 * nothing. The task's pointers live until cru_task_unmap(mapping). On failure *mapping is NULL. */
CRU_API cru_status cru_task_map(int fd, cru_task *task, void **mapping, cru_error *err);
CRU_API void cru_task_unmap(void *mapping);

#ifdef __cplusplus
}
#endif
#endif
