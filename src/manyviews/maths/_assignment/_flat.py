"""One label per object: the argmax, or views that may differ a little (Eq. 3, 7, 8) [@dalvi2015].

The rule for MAXAGREE. A view with n labels pays |n - 1| = (n - 1) + 2·[n = 0], so that with gains
g = α₁s - α₃ the objective is, up to a constant, Σᵢ fᵢ(Sᵢ) - 2α₃·(number of bare views), where label
i is on in the views Sᵢ and fᵢ(S) = Σ_{v∈S} g_iv - α₂·|S|·(V - |S|).

1. Without the last term every label is on its own: for each size the views of the largest gains are
   best. Let S*ᵢ be the best set.
2. fᵢ is supermodular (|S|(V - |S|) is concave in |S|), hence
   fᵢ(S ∪ S*ᵢ) ≥ fᵢ(S) + fᵢ(S*ᵢ) - fᵢ(S ∩ S*ᵢ) ≥ fᵢ(S): some best solution only adds views to S*ᵢ.
3. Let Lᵢ(C) be what label i loses by also being on in the bare views C. By supermodularity again
   Lᵢ(C ∪ D) ≤ Lᵢ(C) + Lᵢ(D), so that blocks of bare views may choose their labels independently:
   the best repair is the cheapest partition of the bare views into blocks C, each at the price
   min Lᵢ(C) over the labels, a view that stays bare at the price 2α₃.

The repair searches the subsets of the bare views of one object (two, mostly); it contains the Potts
model on a complete graph, so that no rule that is quick for any number of views is to be expected.
"""

from __future__ import annotations

import numpy as np

from manyviews.maths._assignment._problem import Problem
from manyviews.typing import BoolArray, FloatArray, IntArray

MOST_BARE = 12  # 3^12 partitions still take less than a mixed-integer programme


def one_label(scores: FloatArray) -> BoolArray:
    """Choose the label with the highest score, the first of several (Eq. 3)."""
    chosen = np.zeros(scores.shape, dtype=bool)
    if len(scores):
        chosen[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return chosen


def max_agree(problem: Problem) -> tuple[IntArray, BoolArray]:
    """Return the best joint states of all labels (Eq. 7, 8), and for which objects they are known.

    They are not for objects with more than ``MOST_BARE`` bare views.
    """
    from manyviews.maths._assignment._flat_kernel import agree

    gains = np.ascontiguousarray(np.moveaxis(problem.gains - problem.penalty, 0, 2))
    states = np.zeros(gains.shape[:2], dtype=np.int64)
    solved = agree(gains, problem.disagreement, 2 * problem.penalty, MOST_BARE, states)
    return states, solved
