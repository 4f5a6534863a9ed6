"""Simulation of a mechanism by itself: an ordinary differential equation on the configuration manifold."""

import math
import operator

import numpy as np

from rbdyn.algorithms.integration.trajectory import Trajectory
from rbdyn.algorithms.momentum.momentum import kinetic_energy
from rbdyn.errors import DivergenceError, StateError
from rbdyn.model.owners import owner_of

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from rbdyn.algorithms.inputs.regular cimport check_regular
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.algorithms.loops.constrained cimport loops_of, project_onto_loops, solve_constrained
from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.kernels.aba cimport aba_inward, aba_outward
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.closed.constrained cimport Loops, row_products
from rbdyn.kernels.munthe_kaas cimport Stages, begin, count, finish, next_stage, undo
from rbdyn.kernels.singular cimport singular
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.state cimport State

cnp.import_array()

cdef double[4] NODE = [0.0, 0.5, 0.5, 1.0]                         # of the classical method of order 4
cdef double[4] WEIGHT = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]
cdef double JUMP = 1e-6                                            # of the kinetic energy, in a step's projection
cdef long LOOK = 64                                                # steps between two looks at signals


cdef bint _finite(const double* x, int n) noexcept nogil:
    cdef double s = 0.0
    cdef int k
    for k in range(n):
        s += 0.0 * x[k]
    return s == 0.0


cdef class _Run:
    """One simulation: the state that moves, what moves it, and what is kept of its way."""

    cdef State state
    cdef object control       # (t, state) -> tau, or None
    cdef object progress      # (steps done, all steps), or None
    cdef CModel* m
    cdef CData* d
    cdef Stages s
    cdef double* tau          # (nv,) generalized forces of the present stage [N m or N]
    cdef double* error        # (nc,) constraint violation where the step starts
    cdef double* rate         # (nc,) how fast they open there
    cdef double* next         # (nc,) how fast they shall open where it ends
    cdef double* memory       # all arrays of s, and the four above
    cdef bint looped          # the mechanism has loops
    cdef double stiffness     # [1/s^2] of loop joints
    cdef double damping       # [1/s] of loop joints
    cdef bint moving          # within a step: the state stands somewhere between its ends
    cdef double h             # [s] length of a step
    cdef double duration      # [s]
    cdef double time          # [s] where the present step starts
    cdef long steps           # in all
    cdef long every           # steps from one kept state to the next
    cdef cnp.ndarray times, q, v

    def __dealloc__(self):
        free(self.memory)

    cdef int prepare(self, State state) except -1:
        """Point at the state's arrays, and make room for the stages."""
        cdef double* x
        self.state = state
        self.m, self.d = state.use(), &state.c
        cdef size_t nq = self.m.nq, nv = self.m.nv, nc = self.m.nc
        self.memory = x = <double*> calloc(nq + 7 * nv + 3 * nc + 1, sizeof(double))
        if x is NULL:
            raise MemoryError(f"cannot allocate {nq + 7 * nv + 3 * nc} numbers")
        self.s.q, self.s.v, self.s.theta, self.s.K = x, x + nq, x + nq + nv, x + nq + 2 * nv
        self.s.A, self.s.mean_K, self.s.mean_A = x + nq + 3 * nv, x + nq + 4 * nv, x + nq + 5 * nv
        self.tau = x + nq + 6 * nv
        self.error = self.tau + nv
        self.rate = self.error + nc
        self.next = self.rate + nc
        self.looped = state.model.has_loops
        return 0

    cdef int make_room(self) except -1:
        """Arrays for the states that are kept: the first, every so many steps, and the last."""
        n = 1 + (self.steps + self.every - 1) // self.every
        try:
            self.times, self.q, self.v = np.empty(n), np.empty((n, self.m.nq)), np.empty((n, self.m.nv))
        except ValueError:
            raise MemoryError(f"cannot allocate {n} states") from None
        return 0

    cdef void keep(self, long k) noexcept nogil:
        """The state as it stands becomes entry k of the trajectory."""
        (<double*> self.times.data)[k] = self.time
        memcpy(<double*> self.q.data + k * self.m.nq, self.d.q, self.m.nq * sizeof(double))
        memcpy(<double*> self.v.data + k * self.m.nv, self.d.v, self.m.nv * sizeof(double))

    cdef int go(self) except -1 nogil:
        """All steps; the last one ends at the duration, to the bit."""
        cdef long k
        self.keep(0)
        for k in range(1, self.steps + 1):
            self.step(self.duration - self.time if k == self.steps else self.h)
            self.time = self.duration if k == self.steps else k * self.h
            if k % self.every == 0 or k == self.steps:
                self.keep((k + self.every - 1) // self.every)
            if k % LOOK == 0 or k == self.steps:
                self.look_up(k)
        return 0

    cdef int look_up(self, long done) except -1 with gil:
        """Ctrl-C, and a word to who waits."""
        PyErr_CheckSignals()
        if self.progress is not None:
            self.hand_over(False)
            self.progress(done, self.steps)
            self.hand_over(True)
        return 0

    cdef int hand_over(self, bint back) except -1:
        """The state to the user's functions, for which any thread may compute with it, and back."""
        self.state.stepper = PyThread_get_thread_ident() if back else 0
        if back:
            self.state.use()
        return 0

    cdef int step(self, double h) except -1 nogil:
        """From `time` to `time` + h, or an exception and not at all."""
        cdef int k
        begin(self.m, self.d, &self.s)
        self.moving = True
        for k in range(4):
            if k > 0:
                next_stage(self.m, self.d, &self.s, NODE[k] * h)
            self.accelerate(self.time + NODE[k] * h)
            if k == 0 and self.looped:
                self.measure_loops()
            count(self.m, &self.s, WEIGHT[k])
        finish(self.m, self.d, &self.s, h)
        if self.looped:
            self.onto_loops(h)
        if not (_finite(self.d.q, self.m.nq) and _finite(self.d.v, self.m.nv)):
            self.diverged(self.d.v)
        self.moving = False
        return 0

    cdef int accelerate(self, double t) except -1 nogil:
        """A = vd(t, q, v): the one place where the acceleration of a stage comes from."""
        cdef int i, j
        if self.control is not None:
            self.ask(t)
        if self.looped:
            self.through_loops()
        else:
            aba_inward(self.m, self.d, self.tau, NULL, False)
            if singular(self.m, self.d, &i, &j):
                self.refuse()
            aba_outward(self.m, self.d, self.s.A)
        if not _finite(self.s.A, self.m.nv):
            self.diverged(self.s.A)
        return 0

    cdef int ask(self, double t) except -1 with gil:
        """tau from the user's control, which may look at the state, not change it."""
        cdef cnp.ndarray tau
        self.hand_over(False)
        tau = vector_in(self.control(t, self.state), self.m.nv, "what control(t, state) returns")
        self.hand_over(True)
        memcpy(self.tau, data(tau), self.m.nv * sizeof(double))
        return 0

    cdef int through_loops(self) except -1 with gil:
        """Accelerations of a mechanism with loops."""
        solve_constrained(self.state, self.tau, self.stiffness, self.damping, False, self.s.A, NULL)
        return 0

    cdef int measure_loops(self) except -1 with gil:
        """Constraint violation and its rate after the first stage of a step."""
        cdef Loops w = loops_of(self.state)       # what the stage left there
        cdef int i
        for i in range(self.m.nc):
            self.error[i] = w.e[i]
        row_products(self.m, &w, self.d.v, self.rate)
        return 0

    cdef int onto_loops(self, double h) except -1 with gil:
        """The velocity at the end of a step, projected: the loops open as fast as their stabilisation says.

        Of a regular pose that is what the stages found, to the order of the method.  Where a linkage passes a singular
        pose, rows that were no constraint become one, and what a stage left across them would be energy from nothing:
        a step that leaves much there is taken again by `projected_step`.
        """
        cdef double change
        cdef CModel* m = self.m
        if not (_finite(self.d.q, m.nq) and _finite(self.d.v, m.nv)):
            return self.projected_step(h)
        self.next_rate(h)
        change = project_onto_loops(self.state, self.d.v, self.next)
        self.d.stage = 0
        if not change <= JUMP * kinetic_energy(self.state):
            return self.projected_step(h)
        return 0

    cdef void next_rate(self, double h) noexcept:
        """How fast the loops shall open a time h on, by e'' = -damping e' - stiffness e and the method's order."""
        cdef double e, r, de, dr
        cdef int i, k
        for i in range(self.m.nc):
            de, dr = self.error[i], self.rate[i]
            r = dr
            for k in range(1, 5):                 # the terms of the exponential function, up to h^4
                e = de
                de = h / k * dr
                dr = -h / k * (self.damping * dr + self.stiffness * e)
                r += dr
            self.next[i] = r

    cdef int projected_step(self, double h) except -1:
        """A step of first order without multipliers: the tree moves freely, and projections take what loops refuse.

        A projection onto closed loops never adds kinetic energy.
        """
        undo(self.m, self.d, &self.s)
        if self.control is not None:
            self.ask(self.time)
        aba_inward(self.m, self.d, self.tau, NULL, False)
        check_regular(self.state.model, self.d)
        aba_outward(self.m, self.d, self.s.A)
        cdef int k
        for k in range(self.m.nv):
            self.d.v[k] += h * self.s.A[k]
        self.d.stage = 0
        if _finite(self.d.v, self.m.nv):
            project_onto_loops(self.state, self.d.v, NULL)
            integrate_joints(self.m, self.d.q, self.d.v, h)
            self.d.stage = 0
            project_onto_loops(self.state, self.d.v, NULL)
            self.d.stage = 0
        return 0

    cdef int refuse(self) except -1 with gil:
        """A joint moves no inertia, unless the numbers that say so are not finite themselves."""
        if not (_finite(self.d.q, self.m.nq) and _finite(self.d.v, self.m.nv)):
            self.diverged(self.d.v)
        check_regular(self.state.model, self.d)
        return 0

    cdef int diverged(self, const double* x) except -1 with gil:
        """DivergenceError that names a joint whose part of x, v or vd, is not finite, and when."""
        cdef int k
        model = self.state.model
        what = "a configuration"
        for k in range(self.m.nv):
            if not math.isfinite(x[k]):
                what = f"the {'acceleration' if x == self.s.A else 'velocity'} of joint {model.joint_of(k)!r}"
                break
        raise DivergenceError(
            f"step from time {self.time:.6g} s: {what} of mechanism {model.mechanism.name!r} is not finite; the state "
            f"was left at that time. Try a smaller time_step than {self.h:g} s"
        )


def simulate(state, duration, time_step=1e-3, control=None, every=1, stiffness=100.0, damping=20.0,
             progress=None):
    """Let a mechanism move by itself: integrate v' = vd(q, v, tau) and q' = v over a time.

    The classical Runge-Kutta method of order 4 with fixed steps, on the configuration manifold: H. Munthe-Kaas, High
    order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29 (1999).  Rotations stay rotations and keep
    the full order.  For contact, limits and controllers with a clock of their own, use a World.

    Parameters
    ----------
    state : State or ArticulatedSystem
        Where to start.  A State moves along and ends at the final time, so that a second call continues.  A robot in a
        World, given as itself or as ``robot.state``, stays where it is, since steps alone move it with the World's
        time: a copy of its state moves.
    duration : float
        How long [s], 0 or more.  The last step is shortened to end there exactly.
    time_step : float
        Length of a step [s].
    control : callable, optional
        `control(t, state)` -> tau, (nv,): generalized forces [N m or N] at time t [s, 0 at the start] and at the
        configuration and velocity that `state` then has.  Called four times a step.  It may compute anything from the
        state, which is the one given above or a robot's copy, but not set it or edit its mechanism.  No forces by
        default.
    every : int
        Keep the state after every so many steps; the first and the last are always kept.
    stiffness, damping : float
        Gains [1/s^2, 1/s] with which errors of loop joints decay.
    progress : callable, optional
        `progress(done, steps)`, called now and then with the numbers of steps done and in all.

    Returns
    -------
    trajectory : Trajectory
        Times, configurations and velocities.

    Raises
    ------
    DivergenceError
        If a step ends in numbers that are not finite.
    StateError
        If a number is negative, not finite or not a number, if `control` returns something else than nv finite
        numbers, or sets the state.
    StaleModelError
        If the mechanism was edited, before, by `control` or by `progress`.
    BusyError
        If another thread steps the state.
    MechanismError
        If a joint moves no inertia.

    Notes
    -----
    Whatever is raised, also by `control`, `progress` or Ctrl-C, leaves the state at the end of the last whole step.
    At the end of a step with loops the velocity is projected onto them, so that passing a singular pose, where a
    linkage gains a freedom, adds no energy.
    Gravity and `control` are all that acts: damping, friction, springs and limits of joints are a World's business.
    A force f at a point is `point_jacobian(state, body, point).T @ f` in `control`.
    """
    cdef State here = state_of(state)
    if here is not state or owner_of(here) is not None:
        here = here.copy()
    cdef _Run run = _Run()
    run.duration, run.h = _time(duration, "duration", False), _time(time_step, "time_step", True)
    run.stiffness, run.damping = _gain(stiffness, "stiffness"), _gain(damping, "damping")
    for what, call in (("control", control), ("progress", progress)):
        if call is not None and not callable(call):
            raise StateError(f"{what} must be a function or None, got {call!r}")
    run.control, run.progress = control, progress
    run.steps, run.every = _steps(run.duration, run.h), _every(every)
    run.prepare(here)
    run.make_room()
    if here.frozen:
        raise StateError("this State is in the middle of a step, of a World or of simulate; simulate after the step")
    here.frozen, here.stepper = True, PyThread_get_thread_ident()
    try:
        with nogil:
            run.go()
    finally:
        here.frozen, here.stepper = False, 0
        if run.moving:
            undo(run.m, run.d, &run.s)
    return Trajectory(run.times, run.q, run.v, here.model)


def _gain(value, name):
    """A finite float of 0 or more."""
    x = float(vector_in([value], 1, name)[0])
    if x < 0:
        raise StateError(f"{name} must not be negative, got {x:g}")
    return x


def _time(value, name, above):
    """A finite float of 0 or more [s], or above 0."""
    x = _gain(value, name)
    if above and x == 0:
        raise StateError(f"{name} must be above 0, got {x:g}")
    return x


def _steps(duration, h):
    """How many steps of h make up the duration; a remainder below a billionth of a step counts as rounding."""
    ratio = duration / h
    if not ratio < 2.0**53:
        raise StateError(f"duration {duration:g} s has too many steps of time_step {h:g} s")
    return max(1, math.ceil(ratio - 1e-9)) if duration > 0 else 0


def _every(value):
    try:
        steps = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        steps = 0
    if not 0 < steps < 2**31:
        raise StateError(f"every must be a number of steps, an int of 1 or more, got {value!r}")
    return steps
