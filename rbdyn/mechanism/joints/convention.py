"""Convention: how another library writes the q and v of a joint type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rbdyn.errors import Error
from rbdyn.spatial.rotations import Array

Change = Callable[[Array, Array], tuple[Array, Array]]

LIBRARIES = ("pinocchio", "mujoco", "rdl", "rigidbodydynamics", "rbdyn")


def unchanged(q: Array, v: Array) -> tuple[Array, Array]:
    """For libraries that write both as rbdyn does."""
    return q, v


@dataclass(frozen=True)
class Convention:
    """How a library writes one joint.

    Parameters
    ----------
    num_positions : int
        Length of its q there.
    read : function of (q, v) to (q, v)
        From the library's convention to rbdyn's.
    write : function of (q, v) to (q, v)
        From rbdyn's convention to the library's.
    at_end : int
        How many of its numbers, the last ones, stand behind the q of all joints.
    """

    num_positions: int
    read: Change = unchanged
    write: Change = unchanged
    at_end: int = 0


def missing(library: str, kind: str) -> Convention:
    """For a library without such a joint: reading and writing raise."""

    def refuse(q: Array, v: Array) -> tuple[Array, Array]:
        raise Error(f"{library} has no {kind} joint: a configuration of this mechanism cannot be converted")

    return Convention(1, refuse, refuse)
