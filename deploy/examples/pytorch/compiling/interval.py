"""The interval of a median, without torch."""

import math
import statistics


def interval_of(ratios):
    """Median of ratios, and its 95 % interval by their order: the narrowest pair of ranks that
    misses the median at most once in twenty. With fewer than six it is their whole range."""
    ordered = sorted(ratios)
    count = len(ordered)
    outside, rank = 0.0, 0
    while rank < count // 2:
        outside += math.comb(count, rank) / 2 ** count
        if 2 * outside > 0.05:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return statistics.median(ordered), ordered[rank], ordered[count - 1 - rank]
