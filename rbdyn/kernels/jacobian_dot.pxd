# Rates of Jacobians, added to a matrix as in jacobian.pxd.

from rbdyn.kernels.jacobian cimport add_column, joint_columns
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport is_revolute, joint_column_rates
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, cross3, motion, mul3, real, sub3, transpose3, zero3

cdef inline void add_jacobian_dot(const CModel* m, const CData* d, int body, Vec3 at, Vec3 rate, Vec3 spin, real s,
                                  bint angular, int width, int end, real* J) noexcept nogil:
    """J += s times the rate of the Jacobian of a body's motion at `at`, which moves at `rate`; root axes.

    The columns S = (w, u) at the body's origin turn with the parent, S' = w_p x S, and more where the axes of a joint
    turn one another.  Seen from axes that turn at `spin`, where x = (w_p - spin) x . and arm = at - p_i, a column
    (w, u + w x arm) has the rate (x w, x u + (x w) x arm + w x (arm' - spin x arm)).  Poses and velocities are current.
    """
    cdef int i = body, k, first, translations
    cdef Motion[6] S, rates
    cdef bint turned
    cdef Vec3 arm, arm_rate, b, u, turn
    while i > 0:
        translations = joint_columns(m, d, i, S)
        turned = joint_column_rates(m, d, i, transpose3(d.R[i]), rates)
        arm = sub3(at, d.p[i])
        arm_rate = sub3(sub3(rate, mul3(d.R[i], d.vel[i].v)), cross3(spin, arm))
        turn = sub3(mul3(d.R[m.parent[i]], d.vel[m.parent[i]].w), spin)
        end -= m.nvi[i]
        first = end if end >= 0 else m.vi[i]
        for k in range(m.nvi[i]):
            if k < translations:
                u = cross3(turn, S[k].v)
                if turned:
                    u = add3(u, rates[k].v)
                add_column(J, width, first + k, s, motion(zero3(), u), angular)
                continue
            b = cross3(turn, S[k].w)
            if turned:
                b = add3(b, rates[k].w)
            u = add3(cross3(b, arm), cross3(S[k].w, arm_rate))
            if not is_revolute(m, i):
                u = add3(cross3(turn, S[k].v), u)
            if turned:
                u = add3(rates[k].v, u)
            add_column(J, width, first + k, s, motion(b, u), angular)
        i = m.parent[i]
