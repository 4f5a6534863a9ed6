# The configuration manifold: q (+) v dt and its inverse, joint by joint.
#
# Rotations are integrated by the exponential map.  A stereographic projection goes by way of its quaternion, a sine and
# cosine are turned by the angle.

from rbdyn.model._model cimport OWN, CModel
from rbdyn.model.joints.dispatch cimport difference_joint, integrate_joint

cdef inline void integrate_joints(const CModel* m, double* q, const double* v, double dt) noexcept nogil:
    """q <- q (+) v dt, in place."""
    cdef int i
    for i in range(1, m.nb):
        integrate_joint(m, i, q + m.qi[i], v + m.vi[i], dt)

cdef inline void difference_joints(const CModel* m, const double* a, const double* b, double* v) noexcept nogil:
    """v with a (+) v = b."""
    cdef int i
    for i in range(1, m.nb):
        if m.nvi[i] == 1 and m.representation[i] == OWN:      # most joints: not worth a call
            v[m.vi[i]] = b[m.qi[i]] - a[m.qi[i]]
        else:
            difference_joint(m, i, a + m.qi[i], b + m.qi[i], v + m.vi[i])
