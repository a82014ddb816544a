"""The loops of a forest, compiled: growing a tree on bins, and counting votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from manyviews.typing import FloatArray, IntArray

TOGETHER = 8
"""So many rows go down a tree side by side: one waits for memory while others move."""
BLOCK = 4096
"""So many rows go down one tree before the next is fetched: with 64 kernels, bins of 256 KiB."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def count_cuts(values: FloatArray, cuts: FloatArray) -> IntArray:
    """How many of the 255 cuts of its feature lie below each value, by eight halvings."""
    n_rows, n_features = values.shape
    codes = np.empty((n_rows, n_features), dtype=np.uint8)
    for row in range(n_rows):
        for feature in range(n_features):
            value, own = values[row, feature], cuts[feature]
            below, step = 0, 128
            while step > 0:
                below += step * (own[below + step - 1] < value)
                step >>= 1
            codes[row, feature] = below
    return codes


@njit(cache=True)  # type: ignore[untyped-decorator]
def feature_gain(
    codes: IntArray,
    positive: IntArray,
    rows: IntArray,
    n_positive: int,
    min_leaf: int,
    n_log_n: FloatArray,
    counts: IntArray,
) -> tuple[float, int]:
    """The most information that one cut of a feature brings, in nats, and that cut.

    ``counts`` is room for 256 whole numbers, zero before and after: rows in the lower 32 bits,
    positive ones above.
    """
    lowest, highest = 255, 0
    for row in rows:
        code = codes[row]
        counts[code] += 1 + (np.int64(positive[row]) << 32)
        lowest, highest = min(lowest, code), max(highest, code)
    n_rows = len(rows)
    before = n_log_n[n_rows] - n_log_n[n_positive] - n_log_n[n_rows - n_positive]
    best, cut, left, left_positive = 0.0, -1, 0, 0
    for code in range(lowest, highest + 1):
        if counts[code] == 0:
            continue
        left += counts[code] & 0xFFFFFFFF
        left_positive += counts[code] >> 32
        counts[code] = 0
        right = n_rows - left
        if left < min_leaf or right < min_leaf:
            continue
        right_positive = n_positive - left_positive
        after = n_log_n[left] - n_log_n[left_positive] - n_log_n[left - left_positive]
        after += n_log_n[right] - n_log_n[right_positive] - n_log_n[right - right_positive]
        if before - after > best:
            best, cut = before - after, code
    return best, cut


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_split(
    codes: IntArray,
    positive: IntArray,
    rows: IntArray,
    n_positive: int,
    n_candidates: int,
    min_leaf: int,
    n_log_n: FloatArray,
    counts: IntArray,
    order: IntArray,
    rng: Any,
) -> tuple[float, int, int]:
    """Gain, feature and cut of the best of some features drawn; more are drawn if none splits."""
    best, best_feature, best_cut = 1e-9, -1, -1
    for drawn in range(len(order)):
        if drawn >= n_candidates and best_feature >= 0:
            break
        place = drawn + int(rng.random() * (len(order) - drawn))
        order[drawn], order[place] = order[place], order[drawn]
        feature = order[drawn]
        gain, cut = feature_gain(
            codes[feature], positive, rows, n_positive, min_leaf, n_log_n, counts
        )
        if gain > best:
            best, best_feature, best_cut = gain, feature, cut
    return best, best_feature, best_cut


@njit(cache=True)  # type: ignore[untyped-decorator]
def divide(codes: IntArray, rows: IntArray, cut: int) -> int:
    """Bring the rows up to a cut to the front, and say how many there are."""
    left, right = 0, len(rows)
    while left < right:
        if codes[rows[left]] <= cut:
            left += 1
        else:
            right -= 1
            rows[left], rows[right] = rows[right], rows[left]
    return left


@njit(cache=True)  # type: ignore[untyped-decorator]
def grow_tree(
    codes: IntArray,
    positive: IntArray,
    rows: IntArray,
    n_candidates: int,
    min_leaf: int,
    n_log_n: FloatArray,
    gains: FloatArray,
    rng: Any,
) -> tuple[IntArray, IntArray, IntArray]:
    """Features, cuts and right children of the nodes of one tree.

    Nodes stand in preorder: the left child follows its parent. A leaf has no feature, -1, and
    its vote instead of a cut. ``codes`` are features × rows; ``rows`` are put in another order,
    ``gains`` of the features are added to.
    """
    most = 2 * (len(rows) // min_leaf) + 1
    features = np.full(most, -1, dtype=np.int32)
    cuts = np.zeros(most, dtype=np.uint8)
    rights = np.zeros(most, dtype=np.int32)
    counts = np.zeros(256, dtype=np.int64)
    order = np.arange(len(codes))
    waiting = [(0, len(rows), -1)]
    n_nodes = 0
    while len(waiting) > 0:
        start, end, parent = waiting.pop()
        node = n_nodes
        n_nodes += 1
        if parent >= 0:
            rights[parent] = node
        here = rows[start:end]
        n_positive = 0
        for row in here:
            n_positive += positive[row]
        cuts[node] = 2 * n_positive > len(here)
        if n_positive == 0 or n_positive == len(here) or len(here) < 2 * min_leaf:
            continue
        gain, feature, cut = best_split(
            codes, positive, here, n_positive, n_candidates, min_leaf, n_log_n, counts, order, rng
        )
        if feature < 0:
            continue
        gains[feature] += gain
        features[node], cuts[node] = feature, cut
        middle = start + divide(codes[feature], here, cut)
        waiting.append((middle, end, node))
        waiting.append((start, middle, -1))
    return features[:n_nodes], cuts[:n_nodes], rights[:n_nodes]


@njit(cache=True)  # type: ignore[untyped-decorator]
def packed_nodes(features: IntArray, cuts: IntArray, rights: IntArray) -> IntArray:
    """The same votes by fewer nodes, each in one number.

    A split whose sides all vote the same becomes a leaf. The lowest 16 bits of a node are its
    feature, the next 8 its cut or vote, all above how many nodes stand between it and its right
    child, those of its left side; none in a leaf.
    """
    sizes = np.ones(len(features), dtype=np.int64)
    for node in range(len(features) - 1, -1, -1):
        if features[node] < 0:
            continue
        left, right = node + 1, rights[node]
        if features[left] < 0 and features[right] < 0 and cuts[left] == cuts[right]:
            features[node], cuts[node] = -1, cuts[left]
        else:
            sizes[node] = 1 + sizes[left] + sizes[right]
    nodes = np.empty(sizes[0], dtype=np.int64)
    waiting = [(0, 0)]
    while len(waiting) > 0:
        node, place = waiting.pop()
        nodes[place] = np.int64(cuts[node]) << 16
        if features[node] >= 0:
            left_size = sizes[node + 1]
            nodes[place] |= features[node] | left_size << 24
            waiting.append((rights[node], place + 1 + left_size))
            waiting.append((node + 1, place + 1))
    return nodes


@njit(cache=True)  # type: ignore[untyped-decorator]
def count_votes(codes: IntArray, nodes: IntArray, roots: IntArray) -> IntArray:
    """How many trees vote for each row; packed nodes of all trees one after the other."""
    votes = np.zeros(len(codes), dtype=np.int32)
    places = np.empty(TOGETHER, dtype=np.int64)
    for start in range(0, len(codes), BLOCK):
        end = min(start + BLOCK, len(codes))
        for root in roots:
            for first in range(start, end, TOGETHER):
                n_here = min(TOGETHER, end - first)
                places[:n_here] = root
                moving = np.int64(1)
                while moving:
                    moving = np.int64(0)
                    for each in range(n_here):
                        node = nodes[places[each]]
                        left_size = node >> 24
                        right = codes[first + each, node & 0xFFFF] > (node >> 16 & 0xFF)
                        places[each] += (left_size > 0) + right * left_size
                        moving |= left_size
                for each in range(n_here):
                    votes[first + each] += nodes[places[each]] >> 16 & 0xFF
    return votes
