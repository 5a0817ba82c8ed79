// SPDX-License-Identifier: Apache-2.0
/* protocol.h: what host, judge and workers say to each other.
 *
 * Host and judge talk over a stream socket: fixed-size requests, replies with a payload of named number lists, each
 * with at most one file descriptor. Both ends are the same program, forked, so structs travel as they are in memory; a
 * trial is named by its index in the experiment, which the judge inherited.
 *
 * A worker talks to the host over a packet socket: one worker_message per packet, one byte back for a checkpoint, and
 * one with a file descriptor for WORKER_LEARNED.
 * A worker runs foreign code and may send anything: the host checks every packet. Times are the host's, measured when a
 * packet comes; how good scores are is the judge's to say. */
#ifndef CORE_RUNNER_PROTOCOL_H
#define CORE_RUNNER_PROTOCOL_H

#include <stdbool.h>

#include <crucible/status.h>

#include "base/sha256.h"
#include "config/settings.h"
#include "store/store.h"

/* ---- numbers by name ------------------------------------------------------------------------------------- */

/* A growing list of (name, values). Zeroed is empty. */
typedef struct records {
    unsigned char *bytes;
    size_t size, space;
    bool failed; /* memory ran out; the list is then not to be used */
} records;

void records_put(records *list, const char *name, const double *values, int64_t count);
void records_free(records *list);

typedef struct record {
    const char *name; /* points into the list */
    const double *values;
    int64_t count;
} record;

/* The record at *position, which moves on. False at the end or where the bytes do not hold a whole record. */
bool records_next(const records *list, size_t *position, record *out);

/* ---- host and judge -------------------------------------------------------------------------------------- */

typedef enum judge_op {
    JUDGE_CHECKSUM = 1, /* of the trial's dataset; reply: text */
    JUDGE_PREPARE,      /* reply: the task as a sealed memory file, items, classes, what the corruptors reported */
    JUDGE_WHOLE,        /* the same with nothing but truth hidden, for a worker that has learned inductively */
    JUDGE_SCORE,        /* carries the scores; reply: metrics, `value` and `observed` */
    JUDGE_CHECKPOINT,   /* carries scores that no worker can see; reply: true validation accuracy. When it is above
                           `best`, the checkpoint has been copied over the final scores */
} judge_op;

typedef struct judge_request {
    uint64_t ticket; /* comes back with the reply */
    judge_op op;
    int64_t trial; /* index of any trial with the same dataset, split, corruption and seed */
    double best;
    double seconds_total, seconds_to_best;
    int64_t peak_bytes;
    int64_t embedding_cols; /* 0: the method has none */
    uint64_t report_bytes;  /* with the scores; 0: none */
    uint64_t known;         /* bit i: metric i of the trial was measured before and is left out */
    monitor_settings
        rule; /* by which validation is measured; scores that are not finite are judged, too, if it says so */
} judge_request;

typedef struct judge_reply {
    uint64_t ticket;
    cru_status status;
    bool no_data;   /* it failed because the dataset's files are missing or damaged */
    bool ours;      /* it failed for want of memory, processes or files of ours: nobody's fault, and no result */
    char text[500]; /* the failure, or the checksum */
    int64_t items;
    int32_t classes;
    double value;     /* true validation accuracy; NAN: none */
    double observed;  /* by which a search compares, on observed validation labels; NAN: none */
    double ruled;     /* by which the rule chooses, on the same; NAN: none */
    uint64_t payload; /* bytes of records that follow */
} judge_reply;

/* Blocking; `fd` -1 sends none. False: the other end is gone. */
bool request_send(int socket, const judge_request *request, int fd);
bool request_receive(int socket, judge_request *request, int *fd);
bool reply_send(int socket, const judge_reply *reply, const records *payload, int fd);
bool reply_receive(int socket, judge_reply *reply, records *payload, int *fd);

/* A single byte with a descriptor, on a socket of either kind. */
bool descriptor_send(int socket, int fd);
bool descriptor_receive(int socket, int *fd); /* false when none came */

/* ---- scores ---------------------------------------------------------------------------------------------- */

/* The memory file between worker, host and judge: final scores, then the latest checkpoint, both items x classes, then
 * room for an embedding of up to `embedding` columns, then room for what the method reports (method-report.h). Only
 * what is written takes memory. */
typedef struct score_shape {
    int64_t items;
    int32_t classes;
    int32_t embedding; /* 0: nobody asks for one */
    int64_t weights;   /* 1: somebody asks for label weights, which the report has room for then; as wide as the first,
                        * so that no byte of the struct, which travels, is left unset */
    int64_t spare;     /* which of the two no metric asks for, so that one that cannot be judged is no fault */
} score_shape;

enum { SPARE_EMBEDDING = 1, SPARE_WEIGHTS = 2 };

enum { EMBEDDING_MOST = 4096 };

int64_t scores_count(const score_shape *shape); /* of one of the first two */

/* Where the embedding begins in a mapped file. */
float *scores_embedding(float *scores, const score_shape *shape);

/* Where the report begins in a mapped file, and the bytes that it may have. */
unsigned char *scores_report(float *scores, const score_shape *shape);
size_t scores_report_room(const score_shape *shape);

/* A file of the right size that can neither shrink nor grow; -1 with errno on failure. */
int scores_create(const score_shape *shape);

/* Copies the latest checkpoint, or `cols` columns of the embedding, from one file to another of the same shape. False:
 * one cannot be mapped. */
bool scores_copy_checkpoint(int from, int to, const score_shape *shape);
bool scores_copy_embedding(int from, int to, const score_shape *shape, int64_t cols);

/* Copies the first `size` bytes of the report. */
bool scores_copy_report(int from, int to, const score_shape *shape, uint64_t size);

/* Maps it, after checking its size; NULL on failure. */
float *scores_map(int fd, const score_shape *shape, bool writable);
void scores_unmap(float *scores, const score_shape *shape);

/* ---- worker to host -------------------------------------------------------------------------------------- */

typedef enum worker_message_type {
    WORKER_POINT = 1,
    WORKER_BETTER, /* the weights of this epoch are the best so far by the rule; `loss` is of validation */
    WORKER_CHECKPOINT,
    WORKER_LEARNED, /* inductively; wants the whole task */
    WORKER_ALONE,   /* this worker serves the first rule only */
    WORKER_OUTCOME,
} worker_message_type;

enum { SHARE_ALL = -1 };

typedef struct worker_message {
    worker_message_type type;
    int32_t share; /* which of the trials that share the training; SHARE_ALL: an outcome of all of them */
    /* point, better, checkpoint */
    int64_t epoch;
    double loss, value;
    /* outcome */
    store_outcome outcome;
    double seconds_construct, seconds_train; /* parts of the time that the host measures; the rest is prediction */
    int64_t embedding_cols;
    uint64_t report_bytes; /* of method-report.h */
    bool diverged;         /* why it failed */
    char text[500];        /* why it failed, or what it warns of */
} worker_message;

#endif
