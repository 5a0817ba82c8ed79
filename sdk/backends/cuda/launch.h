// SPDX-License-Identifier: Apache-2.0
/* launch.h: how a kernel is started: by the device, or, in the emulation of the tests, by a loop on the host.
 *
 *     launch          threads that have nothing to do with each other
 *     launch_blocks   threads of a block meet at __syncthreads */
#ifndef CRUCIBLE_CUDA_LAUNCH_H
#define CRUCIBLE_CUDA_LAUNCH_H

#include <cuda_runtime.h>

#ifdef __CUDACC__
template <class... Params, class... Args>
void launch(int blocks, int threads, cudaStream_t stream, void (*kernel)(Params...), Args... args)
{
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(args...);
}
template <class... Params, class... Args>
void launch_blocks(int blocks, int threads, cudaStream_t stream, void (*kernel)(Params...), Args... args)
{
    launch(blocks, threads, stream, kernel, args...);
}
#else
#include <emulated-launch.h>
#endif

#endif
