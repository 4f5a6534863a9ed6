"""Conventions of other libraries: the same configuration and velocity, laid out their way.

Joints keep their order.  What differs is the order of a quaternion and the frame of a velocity:

===================  ========================  =============================================
library              floating q                floating v
===================  ========================  =============================================
rbdyn                x, y, z, w, qx, qy, qz    linear, angular; both in the parent's axes
pinocchio            x, y, z, qx, qy, qz, w    linear, angular; both in the body's axes
mujoco               x, y, z, w, qx, qy, qz    linear in parent's, angular in body's axes
rdl                  x, y, z, qx, qy, qz; w    linear in parent's, angular in body's axes
rigidbodydynamics    w, qx, qy, qz, x, y, z    angular, linear; both in the body's axes
===================  ========================  =============================================

rdl keeps the w of every quaternion at the very end of q.  What the libraries do with the other joint types is said, and
done, in the file of each type in rbdyn/mechanism/joints.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, shown
from rbdyn.errors import Error, StateError, unknown_name
from rbdyn.mechanism.joints.convention import LIBRARIES, Convention
from rbdyn.model.model import Model
from rbdyn.spatial.rotations import Array


def convert(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    to: str = "rbdyn",
    source: str = "rbdyn",
) -> tuple[Array, Array]:
    """A configuration and velocity in another library's convention.

    Parameters
    ----------
    model : Model
        Whose joints, in the order of q.
    q : array_like of float
        Configuration in the convention `source`.
    v : array_like of float, optional
        Velocity in the convention `source`; zero by default.
    to, source : str
        "rbdyn", "pinocchio", "mujoco", "rdl" or "rigidbodydynamics".

    Returns
    -------
    q, v : ndarray of float64
        In the convention `to`.

    Raises
    ------
    UnknownNameError
        If a library is not one of these.
    StateError
        If a length is wrong or a number is not finite.
    """
    if not isinstance(model, Model):
        raise Error(f"model must be a Model, got {shown(model)}")
    for name in (to, source):
        if not isinstance(name, str) or name not in LIBRARIES:
            raise unknown_name("library", name, LIBRARIES)
    model.check()
    types = [j.joint_type for j in model.mechanism.tree_joints]
    here, there = ([t.convention(library) for t in types] for library in (source, to))
    try:
        q_in = as_vector(q, sum(c.num_positions for c in here), "q")
        v_in = as_vector(np.zeros(model.nv) if v is None else v, model.nv, "v")
    except Error as error:
        raise StateError(str(error)) from None
    qs = _split(q_in, here)
    ends = list(accumulate((t.num_velocities for t in types), initial=0))
    vs = [v_in[start:end] for start, end in pairwise(ends)]
    pieces = [b.write(*a.read(qj, vj)) for a, b, qj, vj in zip(here, there, qs, vs, strict=True)]
    empty = np.zeros(0)
    return _join([qj for qj, _ in pieces], there), np.concatenate([empty, *(vj for _, vj in pieces)])


def _split(q: Array, conventions: list[Convention]) -> list[Array]:
    """q joint by joint; numbers that stand at the end of q come last in their joint's block."""
    blocks = []
    start, end = 0, len(q) - sum(c.at_end for c in conventions)
    for c in conventions:
        size = c.num_positions - c.at_end
        blocks.append(np.concatenate([q[start : start + size], q[end : end + c.at_end]]))
        start, end = start + size, end + c.at_end
    return blocks


def _join(blocks: list[Array], conventions: list[Convention]) -> Array:
    """What `_split` takes apart."""
    sizes = [c.num_positions - c.at_end for c in conventions]
    body = [block[:size] for block, size in zip(blocks, sizes, strict=True)]
    tail = [block[size:] for block, size in zip(blocks, sizes, strict=True)]
    return np.concatenate([np.zeros(0), *body, *tail])
