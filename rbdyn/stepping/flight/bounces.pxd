# The energy of a step in which a robot in flight bounces off a stop.
#
# A stop turns velocities round at once, with the mass matrix of the start; what that changes by in the step is of a
# motion that is neither the one before nor the one after.  So the energy at the end is off, either way, by as much as
# the mass matrix changes.  But what it should be is known.  Under the trapezoid rule constant forces do tau . (q+ - q),
# and an impulse lam along a row does lam (u + u+) / 2: nothing where e = 1, and what Newton's law takes otherwise, with
# any number of stops at once.  Loops do no work.  The joints are given the speed that this leaves.
#
# And loops, which free motion would have led further, are closed by the velocities where the bounce has led.
#
# Source: the work of an impulse, Kelvin and Tait; J. J. Moreau on collisions of several contacts.

from libc.math cimport fabs, fmax, fmin

from rbdyn.kernels.cod cimport dot, times_q_transposed
from rbdyn.kernels.configuration cimport difference_joints
from rbdyn.stepping.columns cimport to_normalised
from rbdyn.stepping.flight.energy cimport energy, kinetic, leave_kinetic, potential
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.loops.closing cimport close_velocities
from rbdyn.stepping.loops.forces cimport forces_work, to_rows
from rbdyn.stepping.scene cimport System

cdef inline void note_work(System* s) noexcept nogil:
    """What rows do in this step [J]: z . x_m, with the mean velocity x_m in the coordinates of the impulses work.z.

    Of what they do to loops that the velocities open the loops' load is the opposite.
    """
    cdef double* t = s.work.error
    cdef double* x = s.work.vd
    cdef int i, rank = 0
    for i in range(s.m.nv):
        t[i] = 0.5 * (s.d.v[i] + s.work.v_free[i])
    to_normalised(s, t, x)
    if s.work.loops.eliminated:
        rank = s.work.loops.Y.rank
        times_q_transposed(&s.work.loops.Y, x)
        to_rows(s, x + rank)
    s.work.row_work = dot(s.m.nv - rank, s.work.z, x + rank) + 0.5 * dot(s.m.nv - rank, s.work.z, s.work.z)
    if rank:
        s.work.row_work -= dot(rank, s.work.loops.load, x)

cdef inline double joint_work(System* s, double dt) noexcept nogil:
    """What motors, springs and damping of the tree do [J]."""
    cdef double* way = s.work.error
    cdef double work = 0.0
    cdef int k
    difference_joints(s.m, s.d.q, s.work.q_next, way)
    for k in range(s.m.nv):
        work += way[k] * (s.work.tau[k] - s.work.extra[k] * (s.work.v_next[k] - s.d.v[k]) / dt)
    return work

cdef inline double most_growth(const System* s) noexcept nogil:
    """How many times the kinetic energy may be, at most 1.2, such that no joint passes its velocity limit."""
    cdef double most = 1.2, v
    cdef int j
    for j in range(s.control.n_speed_limits):
        v = fabs(s.work.v_next[s.control.speed_limit[j].dof])
        if v * v * most > s.control.speed_limit[j].speed * s.control.speed_limit[j].speed:
            most = (s.control.speed_limit[j].speed / v) * (s.control.speed_limit[j].speed / v)
    return fmax(most, 1.0)

cdef inline void balance_bounce(System* s, double dt) noexcept nogil:
    """Leave the energy that it had, with what was done to it: the joints slow down, or speed up by a tenth at most."""
    cdef double left, now
    if s.work.loops.eliminated:
        close_velocities(s)
    left = energy(s.m, s.d) + s.work.row_work + joint_work(s, dt) + forces_work(s)
    look_ahead(s, s.work.q_next, s.work.v_next)
    now = kinetic(s.m, &s.ahead, s.work.v_next, NULL)
    left -= potential(s.m, &s.ahead)
    leave_kinetic(s, now, fmin(left, most_growth(s) * now), s.work.grounded)
