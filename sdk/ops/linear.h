/* linear.h: the parts that linear layers over dense and over sparse inputs share. */
#ifndef SDK_OPS_LINEAR_H
#define SDK_OPS_LINEAR_H

#include "autograd/tape.h"

void linear_check(const char *name, int64_t in, const cru_tensor *w, const cru_tensor *b, cru_unary act);

/* y = act(y + bias), in place; bias may be NULL. */
void linear_finish(cru_tape *t, cru_tensor *y, const cru_tensor *bias, cru_unary act);

/* Turns y->grad into the gradient before bias and activation, in place, and adds to the bias' gradient. */
void linear_unfinish(cru_tape *t, const cru_tensor *y, cru_tensor *bias, cru_unary act);

#endif
