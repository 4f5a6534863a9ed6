# Momentum as a linear function of v, and the inertia of the subtree of a body.

from rbdyn.kernels.crba cimport composite_inertias
from rbdyn.kernels.kinematics cimport propagated_acceleration, poses, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport momentum_column
from rbdyn.spatial._algebra cimport (
    Force, Inertia, add3, add_f, add_i, apply_ti, cross3, force, mul3, net_force, real, zero_f, zero_m,
)
from rbdyn.spatial.constants cimport load_inertia

cdef inline Force about_origin(const CData* d, int i, Force f) noexcept nogil:
    """A force vector of body i in world axes, about the world's origin."""
    cdef Force a = force(mul3(d.R[i], f.n), mul3(d.R[i], f.f))
    return force(add3(a.n, cross3(d.p[i], a.f)), a.f)

cdef inline void momentum_columns(const CModel* m, CData* d, bint angular, real scale, real* A) noexcept nogil:
    """scale A, (6, nv) row-major, or its linear half (3, nv): the column of S_j is the momentum I^c_i S_j.

    Orin and Goswami (2008): a joint that moves alone carries all bodies beyond it as one.  Writes d.Ic.
    """
    cdef int i, j, k, nv = m.nv
    cdef Force h
    cdef real* L = A + 3 * nv if angular else A
    composite_inertias(m, d)
    poses(m, d)
    for i in range(1, m.nb):
        for j in range(m.nvi[i]):
            k = m.vi[i] + j
            h = about_origin(d, i, momentum_column(m, d, i, j, d.Ic + i))
            if angular:
                A[k], A[nv + k], A[2 * nv + k] = scale * h.n.x, scale * h.n.y, scale * h.n.z
            L[k], L[nv + k], L[2 * nv + k] = scale * h.f.x, scale * h.f.y, scale * h.f.z

cdef inline Force momentum_rate(const CModel* m, CData* d) noexcept nogil:
    """dA/dt v: the rate of momentum at vd = 0, the sum of I a + v x* I v over the bodies.  Writes d.a."""
    cdef int i
    cdef Force total = zero_f()
    velocities(m, d)
    poses(m, d)
    d.a[0] = zero_m()
    for i in range(1, m.nb):
        d.a[i] = propagated_acceleration(m, d, i)
        total = add_f(total, about_origin(d, i, net_force(load_inertia(m.I_b + i), d.vel[i], d.a[i])))
    return total

cdef inline Inertia subtree_inertia(const CModel* m, CData* d, int body) noexcept nogil:
    """I^c of a body in its internal frame; of the root too, which composite_inertias leaves alone.  Writes d.Ic."""
    cdef int i
    cdef Inertia A
    composite_inertias(m, d)
    A = d.Ic[body]
    if body == 0:
        for i in range(1, m.nb):
            if m.parent[i] == 0:
                A = add_i(A, apply_ti(d.X[i], d.Ic[i]))
    return A
