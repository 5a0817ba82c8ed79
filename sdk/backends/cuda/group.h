// SPDX-License-Identifier: Apache-2.0
/* group.h: items grouped by a number, in the order in which they came: what sums without atomics need. */
#ifndef CRUCIBLE_CUDA_GROUP_H
#define CRUCIBLE_CUDA_GROUP_H

#include <cstdint>
#include <cub/cub.cuh>

#include "cuda.h"

inline void count_up(cru_device *device, int32_t *order, int64_t count)
{
    each(device, count, [=] __device__(int64_t i) { order[i] = static_cast<int32_t>(i); });
}

/* offsets[v]: the first of the ascending keys that is not below v. */
inline void find_groups(cru_device *device, const int32_t *keys, int64_t count, int64_t rows, int64_t *offsets)
{
    each(device, rows + 1, [=] __device__(int64_t v) {
        int64_t low = 0, high = count;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (keys[middle] < v)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[v] = low;
    });
}

/* Sources grouped by destination, those of one destination ascending: a stable sort by destination. */
class grouped
{
  public:
    grouped(cru_device *device, const int32_t *ids, int64_t count, int64_t rows)
        : keys_(device, count), sources_(device, count), offsets_(device, rows + 1)
    {
        cuda_scratch<int32_t> order(device, count);
        count_up(device, order.get(), count);
        if (count > 0) sort(device, ids, order.get(), count);
        find_groups(device, keys_.get(), count, rows, offsets_.get());
    }
    const int32_t *sources() const
    {
        return sources_.get();
    }
    const int64_t *offsets() const
    {
        return offsets_.get();
    }

  private:
    void sort(cru_device *device, const int32_t *ids, const int32_t *order, int64_t count)
    {
        size_t bytes = 0;
        cudaStream_t stream = cuda_of(device)->stream;
        if (count > INT32_MAX) cru_panic(CRU_UNSUPPORTED, "cuda: %lld items to group", static_cast<long long>(count));
        const int items = static_cast<int>(count);
        cuda_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, ids, keys_.get(), order, sources_.get(), items, 0,
                                                   32, stream),
                   "a sort");
        cuda_scratch<char> memory(device, static_cast<int64_t>(bytes));
        cuda_check(cub::DeviceRadixSort::SortPairs(memory.get(), bytes, ids, keys_.get(), order, sources_.get(), items,
                                                   0, 32, stream),
                   "a sort");
    }

    cuda_scratch<int32_t> keys_, sources_;
    cuda_scratch<int64_t> offsets_;
};

#endif
