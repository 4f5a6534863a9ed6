"""Joints that follow others, where a system starts and where it is set: they stand where their leaders say."""

from __future__ import annotations

import warnings
from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import MimicWarning
from rbdyn.model import Model, State
from rbdyn.model.mimics import mimics
from rbdyn.spatial.rotations import Array

ROUNDED = 1e-3  # [rad or m, and a second] how far numbers of a few digits, and states that steps lead to, may be off
SHOWN = 5  # joints named in a warning


def led(model: Model, q: Array, soft: Collection[int] = ()) -> tuple[Array, list[int]]:
    """`q` with each follower that is off by more than ROUNDED put where its leader says.

    Parameters
    ----------
    model : Model
    q : (nq,) array
        A configuration.
    soft : collection of int
        Degrees of freedom of followers that give way, and may be anywhere.

    Returns
    -------
    q : (nq,) array
        The same array if none is off.
    moved : list of int
        Indices in q of those that are moved.
    """
    rigid = {own: (leader, ratio, offset) for own, dof, leader, _, ratio, offset in mimics(model) if dof not in soft}
    return _put(q, rigid)


def led_velocity(model: Model, v: Array, soft: Collection[int] = ()) -> Array:
    """`v` (nv,) with each follower that is off by more than ROUNDED a second moving as its leader says."""
    return _put(v, {dof: (leader, ratio, 0.0) for _, dof, _, leader, ratio, _ in mimics(model) if dof not in soft})[0]


def _put(x: Array, rigid: dict[int, tuple[int, float, float]]) -> tuple[Array, list[int]]:
    """`x` with x[k] = ratio x[leader] + offset where it is further off, for each k of `rigid`; and those k."""
    result, moved, done = np.array(x), [], set()
    for follower in rigid:
        chain = [follower]
        while chain[-1] in rigid and chain[-1] not in done:
            chain.append(rigid[chain[-1]][0])
        for own in reversed(chain[:-1]):  # leaders first
            leader, ratio, offset = rigid[own]
            place = ratio * result[leader] + offset
            done.add(own)
            if not abs(result[own] - place) <= ROUNDED:
                result[own] = place
                moved.append(own)
    return (result, moved) if moved else (x, moved)


def soft_followers(model: Model) -> set[int]:
    """Degrees of freedom of joints that follow others softly, as the mechanism has it."""
    joints = [joint for joint in model.mechanism.tree_joints if joint.mimic is not None and joint.mimic.softness > 0.0]
    return {model.joint_v_index(joint.name) for joint in joints}


def fitting(
    state: State, q: ArrayLike | None, v: ArrayLike | None, softness: Array
) -> tuple[ArrayLike | None, ArrayLike | None]:
    """Configuration and velocity for `set_state`, each None if it is: rigid followers as their leaders say."""
    probe, soft = state.copy(), set(np.flatnonzero(softness).tolist())
    probe.set(q, v)
    return (
        None if q is None else led(state.model, np.array(probe.q), soft)[0],
        None if v is None else led_velocity(state.model, np.array(probe.v), soft),
    )


def warn_of_moved_followers(robot: str, model: Model, q: Array, stacklevel: int) -> None:
    """One MimicWarning that names the joints which cannot start at q, the mechanism's own configuration."""
    moved = set(led(model, q, soft_followers(model))[1])
    names = [model.joint_of(dof) for own, dof, *_ in mimics(model) if own in moved]
    if names:
        shown = ", ".join(repr(name[:60]) for name in names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
        warnings.warn(
            f"joints of {robot!r} that follow others start where their leaders say, which its neutral or nominal "
            f"configuration does not: {shown}",
            MimicWarning,
            stacklevel=stacklevel + 1,
        )
