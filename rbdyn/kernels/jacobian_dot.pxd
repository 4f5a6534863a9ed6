# Rates of Jacobians, added to a matrix as in jacobian.pxd.

from rbdyn.kernels.jacobian cimport add_column, joint_axes
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, motion, mul3, real, sub3, zero3

cdef inline void add_jacobian_dot(const CModel* m, const CData* d, int body, Vec3 at, Vec3 rate, Vec3 spin, real s,
                                  bint angular, int width, int end, real* J) noexcept nogil:
    """J += s times the rate of the Jacobian of a body's motion at `at`, which moves at `rate`; root axes.

    Axes are fixed in the parent, so that a' = w_p x a.  Seen from axes that turn at `spin`, where b = (w_p - spin) x a
    and arm = at - p_i, a rotation's column (a, a x arm) has the rate (b, b x arm + a x (arm' - spin x arm)), a
    translation's column (0, a) the rate (0, b).  Poses and velocities are current.
    """
    cdef int i = body, k, first, translations
    cdef Vec3[6] a
    cdef Vec3 arm, arm_rate, b, turn
    while i > 0:
        translations = joint_axes(m, d, i, a)
        arm = sub3(at, d.p[i])
        arm_rate = sub3(sub3(rate, mul3(d.R[i], d.vel[i].v)), cross3(spin, arm))
        turn = sub3(mul3(d.R[m.parent[i]], d.vel[m.parent[i]].w), spin)
        end -= m.nvi[i]
        first = end if end >= 0 else m.vi[i]
        for k in range(m.nvi[i]):
            b = cross3(turn, a[k])
            if k < translations:
                add_column(J, width, first + k, s, motion(zero3(), b), angular)
            else:
                add_column(J, width, first + k, s,
                           motion(b, add3(cross3(b, arm), cross3(a[k], arm_rate))), angular)
        i = m.parent[i]
