// SPDX-License-Identifier: Apache-2.0
/* member.h: the inside of a cru_member, for the files of this folder. */
#ifndef SDK_WRAPPER_MEMBER_H
#define SDK_WRAPPER_MEMBER_H

#include <crucible/wrapper.h>

struct cru_member {
    cru_ctx *outer, *ctx; /* the wrapper's, and its own; the latter NULL without a method */
    const cru_inner *inner;
    const cru_algorithm *method;
    const cru_task *task;
    void *self; /* NULL: it could not be made */
};

bool member_works(const cru_member *m);

/* As the members of cru_algorithm; false: the reason is in the wrapper's context. The method has `embed`. */
bool member_embed(cru_member *m, const float **rows, int64_t *cols);
bool member_report(cru_member *m, cru_report *report); /* nothing, where the method has none */
bool member_widen(cru_member *m, const cru_task *task);

#endif
