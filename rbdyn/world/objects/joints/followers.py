"""Joints that follow others, where a system starts and where it is set: they stand where their leaders say."""

from __future__ import annotations

import warnings
from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import MimicWarning
from rbdyn.model import Model, State
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.joints.rows import mimics

ROUNDED = 1e-3  # [rad or m] how far numbers of a few digits, and states that steps lead to, may be off
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
    result, moved = np.array(q), []
    for follower in rigid:
        chain = [follower]
        while chain[-1] in rigid:
            chain.append(rigid[chain[-1]][0])
        for own in reversed(chain[:-1]):  # leaders first
            leader, ratio, offset = rigid[own]
            place = ratio * result[leader] + offset
            if not abs(result[own] - place) <= ROUNDED:
                result[own] = place
                moved.append(own)
    return (result, moved) if moved else (q, moved)


def soft_followers(model: Model) -> set[int]:
    """Degrees of freedom of joints that follow others softly, as the mechanism has it."""
    joints = [joint for joint in model.mechanism.tree_joints if joint.mimic is not None and joint.mimic.softness > 0.0]
    return {model.joint_v_index(joint.name) for joint in joints}


def fitting(state: State, q: ArrayLike, softness: Array) -> Array:
    """Configuration for `set_state`: rigid followers of `q` put where their leaders say."""
    probe = state.copy()
    probe.set(q)
    return led(state.model, np.array(probe.q), set(np.flatnonzero(softness)))[0]


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
