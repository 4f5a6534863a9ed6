# Where limits stop the free motion of joints: the middle of a step is looked for on this side of them.
#
# A motor that presses a joint against its stop accelerates it freely by what the stop takes away again.  With the mass
# matrix of another place the two would not cancel out: what they left moved the base of a robot that lay on the ground,
# at 5 m/s^2 where 1,700 N m pressed.  So the free acceleration is that of the start of the step.  To it comes by what
# the middle differs from the start along the way that stops leave: of the system with these joints locked.

from libc.math cimport fabs, fmax, fmin

from rbdyn.kernels.aba cimport aba_inward
from rbdyn.model._model cimport CData
from rbdyn.stepping.coordinates cimport coordinate
from rbdyn.stepping.flight.ties cimport free_acceleration, is_rigid
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

cdef inline bint stop_at_limits(const System* s, double* v, double dt) noexcept nogil:
    """Joints whose mean velocity v would lead them beyond a limit stop at it: those that rest there do so here, too.

    What gives way lets them go on; but what rests on it is not seen to fall.  Tells whether a hard limit stops any.
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
                break
    return stopped

cdef inline double implicit_at(const System* s, int k) noexcept nogil:
    """What implicit terms add to the diagonal of M."""
    return s.work.implicit[k] if s.work.implicit is not NULL else 0.0

cdef inline bint is_locked(const System* s, int k) noexcept nogil:
    """Tell whether lock_stopped locks a degree of freedom."""
    return s.work.error[k] != implicit_at(s, k)

cdef inline bint lock_stopped(System* s, double dt) noexcept nogil:
    """Lock joints that stand at a stop, or follow one: ahead.v is not their free velocity in the middle of the step.

    work.error: what is added to the diagonal of M, of locked joints 1e12 times their inertia.  Reads factors at the
    start.  False, and no lock is of use, where a joint comes to its stop in the step, by more than 1e-6 rad or m.
    """
    cdef double inertia
    cdef int i, k, v0
    for i in range(1, s.m.nb):
        v0 = s.m.vi[i]
        for k in range(v0, v0 + s.m.nvi[i]):
            s.work.error[k] = implicit_at(s, k)
            if s.ahead.v[k] == s.d.v[k] + 0.5 * dt * s.work.vd[k]:
                continue
            if dt * fmax(fabs(s.ahead.v[k]), fabs(s.d.v[k])) > 1e-6:
                return False
            inertia = s.d.D[6 * k + k - v0]            # of several degrees of freedom: the root of it
            s.work.error[k] += 1e12 * (inertia if s.m.nvi[i] == 1 else inertia * inertia)
    return True

cdef inline void locked_acceleration(System* s, CData* d, double* a) noexcept nogil:
    """a (nv,), the free acceleration at the place d with locked joints; the factors there are those with locks."""
    cdef double* tau = s.work.v_next
    cdef int k
    for k in range(s.m.nv):
        tau[k] = 0.0 if is_locked(s, k) else s.work.tau[k]
    aba_inward(s.m, d, tau, s.work.error, s.control.has_wrenches)
    free_acceleration(s, d, a)
    for k in range(s.m.nv):
        if is_locked(s, k):
            a[k] = 0.0
