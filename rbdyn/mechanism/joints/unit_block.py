"""The blocks of q that have length 1."""

from __future__ import annotations

import math

from rbdyn.errors import MechanismError
from rbdyn.spatial.rotations import Array

NAMES = {2: "pair [sine, cosine]", 4: "quaternion [w, x, y, z]"}


def unit_block(q: Array, block: slice, what: str) -> Array:
    """`q` with its `block` brought to length 1; MechanismError if it is off by more than a thousandth."""
    length = math.sqrt(float(q[block] @ q[block]))
    if not abs(length - 1.0) < 1e-3:
        raise MechanismError(f"{what} holds a {NAMES[len(q[block])]} of length {length:.6g}; it must be 1")
    new = q.copy()
    new[block] /= length
    return new
