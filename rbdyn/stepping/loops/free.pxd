# The free velocity of a system whose loops are eliminated: that of its tree, with the loops closed.
#
# In flight, as midpoint.pxd has it: acceleration in the middle of the step, to which that of the closed mechanism at
# the start leads, and there the loops are closed for the velocity of its end, K_1 v_1 = 0 to second order.

from libc.string cimport memset

from rbdyn.kernels.kinematics cimport poses
from rbdyn.stepping.columns cimport free_twists, normalise_columns
from rbdyn.stepping.flight.free cimport accelerate_at_start, fastest_turn, flies, floats, slow_turn
from rbdyn.stepping.flight.midpoint cimport midpoint_acceleration
from rbdyn.stepping.flight.ties cimport add_tie_impulses
from rbdyn.stepping.loops.elimination cimport close_acceleration, close_velocity, decompose_loops, prepare_flight
from rbdyn.stepping.loops.forces cimport begin_forces
from rbdyn.stepping.loops.ties cimport obey_ties_closed, obeys_ties
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.scheme cimport Scheme

cdef inline void forget_loop_impulses(System* s) noexcept nogil:
    """A step begins: loop joints have done nothing yet."""
    cdef int n
    s.work.loops.held = False
    memset(s.work.loops.lam, 0, s.m.nc * sizeof(double))
    memset(s.work.loops.along, 0, 6 * s.m.n_loops * sizeof(double))
    for n in range(s.m.n_loops):
        s.work.loops.drive[2 * n] = 0.0

cdef inline void advance_velocity(System* s, double dt) noexcept nogil:
    """v_free of the tree, from work.vd."""
    cdef int k
    for k in range(s.m.nv):
        s.work.v_free[k] = s.d.v[k] + dt * s.work.vd[k]

cdef inline void free_in_loops(System* s, double dt, Scheme scheme) noexcept nogil:
    """v_free, and the loops decomposed where they were closed for it."""
    s.work.parts = 0
    begin_forces(s, dt, scheme)
    accelerate_at_start(s, dt, scheme, floats(s, scheme))
    s.work.turning = fastest_turn(s.m, s.d.v, slow_turn(dt))
    normalise_columns(s, s.d)
    s.work.loops.middle = flies(s, scheme)
    if s.work.loops.middle:
        prepare_flight(s, s.d)
        close_acceleration(s, s.d, s.work.vd)
        if obeys_ties(s):
            obey_ties_closed(s, s.work.vd)
        midpoint_acceleration(s, dt, True)
        poses(s.m, &s.ahead)
        normalise_columns(s, &s.ahead)
        prepare_flight(s, &s.ahead)
        advance_velocity(s, dt)
        close_velocity(s, &s.ahead, s.work.v_free)
        if obeys_ties(s):
            obey_ties_closed(s, s.work.v_free)
            add_tie_impulses(s, 1.0)
    else:
        decompose_loops(s, s.d)
        advance_velocity(s, dt)
        close_velocity(s, s.d, s.work.v_free)
        free_twists(s)
