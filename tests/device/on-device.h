// SPDX-License-Identifier: Apache-2.0
/* on-device.h: the device that the tests of operators run on, and the values that lie there.
 *
 * CRUCIBLE_TEST_DEVICE names it: the CPU when it is not set; `cuda` for the plugin of this build, or the path of a
 * backend plugin; then, if wanted, a colon and the number of the card. The host cannot read the memory of a card, so
 * tests look at tensors through the functions below, and the same programs run on every device. */
#ifndef TESTS_ON_DEVICE_H
#define TESTS_ON_DEVICE_H

#include <crucible/nn.h>
#include <crucible/tensor.h>

/* NULL: the CPU. */
const cru_backend *test_device(void);
int32_t test_device_card(void);

/* A context on the device, unless the options choose a backend themselves. */
cru_ctx *test_ctx(const cru_ctx_options *options);

/* Reading waits for the work of all contexts that test_ctx made. Copies live as long as the newest of them. */
float test_value(const cru_tensor *x, int64_t i);
const float *test_values(const cru_tensor *x);
const float *test_grad(const cru_tensor *weight); /* as cru_weight_grad: NULL when there is none */
const int32_t *test_index(cru_index index);

void test_put(cru_tensor *x, int64_t i, float value);
void test_add(cru_tensor *x, int64_t i, float value);
void test_write(cru_tensor *x, const float *values);

/* The kernels of `inner` for arguments in host memory: every array goes to the device and comes back. Inputs must come
 * back as they were, and nothing may be written beside an array. */
const cru_backend *staged_backend(const cru_backend *inner);

/* The kernels of `inner`; arguments must be memory that it gave out. */
const cru_backend *checked_backend(const cru_backend *inner);

/* `inner`, and for every kernel that is called a line with its name in the file `folder`/<name of the program>. */
const cru_backend *recorded_backend(const cru_backend *inner, const char *folder);

#endif
