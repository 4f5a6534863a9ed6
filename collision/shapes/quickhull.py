"""Quickhull of clouds of any size, which Ctrl-C does not wait for.

Source: C. Barber, D. Dobkin, H. Huhdanpaa, The Quickhull Algorithm (ACM TOMS 22, 1996).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

APART = 20_000  # points from which on Qhull may take longer than 50 ms, and gets a thread of its own
LOOK = 0.1  # [s] between two looks for signals where waiting for a thread does not end by them, as on Windows


def quickhull(points: np.ndarray) -> ConvexHull:
    """The hull of points (n, 3) by scipy, which takes a tenth of a second to import.

    Qhull knows no signals.  Of many points it works in a thread, without the interpreter's lock: what the handler of a
    signal raises comes out at once, and the thread's result is nobody's.

    Raises
    ------
    QhullError, ValueError
        As `scipy.spatial.ConvexHull` does.
    """
    from scipy.spatial import ConvexHull

    if len(points) < APART:
        return ConvexHull(points)
    found: list[ConvexHull] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(ConvexHull(points))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="quickhull", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(LOOK)
    if failed:
        raise failed[0]
    return found[0]
