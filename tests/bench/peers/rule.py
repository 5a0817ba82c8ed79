# SPDX-License-Identifier: Apache-2.0
"""How both sides of `tools/bench --study` come to the seconds of a whole training: from two short ones."""

ENOUGH = 0.3  # seconds of a processor between the two trainings, below which the longer one is made longer


def whole(time_of, points, epochs):
    """time_of(n) trains for n epochs and returns its seconds by several clocks, the processor's first. What is before the
    epochs is in both trainings and counts once."""
    low, high = (min(n, epochs) for n in points)
    first = time_of(low)
    if low >= epochs:
        return first
    while True:
        second = time_of(high)
        if high >= epochs or second[0] - first[0] >= ENOUGH:
            return [a + max(b - a, 0) * (epochs - low) / (high - low) for a, b in zip(first, second)]
        high = min(epochs, 4 * high)
