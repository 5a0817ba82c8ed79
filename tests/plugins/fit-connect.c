// SPDX-License-Identifier: Apache-2.0
/* Opens a network connection. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "algorithm-stub.h"

/* To a port of this machine on which nobody listens: refused at once where sockets are allowed. */
static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return cru_ctx_fail(s->ctx, CRU_IO, "the network is forbidden");
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) cru_ctx_log(s->ctx, "nobody listens");
    close(fd);
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("fit-connect", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
