// SPDX-License-Identifier: Apache-2.0
/* The part of CUB that the backend uses, on the host. */
#ifndef EMULATED_CUB_CUH
#define EMULATED_CUB_CUH

#include <cuda_runtime.h>

#include <emulated-launch.h>

#include <algorithm>
#include <vector>

namespace cub {

struct DeviceRadixSort {
    template <class Key, class Value>
    static cudaError_t SortPairs(void *memory, size_t &bytes, const Key *keys_in, Key *keys_out, const Value *values_in,
                                 Value *values_out, int count, int, int, cudaStream_t)
    {
        if (!memory) {
            bytes = 1;
            return cudaSuccess;
        }
        if (!emulated_begin()) return cudaGetLastError();
        std::vector<int> order(static_cast<size_t>(count));
        for (int i = 0; i < count; i++) order[static_cast<size_t>(i)] = i;
        std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return keys_in[a] < keys_in[b]; });
        for (int i = 0; i < count; i++) {
            keys_out[i] = keys_in[order[static_cast<size_t>(i)]];
            values_out[i] = values_in[order[static_cast<size_t>(i)]];
        }
        emulated_end();
        return cudaSuccess;
    }
};

} // namespace cub

#endif
