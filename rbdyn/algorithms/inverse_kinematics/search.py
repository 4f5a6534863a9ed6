"""Inverse kinematics: configurations at which bodies have target poses."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms.inverse_kinematics.descent import Descent
from rbdyn.algorithms.inverse_kinematics.targets import Body, read_targets
from rbdyn.arguments import as_vector, flag, number, shown, whole
from rbdyn.errors import Error, StateError
from rbdyn.model.model import Model
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

Aim = ArrayLike | Transform
SCATTER = (3, 1)  # seed of the configurations from which later attempts start; no whole number, which a caller may use
BETTER = 1e-6  # share of the squared error that a later attempt takes off, for its q to count more than an earlier one


class HasState(Protocol):
    """A robot in a World, or anything else with a State."""

    @property
    def state(self) -> State:
        """Its State."""


@dataclass(frozen=True)
class InverseKinematicsResult:
    """Result of `inverse_kinematics`.

    Attributes
    ----------
    q : (nq,) ndarray of float64
        The best configuration found; quaternions of unit length, followers where their leaders say (`Mimic`).
    success : bool
        Whether the targets are met: `residual` is at most the tolerance.
    residual : float
        Length of the error of all targets together at `q`, with what is open of loops; weights left out [m and rad].
    iterations : int
        Steps tried, in all attempts.
    """

    q: Array
    success: bool
    residual: float
    iterations: int


def inverse_kinematics(
    model: Model | State | HasState,
    q_init: ArrayLike | None,
    bodies: Body | Sequence[Body],
    points: ArrayLike | Sequence[ArrayLike | None] | None,
    targets: Aim | Sequence[Aim],
    step_tol: float = 1e-12,
    damping: float = 0.01,
    max_iter: int = 50,
    *,
    tolerance: float = 1e-9,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    limits: bool = False,
    attempts: int = 10,
) -> InverseKinematicsResult:
    """Find a configuration at which points of bodies, or frames at those points, have target poses.

    Damped least-squares steps d = J^T (J J^T + lambda^2 1)^-1 e along the configuration manifold, where e leads from
    the present positions and rotations to the targets (Levenberg and Marquardt's method).  `damping` is the first
    lambda.  It falls while steps do what the linear model promises, so that reachable targets are met to the last
    digits, and rises when a step would increase the error.  No step turns a joint by more than 1 rad.

    At a stationary point of the error, such as a straight arm whose target lies on its line, the Hessian is computed.
    A saddle point is left along negative curvature.  At a minimum above the tolerance the next attempt starts.

    Parameters
    ----------
    model : Model, State, or robot in a World
        Whose bodies.  Of a State or a robot, which are not changed, the root stands where theirs does, and targets are
        in world axes.  The root of a Model stands at the world's origin.
    q_init : (nq,) array_like of float, or None
        Where to start; None means the q of a State or a robot.  Of several solutions, one near it tends to be found.
    bodies : str, RigidBody or CartesianFrame, or a sequence of n of them
        What shall be somewhere; merged bodies and frames too.
    points : (3,) array_like, (n, 3) array_like, a sequence with None in it, or None
        Points in the frames of `bodies` [m]; None means the origin.
    targets : one target, or a sequence of n of them
        In world axes.  A position (3,) [m], a rotation (3, 3), or both as a Transform or a pose (4, 4): that of the
        body's axes with the point as their origin.
    step_tol : float
        Stop when the step [rad, m] or the error is no longer than this.
    damping : float
        lambda of the first step, 0.0001 to 1.
    max_iter : int
        Largest number of steps to try.
    tolerance : float
        The targets count as met when the error of all of them together is no longer than this [m and rad].
    weights : float or (2,) array_like, or a sequence of n of them
        What errors count for where not all targets can be met: one number for a target, or one for its position and
        one for its rotation.  All 1 by default: a metre counts as much as a radian.
    limits : bool
        Whether to stay within the joints' position limits, all the way.  A `q_init` outside is first moved in.  Limits
        of followers bound their leaders.
    attempts : int
        Largest number of starts, 1 or more; `max_iter` is for each of them.  The first is `q_init`.  Where it ends
        short of the targets, others follow until one reaches them: random configurations within the limits, the same
        ones at every call.  Joints that move no target, floating and planar ones start at `q_init` in all of them.
        1 keeps the result near `q_init`; `python -m benchmarks --only inverse_kinematics` counts how many targets 10
        reach.

    Returns
    -------
    result : InverseKinematicsResult
        `q`, `success`, `residual` and `iterations`.  For targets out of reach, the q of the smallest error that was
        found, with `success` False.  The same arguments give the same result.

    Raises
    ------
    Error
        If an argument is malformed; the message names it.  With `limits`, if no position of a leader leaves all that
        follow it within their limits.
    UnknownNameError
        If there is no such body or frame.
    MechanismError
        If joints follow one another in a circle, or one that is not there or has not one coordinate.

    Notes
    -----
    Each step is the best one within the limits, so that joints at theirs leave the rest to the others.  Quaternions
    have no limits.

    Joints that follow others (`Mimic`, chains of them, soft ones too) move with their independent leaders, the only
    unknowns; what q_init says of followers does not count.  Mimics of loop joints are ignored.

    Loops are closed after every step (`project_configuration`), and targets out of their reach are met as nearly as
    closed loops allow.  Where loops cannot be closed within the limits, `residual` counts what is open [rad, m].  A
    dead centre of a loop, such as a crank in line with its rod, is left by a later attempt only.

    Source: T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE
    Transactions on Robotics 27 (2011); H. B. Nielsen, Damping parameter in Marquardt's method, Technical University of
    Denmark (1999); C. Kanzow, N. Yamashita and M. Fukushima, Levenberg-Marquardt methods with strong local convergence
    properties for solving nonlinear equations with convex constraints, J. Comput. Appl. Math. 172 (2004); J. J. More
    and D. C. Sorensen, On the use of directions of negative curvature in a modified Newton method, Mathematical
    Programming 16 (1979).

    Examples
    --------
    >>> from rbdyn import Model, models
    >>> arm = Model(models.six_axis_arm())
    >>> result = inverse_kinematics(arm, arm.neutral(), "tool", None, (0.4, 0.2, 0.8))
    >>> result.success
    True
    """
    state = _own_state(model)
    aims = read_targets(state.model, bodies, points, targets, weights)
    q_init = _start(model, state, q_init)
    limited = flag(limits, "limits")
    lam, step_tol = number(damping, "damping", above=0.0), number(step_tol, "step_tol", low=0.0)
    tolerance, max_iter = number(tolerance, "tolerance", above=0.0), min(whole(max_iter, "max_iter"), sys.maxsize)
    attempts = whole(attempts, "attempts", 1)
    search = Descent(state, aims, limited)
    q = search.start(q_init)
    best, residual, tried = search.run(q, lam, step_tol, max_iter)
    rng = np.random.default_rng(SCATTER)
    for _ in range(1, attempts):
        if residual <= tolerance:
            break
        found, left, steps = search.run(search.scattered(q, rng), lam, step_tol, max_iter)
        tried += steps
        if left <= tolerance or search.cost(found) < (1.0 - BETTER) * search.cost(best):
            best, residual = found, left
    return InverseKinematicsResult(best, residual <= tolerance, residual, tried)


def _own_state(given: Model | State | HasState) -> State:
    """A State of the Model, or like the State of what is given: its root stands where that of the other does."""
    if isinstance(given, Model):
        return State(given)
    state = given if isinstance(given, State) else getattr(given, "state", None)
    if not isinstance(state, State):
        raise Error(f"model must be a Model, a State, or a robot in a World, got {shown(given)}")
    return state.copy()


def _start(given: Model | State | HasState, state: State, q_init: ArrayLike | None) -> Array:
    """`q_init`, checked, with quaternions of unit length; that of a State by default."""
    if q_init is None and not isinstance(given, Model):
        return state.q
    try:
        state.set(as_vector(q_init, state.model.nq, "q_init"))  # type: ignore[arg-type]  # None is refused by name
    except StateError as error:
        raise StateError(f"q_init: {error}") from None
    except Error as error:
        raise StateError(str(error)) from None
    return state.q
