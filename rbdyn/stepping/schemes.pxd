# Which scheme moves a robot in this step: what touches something moves otherwise than what flies.

from rbdyn.contact.targets cimport arriving_velocity, less_uphill
from rbdyn.stepping.scene cimport Scene, System
from rbdyn.stepping.scheme cimport RUNGE_KUTTA, SEMI_IMPLICIT, TRAPEZOID, Scheme, in_contact, make_scheme

cdef inline Scheme scheme_of(const Scene* s, const System* r) noexcept nogil:
    if r.work.touched:
        return in_contact(s.scheme)
    return make_scheme(TRAPEZOID) if r.m.nc and s.scheme.rule == RUNGE_KUTTA else s.scheme

cdef inline bint moves_by_new(const Scene* s, const System* r) noexcept nogil:
    """Whether positions follow from the velocities at the end of the step."""
    return scheme_of(s, r).rule == SEMI_IMPLICIT

cdef inline double stop_velocity(const Scene* s, const System* r, double v_in, double v_free, double gap,
                                 double restitution) noexcept nogil:
    """v* [m/s or rad/s] at a stop of a joint of a robot; velocities are positive towards it."""
    cdef bint by_new = moves_by_new(s, r)
    cdef double v = arriving_velocity(v_in, v_free, gap, s.dt, restitution, by_new)
    if by_new and s.scheme.rule != SEMI_IMPLICIT:
        return less_uphill(v, v_free - v_in, gap, s.dt, restitution)
    return v
