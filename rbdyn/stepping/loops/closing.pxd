# Loops that integration has opened are closed in positions: no velocity follows from it.

from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport solve_adjoint
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport Rows, loop_errors, loop_matrix, row_velocity, scatter
from rbdyn.model._model cimport CLoop
from rbdyn.model.joints.dispatch cimport allowed_directions
from rbdyn.stepping.columns cimport force_to_normalised, from_normalised
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.loops.elimination cimport add_multipliers, decompose_rows, largest
from rbdyn.stepping.loops.normal cimport solve_normal
from rbdyn.stepping.scene cimport System

cdef enum:
    MOST_CLOSINGS = 8         # with the rows of the step
    MOST_NEWTON_STEPS = 5     # with rows of their own

cdef inline double closed() noexcept nogil:
    """What counts as closed [rad or m]."""
    return 1e-11

cdef inline void leave_soft(System* s) noexcept nogil:
    """Rows that give way are as far open as their load says: that is no error."""
    cdef const CLoop* c
    cdef int n, k, row, allowed
    for n in range(s.m.n_loops):
        c = s.m.loops + n
        row, allowed = c.row, allowed_directions(c.kind)
        for k in range(6):
            if not allowed >> k & 1:
                if s.control.soft[2 * n + k // 3].softness > 0.0:
                    s.work.loops.e[row] = 0.0
                row += 1

cdef inline double errors_at(System* s, const double* q) noexcept nogil:
    """loops.e at the configuration q; the largest of them [rad or m]."""
    look_ahead(s, q, s.work.v_next)
    poses(s.m, &s.ahead)
    loop_errors(s.m, &s.ahead, s.work.loops.e)
    if s.control.inloop:
        leave_soft(s)
    return largest(s.work.loops.e, s.m.nc)

cdef inline void shortest_in_loops(System* s) noexcept nogil:
    """loops.x, the shortest with Y^T x = b."""
    if s.work.loops.normal:
        memset(s.work.loops.x, 0, s.m.nv * sizeof(double))
        solve_normal(s, s.work.loops.b, s.work.loops.x)
    else:
        solve_adjoint(&s.work.loops.Y, s.work.loops.b, s.work.loops.x)

cdef inline bint close_once(System* s, double share, double* open) noexcept nogil:
    """Take the step of q_next that closes a share of loops.e, the shortest in kinetic energy, if it makes `open` less.

    Returns whether it left less than half of it.
    """
    cdef double before = open[0], after
    cdef int i
    for i in range(s.m.nc):
        s.work.loops.b[i] = -share * s.work.loops.scale[i] * s.work.loops.e[i]
    shortest_in_loops(s)
    from_normalised(s, s.work.loops.x)
    memcpy(s.work.loops.q, s.work.q_next, s.m.nq * sizeof(double))
    integrate_joints(s.m, s.work.loops.q, s.work.loops.x, 1.0)
    after = errors_at(s, s.work.loops.q)
    if not after < before:
        return False
    memcpy(s.work.q_next, s.work.loops.q, s.m.nq * sizeof(double))
    open[0] = after
    return after < 0.5 * before

cdef inline void decompose_at_end(System* s, double open) noexcept nogil:
    """The rows at q_next, whose poses are current in s.ahead, in the normalised coordinates of the step."""
    cdef int i, n = s.m.nv
    memset(s.work.loops.K, 0, (s.m.nc + s.m.nr) * <size_t> n * sizeof(double))
    loop_matrix(s.m, &s.ahead, s.work.loops.K)
    for i in range(s.m.nc):
        force_to_normalised(s, s.work.loops.K + <size_t> n * i, s.ahead.f, s.work.loops.Y.A + <size_t> n * i)
    decompose_rows(s, open)

cdef inline void close_positions(System* s, double most) noexcept nogil:
    """Bring q_next onto the loops, with the mass matrix and the rows that were decomposed for the step.

    An error is closed by `most` [rad or m] at a time, so that loops that were open at the start close smoothly.  Where
    a linkage comes near a singular pose its rows change too much in a step: then with those of its end.
    """
    cdef double open = errors_at(s, s.work.q_next)
    cdef int _k
    if open > most:
        close_once(s, most / open, &open)
        return
    for _k in range(MOST_CLOSINGS):
        if not open > closed() or not close_once(s, 1.0, &open):
            break
    if not open > 100.0 * closed():
        return
    add_multipliers(s)
    for _k in range(MOST_NEWTON_STEPS):
        open = errors_at(s, s.work.q_next)
        decompose_at_end(s, open)
        if not open > closed() or not close_once(s, 1.0, &open):
            return

cdef inline void close_velocities(System* s) noexcept nogil:
    """Let v_next close the loops at q_next, by the change of least kinetic energy, with the rows of the step."""
    cdef Rows to
    cdef int n, i
    to.matrix, to.stride, to.rotor_row = s.work.loops.b, 1, -1
    look_ahead(s, s.work.q_next, s.work.v_next)
    poses(s.m, &s.ahead)
    velocities(s.m, &s.ahead)
    for n in range(s.m.n_loops):
        to.row = s.m.loops[n].row
        scatter(s.m.loops + n, row_velocity(&s.ahead, s.m.loops + n), to, 0)
    for i in range(s.m.nc):
        s.work.loops.b[i] *= -s.work.loops.scale[i]
    shortest_in_loops(s)
    from_normalised(s, s.work.loops.x)
    for i in range(s.m.nv):
        s.work.v_next[i] += s.work.loops.x[i]
