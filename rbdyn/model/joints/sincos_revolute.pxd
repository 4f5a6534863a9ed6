# Revolute, its q written as [sine, cosine] of the angle; all but q is as in revolute.pxd.

from libc.math cimport atan2, floor, sqrt

from rbdyn.model.joints.turn cimport turned_z
from rbdyn.spatial._algebra cimport Xform, real, xform
from rbdyn.spatial.constants cimport Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport sincos_d

cdef inline Xform sincos_revolute_transform(const real* q, const Xformd* T) noexcept nogil:
    """X_J(q) X_tree."""
    return xform(turned_z(q[0], q[1], load_mat3(T.E)), load_vec3(T.r))

cdef inline double sincos_revolute_angle(const double* x, double middle) noexcept nogil:
    """The angle whose sine and cosine are x, of all its turns the one nearest to `middle` [rad]."""
    cdef double angle = atan2(x[0], x[1]), turn = 6.283185307179586
    return angle - turn * floor((angle - middle) / turn + 0.5)

cdef inline void sincos_revolute_integrate(double* x, const double* v, double dt) noexcept nogil:
    """x = [sine, cosine] <- that of an angle larger by v dt [rad], normalised."""
    cdef double s, c, n, sine
    sincos_d(dt * v[0], &s, &c)
    sine = x[0] * c + x[1] * s
    x[1] = x[1] * c - x[0] * s
    n = 1.0 / sqrt(sine * sine + x[1] * x[1])
    x[0] = n * sine
    x[1] *= n

cdef inline void sincos_revolute_difference(const double* x, const double* y, double* v) noexcept nogil:
    """v with x (+) v = y."""
    v[0] = atan2(y[0] * x[1] - y[1] * x[0], y[1] * x[1] + y[0] * x[0])
