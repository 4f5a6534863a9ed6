"""Closing loops: the configuration near a given one at which every loop joint fits."""

import numpy as np

from rbdyn.arguments import number, whole
from rbdyn.errors import LoopError, StateError

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.algorithms.loops.constrained cimport loops_of
from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.kernels.cod cimport Cod, cod_factor, cod_place, cod_size, dot, norm_of, solve_adjoint
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.closed.constrained cimport Loops, loops_size, tolerance as dependence
from rbdyn.kernels.kinematics cimport poses
from rbdyn.kernels.closed.groups cimport Group, gather_rows_of, group_matrix, row_product, spread_joints
from rbdyn.kernels.loops cimport loop_errors
from rbdyn.model._model cimport CLoop, CModel
from rbdyn.model.joints.dispatch cimport allowed_directions
from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State

cdef double CAUTION = 0.1       # Levenberg-Marquardt damping per length of the error
cdef int HALVINGS = 40          # of one step, before it counts as stuck


cdef double _largest(const double* e, int n) noexcept nogil:
    cdef double most = 0.0
    cdef int i
    for i in range(n):
        most = max(most, fabs(e[i]))
    return most


cdef void _errors(State state, Loops* w) noexcept:
    """e at the state's q."""
    state.c.stage = 0
    poses(&state.model.c, &state.c)
    loop_errors(&state.model.c, &state.c, w.e)


cdef double _step(State state, Loops* w, double* memory, double* step) noexcept:
    """The shortest step, damped, that would close the loops if they were linear; returns the rate of |e|^2 along it.

    (K^T K + mu^2 1) step = -K^T e,
    as min |K step + e|^2 + mu^2 |step|^2, that is, step = -K^T (K K^T + mu^2 1)^-1 e, by the columns [K^T; mu 1],
    group by group of loops that share joints.
    """
    cdef CModel* m = &state.model.c
    cdef Group* c
    cdef Cod Q
    cdef int n, i
    cdef double rate = 0.0, mu = CAUTION * norm_of(m.nc, w.e)
    memset(step, 0, m.nv * sizeof(double))
    for n in range(w.g.n):
        c = w.g.group + n
        group_matrix(m, &state.c, &w.g, c)
        cod_place(&Q, c.dofs + c.rows, c.rows, memory)
        memset(Q.A, 0, Q.m * <size_t> Q.n * sizeof(double))
        gather_rows_of(m, &w.g, c, w.e, w.t)
        for i in range(c.rows):
            memcpy(Q.A + <size_t> Q.m * i, c.K + <size_t> c.dofs * i, c.dofs * sizeof(double))
            Q.A[<size_t> Q.m * i + c.dofs + i] = mu
            w.t[i] = -w.t[i]
        cod_factor(&Q, dependence())
        solve_adjoint(&Q, w.t, w.t + c.rows)
        spread_joints(m, &w.g, c, w.t + c.rows, step)
        for i in range(c.rows):
            rate -= 2.0 * w.t[i] * row_product(m, &w.g, c, i, step)
    return rate


cdef bint _advance(State state, Loops* w, double* memory, double* start) noexcept:
    """One step, halved until the error shrinks; False, at the old place, if it does not.

    Along the step, |e|^2 first falls at the rate 2 e.K step < 0: K^T e is half its gradient.  A small part of that fall
    is enough, so that a step out of a singular place, where the rate is next to zero, is taken.
    """
    cdef CModel* m = &state.model.c
    cdef double* step = start + m.nq
    cdef double old = dot(m.nc, w.e, w.e), s = 1.0
    cdef double rate = _step(state, w, memory, step)
    cdef int _k
    memcpy(start, state.c.q, m.nq * sizeof(double))
    for _k in range(HALVINGS):
        memcpy(state.c.q, start, m.nq * sizeof(double))
        integrate_joints(m, state.c.q, step, s)
        _errors(state, w)
        if dot(m.nc, w.e, w.e) < old + 1e-4 * s * rate:
            return True
        s *= 0.5
    memcpy(state.c.q, start, m.nq * sizeof(double))
    _errors(state, w)
    return False


cdef object _furthest(Model model, const double* e):
    """The loop joint that is furthest open, how far it is turned [rad], and how far it is moved [m]."""
    cdef const CLoop* c
    cdef const double* error
    cdef int k, turns
    found = "", -1.0, 0.0
    for k, name in enumerate(model.loop_names):
        c = model.c.loops + k
        error = e + c.row
        turns = c.rows - _blocked_translations(c.kind)
        gap = norm_of(turns, error), norm_of(c.rows - turns, error + turns)
        if max(gap) > max(found[1:]):
            found = name, *gap
    return found


cdef int _blocked_translations(int kind) noexcept:
    """How many of three a loop joint blocks."""
    cdef int allowed = allowed_directions(kind)
    return 3 - (allowed >> 3 & 1) - (allowed >> 4 & 1) - (allowed >> 5 & 1)


def furthest_open(Model model not None, error):
    """Name of the loop joint that is furthest open in `error`, as `loop_error` returns it, and the gap [rad], [m]."""
    return _furthest(model, data(vector_in(error, model.c.nc, "error")))


cdef object _stuck(Model model, const double* e, int steps, double goal):
    """The error that names the joint which is furthest open."""
    worst, turned, moved = _furthest(model, e)
    return LoopError(
        f"q cannot be brought onto the loops: after {steps} steps loop joint {worst!r} is still open by {turned:.3g} "
        f"rad and {moved:.3g} m, and tolerance is {goal:.3g}; start nearer, or check where loop joints are attached"
    )


def project_configuration(model, q=None, tolerance=1e-12, max_iterations=50):
    """A configuration near `q` at which all loops are closed.

    Gauss-Newton steps of minimum length on the configuration manifold, damped after Levenberg and Marquardt while the
    error is large, and halved until the error shrinks.

    Parameters
    ----------
    model : Model or State
        Whose loops.  A State is not changed.
    q : (nq,) array_like of float, optional
        Where to start [rad or m]; a State's own q by default.  Quaternions must be of unit length.
    tolerance : float
        Largest entry of `loop_error` that counts as closed [rad, m].
    max_iterations : int
        Most steps.

    Returns
    -------
    q : (nq,) ndarray of float64
        Reached by short steps, so near the start, though not the very nearest.  Joint limits are not looked at.

    Raises
    ------
    LoopError
        If the loops are still open after `max_iterations`, or no step closes them further; it names the loop joint that
        is furthest open.
    StateError
        If a length is wrong, a number is not finite, or a quaternion is not of unit length.
    """
    cdef State at, given
    cdef Model of
    cdef CModel* m
    cdef Loops w
    cdef size_t before, size, nc, nv
    cdef double* memory
    cdef double goal = number(tolerance, "tolerance", above=0.0, error=StateError)
    cdef int steps = 0, most = whole(max_iterations, "max_iterations", 0, 2**31 - 1, error=StateError)
    if isinstance(model, State):
        given = model
        given.use()
        of = given.model
        q = given.q if q is None else q
    elif isinstance(model, Model):
        of = model
    else:
        raise StateError(f"model must be a Model or a State, got {type(model).__name__}")
    if q is None:
        raise StateError("q must be given with a Model; a State has its own")
    m = of.use()
    at = State(of)
    at.set(vector_in(q, m.nq, "q"))
    nc, nv, before = m.nc, m.nv, loops_size(m)
    size = before + (m.nq + nv + nc + cod_size(nv + nc, nc)) * sizeof(double)
    memory = <double*> (<char*> at.workspace(size) + before)
    w = loops_of(at)
    _errors(at, &w)
    while _largest(w.e, m.nc) > goal:
        if steps == most or not _advance(at, &w, memory + m.nq + nv + nc, memory):
            raise _stuck(of, w.e, steps, goal)
        steps += 1
    return np.array(at.q)
