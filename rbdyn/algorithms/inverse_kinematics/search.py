"""Inverse kinematics: a configuration at which bodies are where they shall be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.algorithms.integration.configuration import integrate
from rbdyn.algorithms.inverse_kinematics.targets import Body, ClosedLoops, Target, read_targets
from rbdyn.algorithms.loops.closure import project_configuration
from rbdyn.arguments import as_vector, flag, number, whole
from rbdyn.errors import Error, LoopError, StateError
from rbdyn.model.model import Model
from rbdyn.model.state import State
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform

Aim = ArrayLike | Transform
Indices = NDArray[np.intp]
LARGEST_TURN = 1.0  # [rad] of a joint in one step: beyond it the linear model says nothing
ROUND_OFF = 1e-13  # smallest damping, relative to the trace of J J^T, that keeps the equations regular


@dataclass(frozen=True)
class InverseKinematicsResult:
    """What `inverse_kinematics` found.

    Attributes
    ----------
    q : (nq,) ndarray of float64
        The best configuration found; quaternions of unit length.
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
    model: Model,
    q_init: ArrayLike,
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
    attempts: int = 1,
) -> InverseKinematicsResult:
    """A configuration at which points of bodies, or frames at those points, are where they shall be.

    Steps d = J^T (J J^T + lambda^2 1)^-1 e along the configuration manifold, where e leads from the present positions
    and rotations to the targets.  `damping` is the lambda to start with; it falls as the steps do what they promise,
    so that targets within reach are met to the last digits, and rises when a step would not bring the bodies nearer
    (Levenberg and Marquardt's method, the damping after Nielsen's rule).  No step turns a joint by more than 1 rad.
    The same arguments give the same result.

    Parameters
    ----------
    model : Model
        Whose bodies.
    q_init : (nq,) array_like of float
        Where to start.  Of several solutions, one near it tends to be found.
    bodies : str, RigidBody or CartesianFrame, or a sequence of n of them
        What shall be somewhere; merged bodies and frames too.
    points : (3,) array_like, (n, 3) array_like, a sequence with None in it, or None
        Points in the frames of `bodies` [m]; None means the origin.
    targets : one target, or a sequence of n of them
        In the root frame.  A position (3,) [m], a rotation (3, 3), or both as a Transform or a pose (4, 4): that of the
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
        Whether to stay within the joints' position limits, all the way.  A `q_init` outside is first moved in.
    attempts : int
        Largest number of starts: where the first, from `q_init`, comes to rest short of the targets, others follow from
        scattered configurations, the same ones every time.  `max_iter` is for each of them.

    Returns
    -------
    result : InverseKinematicsResult
        `q`, `success`, `residual` and `iterations`.  Of targets out of reach the q whose error is smallest, at least
        nearby, with `success` False.

    Raises
    ------
    Error
        If an argument is malformed; the message names it.
    UnknownNameError
        If there is no such body or frame.

    Notes
    -----
    Each step is the best one within the limits, so that joints at theirs leave the rest to the others.  Quaternions
    have no limits.

    Loops are closed after every step (`project_configuration`), and targets out of their reach are met as nearly as
    closed loops allow.  Where loops cannot be closed within the limits, `residual` counts what is open [rad, m].

    Source: T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE
    Transactions on Robotics 27 (2011); H. B. Nielsen, Damping parameter in Marquardt's method, Technical University of
    Denmark (1999); C. Kanzow, N. Yamashita and M. Fukushima, Levenberg-Marquardt methods with strong local convergence
    properties for solving nonlinear equations with convex constraints, J. Comput. Appl. Math. 172 (2004).

    Examples
    --------
    >>> from rbdyn import Model, models
    >>> arm = Model(models.six_axis_arm())
    >>> result = inverse_kinematics(arm, arm.neutral(), "tool", None, (0.4, 0.2, 0.8))
    >>> result.success
    True
    """
    if not isinstance(model, Model):
        raise Error(f"model must be a Model, got {type(model).__name__}")
    model.check()
    limited = flag(limits, "limits")
    search = _Search(model, read_targets(model, bodies, points, targets, weights), limited)
    q = search.start(q_init)
    lam, step_tol = number(damping, "damping", above=0.0), number(step_tol, "step_tol", low=0.0)
    tolerance, max_iter = number(tolerance, "tolerance", above=0.0), whole(max_iter, "max_iter")
    best = search.run(q, lam, step_tol, max_iter, tolerance)
    for attempt in range(1, whole(attempts, "attempts", 1)):
        if best.success:
            break
        found = search.run(search.closed(search.within(model.random(attempt))), lam, step_tol, max_iter, tolerance)
        better = found if search.cost(found.q) < search.cost(best.q) else best
        best = replace(better, iterations=best.iterations + found.iterations)
    return best


class _Search:
    """Damped least squares on the configuration manifold."""

    def __init__(self, model: Model, targets: list[Target], limits: bool) -> None:
        self.model = model
        self.targets: list[Target | ClosedLoops] = [*targets, ClosedLoops(model)] if model.has_loops else [*targets]
        self.state = State(model)
        self.weights = np.concatenate([t.row_weights() for t in self.targets])  # (m,) of the rows of e and J
        self.flat, self.rotational = _coordinates(model)
        self.lower = model.array("lower")[self.flat[:, 0]] if limits else np.full(len(self.flat), -np.inf)
        self.upper = model.array("upper")[self.flat[:, 0]] if limits else np.full(len(self.flat), np.inf)

    def start(self, q_init: ArrayLike) -> Array:
        """`q_init`, checked, with quaternions of unit length, and moved within the limits."""
        try:
            self.state.set(as_vector(q_init, self.model.nq, "q_init"))
        except StateError as error:
            raise StateError(f"q_init: {error}") from None
        except Error as error:
            raise StateError(str(error)) from None
        return self.closed(self.within(self.state.q.copy()))

    def within(self, q: Array) -> Array:
        """q with its coordinates clipped to their limits."""
        q[self.flat[:, 0]] = np.clip(q[self.flat[:, 0]], self.lower, self.upper)
        return q

    def closed(self, q: Array) -> Array:
        """q with its loops closed, unless that fails or leads out of the limits."""
        if not self.model.has_loops:
            return q
        try:
            near = project_configuration(self.model, q)
        except LoopError:
            return q
        return near if np.array_equal(near, self.within(near.copy())) else q

    def run(
        self, q: Array, damping: float, step_tol: float, max_iter: int, tolerance: float
    ) -> InverseKinematicsResult:
        """Steps from q until the error or the step vanishes; the state is at q whenever J is computed."""
        e = self.error(q)
        mu, growth, tried = damping * damping, 2.0, 0
        J = self.jacobian()
        while tried < max_iter and self.length(e) > step_tol:
            tried += 1
            d = self.step(J, e, mu, q)
            if math.sqrt(float(d @ d)) <= step_tol:
                break
            q_next = self.closed(self.within(integrate(self.model, q, d)))
            e_next = self.error(q_next)
            gain = _gain(e, e_next, e - J @ d)
            if gain > 0.0:
                q, e = q_next, e_next
                J = self.jacobian()
                mu *= max(0.1, 1.0 - (2.0 * min(gain, 1.0) - 1.0) ** 3)
                growth = 2.0
            else:
                mu = max(mu, damping * damping) * growth
                growth *= 2.0
        residual = self.length(e)
        return InverseKinematicsResult(q, residual <= tolerance, residual, tried)

    def length(self, e: Array) -> float:
        """Length of an error without its weights."""
        r = e / self.weights
        return math.sqrt(float(r @ r))

    def error(self, q: Array) -> Array:
        """Weighted motions that lead to the targets, (m,); leaves the state at q."""
        self.state.set(q)
        return self.weights * np.concatenate([t.error(self.state) for t in self.targets])

    def cost(self, q: Array) -> float:
        """The squared length of the weighted error."""
        e = self.error(q)
        return float(e @ e)

    def jacobian(self) -> Array:
        """J with J d = what a step d takes off the error, to first order; (m, nv).

        Of a rotation's logarithm the derivative is left out, as far as it differs from 1: at the target it is 1, and
        the gradient J^T e is exact anyway, since a rotation leaves its own axis alone.
        """
        return self.weights[:, None] * np.concatenate([t.jacobian(self.state) for t in self.targets])

    def step(self, J: Array, e: Array, mu: float, q: Array) -> Array:
        """The damped least-squares step within the limits."""
        low, high = np.full(self.model.nv, -np.inf), np.full(self.model.nv, np.inf)
        low[self.flat[:, 1]], high[self.flat[:, 1]] = self.lower - q[self.flat[:, 0]], self.upper - q[self.flat[:, 0]]
        d = _bounded_least_squares(J, e, mu, low, high)
        return d * min(1.0, LARGEST_TURN / max(float(np.abs(d[self.rotational]).max(initial=0.0)), 1e-100))


def _damped(J: Array, e: Array, mu: float) -> Array:
    """J^T (J J^T + mu 1)^-1 e."""
    A = J @ J.T
    A.flat[:: len(A) + 1] += max(mu, ROUND_OFF * float(A.trace()), 1e-100)
    return J.T @ np.linalg.solve(A, e)


def _bounded_least_squares(J: Array, e: Array, mu: float, low: Array, high: Array) -> Array:
    """The d between `low` and `high` with the smallest |e - J d|^2 + mu |d|^2.

    Block principal pivoting: what would cross its bound is held there, what is held and would come back is let go,
    until neither happens.  Should it go on too long, what has been found so far is clipped.  Source: L. F. Portugal,
    J. J. Judice and L. N. Vicente, Mathematics of Computation 63 (1994).
    """
    d = _damped(J, e, mu)
    over = (d < low) | (d > high)
    if not over.any():
        return d
    free = np.ones(len(low), bool)
    for _ in range(2 * len(low) + 5):
        pull = J.T @ (e - J @ d) - mu * d  # minus half the gradient
        back = ~free & np.where(d == low, pull > 0.0, pull < 0.0)
        if not (over.any() or back.any()):
            break
        d[over] = np.clip(d[over], low[over], high[over])
        free = free & ~over | back
        d[free] = _damped(J[:, free], e - J[:, ~free] @ d[~free], mu)
        over = free & ((d < low) | (d > high))
    return np.clip(d, low, high)


def _gain(e: Array, e_next: Array, e_linear: Array) -> float:
    """What a step took off the squared error, relative to what the linear model promised; negative for a bad step."""
    now = float(e @ e)
    got, promised = now - float(e_next @ e_next), now - float(e_linear @ e_linear)
    return got / promised if got > 0.0 and promised > 0.0 else -1.0


def _coordinates(model: Model) -> tuple[Indices, Indices]:
    """(k, 2) entries of q and v that are one coordinate and its rate, and the rotational entries of v."""
    flat: list[tuple[int, int]] = []
    rotational: list[int] = []
    for joint in model.mechanism.tree_joints:
        kind = joint.joint_type
        if kind.is_fixed:
            continue
        qi, vi = model.joint_q_index(joint.name), model.joint_v_index(joint.name)
        flat += [(qi + k, vi + k) for k in range(kind.num_plain)]
        rotational += range(vi + kind.num_translations, vi + kind.num_velocities)
    return np.array(flat, np.intp).reshape(-1, 2), np.array(rotational, np.intp)
