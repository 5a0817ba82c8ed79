// SPDX-License-Identifier: Apache-2.0
/* published-order.h: graphs by size in the order in which IGL-Bench's split files had them before they were shuffled.
 *
 * The files hold parts of lists that were sorted on a graphics card, by PyTorch of 2021 or 2022: up to 1024 numbers of
 * 64 bits by a bitonic network, which leaves equal ones in an order of its own, and more of them by a stable radix
 * sort. Known from the files alone: with this order, Python's shuffle and one seed a file they come out to the last
 * graph. */
#ifndef CORRUPTORS_PUBLISHED_ORDER_H
#define CORRUPTORS_PUBLISHED_ORDER_H

#include <stdint.h>

/* Writes the numbers 0 .. count - 1, those of the largest sizes first. */
void published_order(const int64_t *size, int64_t count, int32_t *order);

#endif
