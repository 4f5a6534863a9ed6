# The recursive Newton-Euler algorithm.

from rbdyn.kernels.kinematics cimport propagated_acceleration, transforms, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, joint_force
from rbdyn.spatial._algebra cimport (
    Force, add_f, apply_m, apply_t, motion, mul_i, neg3, net_force, real, sub_f, zero3, zero_m,
)
from rbdyn.spatial.constants cimport load_inertia

cdef inline void rnea(const CModel* m, CData* d, const real* vd, real* tau, bint external) noexcept nogil:
    """tau = M(q) vd + h(q, v), gravity included.  RBDA table 5.1, p. 96, in body coordinates.

    Writes d.a, d.f and tau.  With `external`, d.f holds the external force on each body (body coordinates) on entry.
    vd may be NULL for zero.  Rotor inertia adds to the diagonal of M.
    """
    cdef int i, j, k, p
    cdef real t[6]
    velocities(m, d)
    d.a[0] = motion(zero3(), neg3(d.gravity))          # a_0 = -g, so that gravity needs no force
    for j in range(1, m.nb):                           # outward
        i = m.order[j]
        d.a[i] = propagated_acceleration(m, d, i)
        if vd is not NULL:
            d.a[i] = add_joint_motion(m, d, i, vd + m.vi[i], d.a[i])
        if external:
            d.f[i] = sub_f(net_force(load_inertia(m.I_b + i), d.vel[i], d.a[i]), d.f[i])
        else:
            d.f[i] = net_force(load_inertia(m.I_b + i), d.vel[i], d.a[i])
    for j in range(m.nb - 1, 0, -1):                   # inward
        i = m.order[j]
        p = m.parent[i]
        joint_force(m, d, i, d.f[i], t)
        for k in range(m.nvi[i]):                      # tau may be vd: each entry is read before it is written
            tau[m.vi[i] + k] = t[k] if vd is NULL else t[k] + m.rotor[m.vi[i] + k] * vd[m.vi[i] + k]
        if p:
            d.f[p] = add_f(d.f[p], apply_t(d.X[i], d.f[i]))

cdef inline Force root_reaction(const CModel* m, const CData* d, Force external) noexcept nogil:
    """What holds the root, in its frame, after rnea: its weight, and what the joints on it take, less what is given."""
    cdef int i
    cdef Force f = sub_f(net_force(load_inertia(m.I_b + 0), zero_m(), d.a[0]), external)
    for i in range(1, m.nb):
        if m.parent[i] == 0:
            f = add_f(f, apply_t(d.X[i], d.f[i]))
    return f

cdef inline void rnea_momentum(const CModel* m, CData* d, const real* x, real* y) noexcept nogil:
    """y = M(q) x: the same recursion without velocities and gravity.  Writes d.a, d.f and y."""
    cdef int i, k, p
    cdef real t[6]
    transforms(m, d)
    d.a[0] = motion(zero3(), zero3())
    for i in range(1, m.nb):
        d.a[i] = add_joint_motion(m, d, i, x + m.vi[i], apply_m(d.X[i], d.a[m.parent[i]]))
        d.f[i] = mul_i(load_inertia(m.I_b + i), d.a[i])
    for i in range(m.nb - 1, 0, -1):
        p = m.parent[i]
        joint_force(m, d, i, d.f[i], t)
        for k in range(m.nvi[i]):                      # y may be x
            y[m.vi[i] + k] = t[k] + m.rotor[m.vi[i] + k] * x[m.vi[i] + k]
        if p:
            d.f[p] = add_f(d.f[p], apply_t(d.X[i], d.f[i]))
