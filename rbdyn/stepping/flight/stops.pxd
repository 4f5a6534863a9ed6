# Where limits stop the free motion of joints: the middle of a step is looked for on this side of them.
#
# A motor that presses a joint against its stop accelerates it freely by what the stop takes away again.  With the mass
# matrix of a place that is never reached, the two would not cancel out: what they left moved the base of a robot that
# lay on the ground, at 5 m/s^2 where 1,700 N m pressed.

from libc.math cimport fabs, fmax, fmin

from rbdyn.stepping.coordinates cimport coordinate
from rbdyn.stepping.flight.ties cimport is_rigid
from rbdyn.stepping.scene cimport Limit, Mimic, System

cdef inline bint follow_stopped(const System* s, double* v) noexcept nogil:
    """Joints that follow others go no faster than the slower one of each two lets them; whether some were."""
    cdef const Mimic* m
    cdef double asked
    cdef bint news = False
    cdef int k
    for k in range(s.control.n_mimics):
        m = s.control.mimic + k
        asked = m.multiplier * v[m.leader_dof]
        if not is_rigid(s, m) or v[m.dof] == asked:
            continue
        if fabs(v[m.dof]) > fabs(asked):
            v[m.dof] = asked
            news = True
        elif fabs(v[m.dof]) < (1.0 - 1e-12) * fabs(asked):
            v[m.leader_dof] = v[m.dof] / m.multiplier
            news = True
    return news

cdef inline void stop_at_limits(const System* s, double* v, double dt) noexcept nogil:
    """Joints whose mean velocity v would lead them beyond a limit stop at it: those that rest there do so here, too.

    What gives way lets them go on; but what rests on it is not seen to fall.
    """
    cdef const Limit* limit
    cdef double q, now, then
    cdef bint stopped = False
    cdef int k
    for k in range(s.control.n_limits):
        limit = s.control.limit + k
        q = coordinate(limit, s.d.q)
        if limit.soft.softness > 0.0:
            then, now = v[limit.dof], s.d.v[limit.dof]
            if not limit.lower <= q + dt * then <= limit.upper and fabs(then - now) > fabs(now):
                v[limit.dof] = now
            continue
        if q + dt * v[limit.dof] > limit.upper and v[limit.dof] > 0.0:
            v[limit.dof] = fmax(0.0, (limit.upper - q) / dt)
            stopped = True
        elif q + dt * v[limit.dof] < limit.lower and v[limit.dof] < 0.0:
            v[limit.dof] = fmin(0.0, (limit.lower - q) / dt)
            stopped = True
    if stopped:
        for _ in range(s.control.n_mimics):
            if not follow_stopped(s, v):
                return
