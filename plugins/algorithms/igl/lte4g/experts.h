// SPDX-License-Identifier: Apache-2.0
/* experts.h: the losses and the division of classes of lte4g. */
#ifndef IGL_EXPERTS_H
#define IGL_EXPERTS_H

#include <crucible/crucible.h>

/* (1 - exp(-CE))^gamma CE_w: the mean cross-entropy and that weighed by class */
cru_tensor *focal_mean_loss(cru_tape *t, cru_tensor *z, const cru_targets *weighed, double gamma);

/* T^2 times the mean over rows and classes of p (ln p - ln q), p = softmax(teacher / T), q = softmax(student / T) */
cru_tensor *distillation_loss(cru_tape *t, cru_tensor *teacher, cru_tensor *student, double temperature);

/* cos(pi epoch / (2 epochs)): how much of the head's teaching remains */
double curriculum(int64_t epoch, int64_t epochs);

/* How many of the classes, whose counts descend, are heads: those with at least as many nodes as the class at place
 * floor(0.7 classes), or with more, whichever is nearer to 7 heads for 3 tails; the former when equal. When there would
 * be no tail: ceil(0.7 classes). */
int32_t head_classes(const int64_t *counts, int32_t classes);

/* The classes of a task by their training nodes. */
typedef struct class_division {
    int32_t heads;          /* how many of `order` are head classes */
    int32_t *order, *place; /* the largest first; where each is */
    float *weights;         /* 1 / n_c, 0 for none */
} class_division;
class_division divide_classes(cru_ctx *ctx, const cru_task *task);

#endif
