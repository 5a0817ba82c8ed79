// SPDX-License-Identifier: Apache-2.0
/* Kernels as loops. `launch` runs the threads one after the other, few of them, since kernels stride over their items
 * anyway; `launch_blocks` runs the threads of a block as coroutines that change at every __syncthreads. */
#ifndef EMULATED_LAUNCH_H
#define EMULATED_LAUNCH_H

#include <cuda_runtime.h>
#include <functional>

/* Whether the launch may begin; otherwise cudaGetLastError tells why not. Opens device memory to this thread. */
bool emulated_begin();
void emulated_end();

/* Runs the threads of one block together. */
void emulated_block(unsigned threads, const std::function<void()> &thread);

template <class... Params, class... Args>
void launch(int blocks, int threads, cudaStream_t, void (*kernel)(Params...), Args... args)
{
    const unsigned few_blocks = blocks < 2 ? 1 : 2, few_threads = threads < 3 ? static_cast<unsigned>(threads) : 3;
    if (!emulated_begin()) return;
    gridDim = {few_blocks, 1, 1};
    blockDim = {few_threads, 1, 1};
    for (unsigned b = 0; b < few_blocks; b++)
        for (unsigned t = 0; t < few_threads; t++) {
            blockIdx = {b, 0, 0};
            threadIdx = {t, 0, 0};
            kernel(args...);
        }
    emulated_end();
}

template <class... Params, class... Args>
void launch_blocks(int blocks, int threads, cudaStream_t, void (*kernel)(Params...), Args... args)
{
    if (!emulated_begin()) return;
    gridDim = {static_cast<unsigned>(blocks), 1, 1};
    blockDim = {static_cast<unsigned>(threads), 1, 1};
    for (unsigned b = 0; b < gridDim.x; b++) {
        blockIdx = {b, 0, 0};
        emulated_block(blockDim.x, [&] { kernel(args...); });
    }
    emulated_end();
}

#endif
