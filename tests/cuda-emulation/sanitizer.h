// SPDX-License-Identifier: Apache-2.0
/* sanitizer.h: what AddressSanitizer must be told: which device memory was handed out, and that a thread of a block
 * runs on a stack of its own. Without it nothing is done. */
#ifndef EMULATED_SANITIZER_H
#define EMULATED_SANITIZER_H

#include <cstddef>

struct fiber {
    void *fake_stack;
    const void *stack;
    size_t bytes;
};

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

inline void forbid(const void *memory, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}
inline void allow(const void *memory, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}
/* Before a switch: from `from` (NULL: it ends) to `to`. */
inline void fiber_leave(fiber *from, const fiber &to)
{
    __sanitizer_start_switch_fiber(from ? &from->fake_stack : nullptr, to.stack, to.bytes);
}
/* After it: `now` goes on (NULL: begins); *before, when wanted, is where the switch came from. */
inline void fiber_enter(const fiber *now, fiber *before)
{
    __sanitizer_finish_switch_fiber(now ? now->fake_stack : nullptr, before ? &before->stack : nullptr,
                                    before ? &before->bytes : nullptr);
}
#else
inline void forbid(const void *, size_t)
{
}
inline void allow(const void *, size_t)
{
}
inline void fiber_leave(fiber *, const fiber &)
{
}
inline void fiber_enter(const fiber *, fiber *)
{
}
#endif

#endif
