"""Where systems start, and what may be set of those with loops."""

from __future__ import annotations

import contextlib

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms.loops.closure import furthest_open, project_configuration
from rbdyn.algorithms.loops.loops import loop_error
from rbdyn.errors import LoopError, MechanismError, StateError
from rbdyn.model import Model, State
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.joints.followers import led, soft_followers

STARTS = 20  # configurations from which a closed one is sought, once the neutral one leads to none
CLOSED = 1e-9  # [rad or m] what counts as closed: states of a World are taken as they are
ROUNDED = 1e-3  # [rad or m] how far numbers of a few digits may open a loop


def start(model: Model) -> Array:
    """Initial configuration of a system, with loops closed and followers where their leaders say."""
    soft = soft_followers(model)
    q = led(model, own_configuration(model), soft)[0]
    if not model.has_loops:
        return q
    q = _closed_near(model, q)
    for _ in range(STARTS):  # from one to the other; where both cannot be, loops are closed
        q, moved = led(model, q, soft)
        if not moved:
            break
        q = _closed_near(model, q)
    return q


def own_configuration(model: Model) -> Array:
    """The nominal configuration of its mechanism, else the neutral one."""
    nominal = model.mechanism.nominal_configuration
    q = model.neutral()
    if nominal is not None and len(nominal) == model.nq:
        probe = State(model)
        with contextlib.suppress(StateError):  # edits may have left numbers that are no q of this mechanism
            probe.set(nominal)
            q = np.array(probe.q)
    return q


def _closed_near(model: Model, q: Array) -> Array:
    """A configuration with closed loops: near q, else one of a few random ones."""
    rng = np.random.default_rng(0)
    try:
        return project_configuration(model, q)
    except LoopError as error:
        first = error
    for _ in range(STARTS):
        try:
            return project_configuration(model, model.random(rng))
        except LoopError:
            pass
    raise LoopError(f"the loops of mechanism {model.mechanism.name!r} do not close: {first}") from None


def closed(state: State, q: ArrayLike) -> Array:
    """`q` with its loops closed, if rounding has opened them; LoopError that names the gap if more has."""
    probe = state.copy()
    probe.set(q)
    error = loop_error(probe)
    most = np.abs(error).max(initial=0.0)
    if most <= CLOSED:
        return np.array(probe.q)
    if most > ROUNDED:
        name, turned, moved = furthest_open(state.model, error)
        raise LoopError(
            f"q opens loop joint {name!r} by {turned:.3g} rad and {moved:.3g} m; "
            "rbdyn.project_configuration(robot.model, q) finds a closed configuration near it"
        )
    return project_configuration(probe)


def ties_trees(model: Model) -> bool:
    """Whether some loop joint ties a tree of the system to its root, or to another tree."""
    parents = model.internal_parents

    def tree(k: int) -> int:
        while parents[k] > 0:
            k = parents[k]
        return k

    return any(tree(a) != tree(b) for a, b in model.loop_bodies)


def check_springs(model: Model) -> None:
    """MechanismError for a spring of a loop joint along several directions."""
    for name in model.loop_names:
        joint = model.mechanism.find_joint(name)
        if joint.stiffness > 0.0 and joint.num_velocities != 1:
            raise MechanismError(
                f"loop joint {name!r} has a spring and {joint.num_velocities} degrees of freedom; springs of loop "
                "joints act along one"
            )
