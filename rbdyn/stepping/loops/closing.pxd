# Loops that integration has opened are closed in positions: no velocity follows from it.

from libc.string cimport memcpy

from rbdyn.kernels.cod cimport solve_adjoint
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.kinematics cimport poses
from rbdyn.kernels.loops cimport loop_errors
from rbdyn.stepping.columns cimport from_normalised
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.loops.elimination cimport largest
from rbdyn.stepping.scene cimport System

cdef enum:
    MOST_CLOSINGS = 8

cdef inline double errors_at(System* s, const double* q) noexcept nogil:
    """loops.e at the configuration q; the largest of them [rad or m]."""
    look_ahead(s, q, s.work.v_next)
    poses(s.m, &s.ahead)
    loop_errors(s.m, &s.ahead, s.work.loops.e)
    return largest(s.work.loops.e, s.m.nc)

cdef inline void close_positions(System* s, double most) noexcept nogil:
    """Bring q_next onto the loops, by steps M~^-1 K^T of the start of the step, which are shortest in kinetic energy.

    An error is closed by `most` [rad or m] at a time, so that loops that were open at the start close smoothly.  A step
    that leaves more than half of an error is the last one, and is not taken if it leaves more than there was.
    """
    cdef double open = errors_at(s, s.work.q_next), before, share
    cdef int i, _k
    for _k in range(MOST_CLOSINGS):
        if not open > 1e-13:
            return
        share = min(1.0, most / open)
        for i in range(s.m.nc):
            s.work.loops.b[i] = -share * s.work.loops.scale[i] * s.work.loops.e[i]
        solve_adjoint(&s.work.loops.Y, s.work.loops.b, s.work.loops.x)
        from_normalised(s, s.work.loops.x)
        memcpy(s.work.loops.q, s.work.q_next, s.m.nq * sizeof(double))
        integrate_joints(s.m, s.work.loops.q, s.work.loops.x, 1.0)
        before = open
        open = errors_at(s, s.work.loops.q)
        if not open < before:
            return
        memcpy(s.work.q_next, s.work.loops.q, s.m.nq * sizeof(double))
        if share < 1.0 or open > 0.5 * before:
            return
