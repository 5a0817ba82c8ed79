// SPDX-License-Identifier: Apache-2.0
#include "protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* No honest reply is larger. */
#define PAYLOAD_MAX (UINT64_C(1) << 28)

/* ---- numbers by name ------------------------------------------------------------------------------------- */

typedef struct record_head {
    int64_t count;
    uint64_t name_size; /* with the final NUL, a multiple of 8 */
} record_head;

static bool reserve(records *list, size_t more)
{
    if (list->failed) return false;
    if (list->size + more <= list->space) return true;
    size_t space = list->space ? list->space : 256;
    while (space < list->size + more) space *= 2;
    unsigned char *bytes = realloc(list->bytes, space);
    if (!bytes) {
        list->failed = true;
        return false;
    }
    list->bytes = bytes;
    list->space = space;
    return true;
}

void records_put(records *list, const char *name, const double *values, int64_t count)
{
    size_t length = strlen(name);
    record_head head = {count, (length + 8) / 8 * 8};
    size_t value_size = (size_t)count * sizeof *values;
    if (!reserve(list, sizeof head + head.name_size + value_size)) return;
    unsigned char *at = list->bytes + list->size;
    memcpy(at, &head, sizeof head);
    memset(at + sizeof head, 0, head.name_size);
    memcpy(at + sizeof head, name, length);
    if (value_size) memcpy(at + sizeof head + head.name_size, values, value_size);
    list->size += sizeof head + head.name_size + value_size;
}

void records_free(records *list)
{
    free(list->bytes);
    *list = (records){0};
}

bool records_next(const records *list, size_t *position, record *out)
{
    record_head head;
    size_t left = list->size - *position;
    if (*position > list->size || left < sizeof head) return false;
    const unsigned char *at = list->bytes + *position;
    memcpy(&head, at, sizeof head);
    left -= sizeof head;
    if (head.count < 0 || head.name_size < 8 || head.name_size % 8 || head.name_size > left) return false;
    left -= head.name_size;
    if ((uint64_t)head.count > left / sizeof(double) || at[sizeof head + head.name_size - 1] != 0) return false;
    out->name = (const char *)(at + sizeof head);
    out->values = (const double *)(const void *)(at + sizeof head + head.name_size);
    out->count = head.count;
    *position += sizeof head + head.name_size + (size_t)head.count * sizeof(double);
    return true;
}

/* ---- host and judge -------------------------------------------------------------------------------------- */

static bool write_all(int socket, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int socket, void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        ssize_t n = recv(socket, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

typedef union fd_space {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
} fd_space;

/* The descriptor rides on the first byte; the rest may come in pieces. */
static bool head_send(int socket, const void *head, size_t size, int fd)
{
    if (fd < 0) return write_all(socket, head, size);
    fd_space space = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)head, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    *control = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(control), &fd, sizeof fd);
    ssize_t n;
    do n = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n > 0 && write_all(socket, (const char *)head + n, size - (size_t)n);
}

static bool head_receive(int socket, void *head, size_t size, int *fd)
{
    fd_space space = {.bytes = {0}};
    struct iovec part = {head, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
    ssize_t n;
    *fd = -1;
    do n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    if (control && control->cmsg_type == SCM_RIGHTS) memcpy(fd, CMSG_DATA(control), sizeof *fd);
    if (read_all(socket, (char *)head + n, size - (size_t)n)) return true;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    return false;
}

bool descriptor_send(int socket, int fd)
{
    return head_send(socket, "", 1, fd);
}

bool descriptor_receive(int socket, int *fd)
{
    char byte;
    return head_receive(socket, &byte, 1, fd) && *fd >= 0;
}

bool request_send(int socket, const judge_request *request, int fd)
{
    return head_send(socket, request, sizeof *request, fd);
}

bool request_receive(int socket, judge_request *request, int *fd)
{
    return head_receive(socket, request, sizeof *request, fd);
}

bool reply_send(int socket, const judge_reply *reply, const records *payload, int fd)
{
    judge_reply head = *reply;
    head.payload = payload ? payload->size : 0;
    return head_send(socket, &head, sizeof head, fd) &&
           (!head.payload || write_all(socket, payload->bytes, payload->size));
}

bool reply_receive(int socket, judge_reply *reply, records *payload, int *fd)
{
    *payload = (records){0};
    if (!head_receive(socket, reply, sizeof *reply, fd)) return false;
    reply->text[sizeof reply->text - 1] = 0;
    bool good = reply->payload <= PAYLOAD_MAX;
    if (good && reply->payload) {
        good = reserve(payload, reply->payload) && read_all(socket, payload->bytes, reply->payload);
        payload->size = reply->payload;
    }
    if (good) return true;
    records_free(payload);
    if (*fd >= 0) close(*fd);
    *fd = -1;
    return false;
}

/* ---- scores ---------------------------------------------------------------------------------------------- */

int64_t scores_count(const score_shape *shape)
{
    return shape->items * shape->classes;
}

/* Where the report begins, at a place for doubles. */
static size_t report_start(const score_shape *shape)
{
    const size_t floats = (size_t)(2 * scores_count(shape) + shape->items * shape->embedding);
    return (floats * sizeof(float) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

size_t scores_report_room(const score_shape *shape)
{
    const size_t numbers = (size_t)1 << 14; /* a matrix of 128 x 128; small, for every trial has such a file */
    return (numbers + (shape->weights ? (size_t)shape->items : 0)) * sizeof(double);
}

static size_t scores_size(const score_shape *shape)
{
    return scores_count(shape) ? report_start(shape) + scores_report_room(shape) : 0;
}

unsigned char *scores_report(float *scores, const score_shape *shape)
{
    return (unsigned char *)scores + report_start(shape);
}

float *scores_embedding(float *scores, const score_shape *shape)
{
    return scores + 2 * scores_count(shape);
}

int scores_create(const score_shape *shape)
{
    int fd = memfd_create("scores", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)scores_size(shape)) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    close(fd);
    return -1;
}

float *scores_map(int fd, const score_shape *shape, bool writable)
{
    struct stat info;
    size_t size = scores_size(shape);
    if (fstat(fd, &info) != 0 || (size_t)info.st_size != size || !size) return NULL;
    void *at = mmap(NULL, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void scores_unmap(float *scores, const score_shape *shape)
{
    if (scores) munmap(scores, scores_size(shape));
}

static bool copy_part(int from, int to, const score_shape *shape, size_t start, size_t bytes)
{
    float *source = scores_map(from, shape, false), *target = scores_map(to, shape, true);
    bool good = source && target;
    if (good) memcpy((char *)target + start, (const char *)source + start, bytes);
    scores_unmap(source, shape);
    scores_unmap(target, shape);
    return good;
}

bool scores_copy_checkpoint(int from, int to, const score_shape *shape)
{
    const size_t bytes = (size_t)scores_count(shape) * sizeof(float);
    return copy_part(from, to, shape, bytes, bytes);
}

bool scores_copy_embedding(int from, int to, const score_shape *shape, int64_t cols)
{
    if (cols < 0 || cols > shape->embedding) return false;
    return copy_part(from, to, shape, 2 * (size_t)scores_count(shape) * sizeof(float),
                     (size_t)(shape->items * cols) * sizeof(float));
}

bool scores_copy_report(int from, int to, const score_shape *shape, uint64_t size)
{
    return size <= scores_report_room(shape) && copy_part(from, to, shape, report_start(shape), size);
}
