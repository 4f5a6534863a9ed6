# Floating, its rotation written as the stereographic projection p of its quaternion; all but q is as in floating.pxd.

from rbdyn.model.joints.floating cimport placed_by
from rbdyn.spatial._algebra cimport Mat3, Xform, real
from rbdyn.spatial.constants cimport Vec3d, Xformd
from rbdyn.spatial.quaternion cimport p_difference, p_step, spquat_E

cdef inline Xform spquat_floating_transform(const real* q, const Xformd* T, Mat3* EJ) noexcept nogil:
    """X_J(q) X_tree, and E_J."""
    EJ[0] = spquat_E(q + 3)
    return placed_by(q, T, EJ[0])

cdef inline void spquat_floating_integrate(double* q, const double* v, double dt) noexcept nogil:
    cdef int k
    for k in range(3):
        q[k] += dt * v[k]
    p_step(q + 3, dt * v[3], dt * v[4], dt * v[5])

cdef inline void spquat_floating_difference(const double* x, const double* y, double* v) noexcept nogil:
    cdef int k
    cdef Vec3d w
    for k in range(3):
        v[k] = y[k] - x[k]
    w = p_difference(x + 3, y + 3)
    v[3], v[4], v[5] = w.x, w.y, w.z
