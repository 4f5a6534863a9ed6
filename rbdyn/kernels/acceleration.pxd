# Accelerations of bodies, gravity left out: what the joints' v and vd make of them.

from rbdyn.kernels.kinematics cimport path_to, support, velocities
from rbdyn.model._model cimport VELOCITIES, CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, add_m, apply_m, cross3, motion, mul3, zero_m

cdef inline void accelerate_body(const CModel* m, CData* d, int i, const double* vd) noexcept nogil:
    """a_i = X_i a_p + c_i + S_i vd_i, into d.a: the rate of v_i = X_i v_p + S_i v_i."""
    d.a[i] = add_joint_motion(m, d, i, vd + m.vi[i], add_m(apply_m(d.X[i], d.a[m.parent[i]]), d.c[i]))

cdef inline void accelerations(const CModel* m, CData* d, const double* vd) noexcept nogil:
    """Spatial acceleration of every body; d.a is scratch: valid until the next algorithm."""
    cdef int i
    velocities(m, d)
    d.a[0] = zero_m()
    for i in range(1, m.nb):
        accelerate_body(m, d, i, vd)

cdef inline void support_accelerations(const CModel* m, CData* d, int body, const double* vd) noexcept nogil:
    """`accelerations` of the bodies between the root and `body` only."""
    cdef int n
    support(m, d, body, VELOCITIES)
    d.a[0] = zero_m()
    n = path_to(m, d, body)
    while n > 0:
        n -= 1
        accelerate_body(m, d, d.path[n], vd)

cdef inline Motion velocity_product(const CModel* m, CData* d, int body) noexcept nogil:
    """Spatial acceleration of a body whose joints keep their velocities, body axes; velocities are current."""
    cdef Motion a = zero_m()
    cdef int n = path_to(m, d, body)
    while n > 0:
        n -= 1
        a = add_m(apply_m(d.X[d.path[n]], a), d.c[d.path[n]])
    return a

cdef inline Motion point_acceleration_of(const CData* d, int body, Vec3 x) noexcept nogil:
    """Angular acceleration of a body, classical acceleration of its point x; root axes; d.a and the poses are current.

    A point moves at u = v + w x x, and in the body's axes u' + w x u = a + alpha x x + w x (v + w x x).
    """
    cdef Motion v = d.vel[body], a = d.a[body]
    cdef Vec3 u = add3(v.v, cross3(v.w, x))
    return motion(mul3(d.R[body], a.w), mul3(d.R[body], add3(add3(a.v, cross3(a.w, x)), cross3(v.w, u))))
