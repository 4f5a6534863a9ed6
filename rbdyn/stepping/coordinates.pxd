# What position limits bound: a number of q, or the angle of its sine and cosine.

from libc.math cimport cos, sin

from rbdyn.model.joints.sincos_revolute cimport sincos_revolute_angle
from rbdyn.stepping.scene cimport Limit

cdef inline double coordinate(const Limit* limit, const double* q) noexcept nogil:
    """The limited coordinate at q [rad or m]: of an angle's turns the one nearest to the middle between the limits."""
    if limit.is_pair:
        return sincos_revolute_angle(q + limit.q, 0.5 * (limit.lower + limit.upper))
    return q[limit.q]

cdef inline void put_coordinate(const Limit* limit, double* q, double x) noexcept nogil:
    """Set the limited coordinate of q to x [rad or m]."""
    if limit.is_pair:
        q[limit.q], q[limit.q + 1] = sin(x), cos(x)
    else:
        q[limit.q] = x
