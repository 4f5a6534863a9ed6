# The Coriolis matrix.

from rbdyn.kernels.crba cimport composite_inertias
from rbdyn.kernels.kinematics cimport velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport joint_column, joint_column_rates, joint_force, joint_motion
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Mat3, Motion, Vec3, add3, add33, add_f, add_m, apply_t, cross3, crm, crossmul3, eye3, force, full3,
    motion, mul3, mul_i, power, real, rotate33, rows3, splat, sub3, sub33, tmul3, vec3, zero3,
)
from rbdyn.spatial.constants cimport load_inertia

# B of a body or of many is [N 0; -fx 0].  N is kept in d.IA[i].H and f, the linear momentum, in d.pA[i].f.

cdef inline Mat3 skew3(Vec3 a) noexcept nogil:
    """ax: skew3(a) b = a x b."""
    cdef real o = splat(0.0)
    return rows3(vec3(o, -a.z, a.y), vec3(a.z, o, -a.x), vec3(-a.y, a.x, o))

cdef inline Mat3 coriolis_block(Inertia A, Motion v) noexcept nogil:
    """N = wx (I_o - tr(I_o) 1 / 2) - hx ux, for v = (w, u).

    Echeandia and Wensing (2021): B = (v x* I - I v x + (I v) xbar*) / 2, where xbar* swaps the arguments of x*.
    Its right half vanishes, its lower left block is -fx, and by ax bx - bx ax = (a x b)x what is left is N.
    """
    cdef real t = 0.5 * (A.I_o.xx + A.I_o.yy + A.I_o.zz)
    A.I_o.xx = A.I_o.xx - t
    A.I_o.yy = A.I_o.yy - t
    A.I_o.zz = A.I_o.zz - t
    return sub33(crossmul3(v.w, full3(A.I_o)), crossmul3(A.h, skew3(v.v)))

cdef inline void composite_coriolis(const CModel* m, CData* d) noexcept nogil:
    """B of the subtree of every body, X^T B X summed inward.  Writes d.IA and d.pA."""
    cdef int i, p
    cdef Vec3 f
    for i in range(1, m.nb):
        d.IA[i].H = coriolis_block(load_inertia(m.I_b + i), d.vel[i])
        d.pA[i].f = mul_i(load_inertia(m.I_b + i), d.vel[i]).f
    for i in range(m.nb - 1, 0, -1):
        p = m.parent[i]
        if p:                                          # N' = E^T N E - rx (E^T f)x
            f = tmul3(d.X[i].E, d.pA[i].f)
            d.IA[p].H = add33(d.IA[p].H, sub33(rotate33(d.X[i].E, d.IA[i].H), crossmul3(d.X[i].r, skew3(f))))
            d.pA[p].f = add3(d.pA[p].f, f)

cdef inline Motion column_rate(const CModel* m, const CData* d, int i, int j, Motion S) noexcept nogil:
    """dS/dt in space of column j, in body coordinates.

    It is v x S, less w_J x S, as S turns with the before-frame, and its rate as seen from there (joint_column_rates).
    w_J x S is zero for a revolute joint, whose S is parallel to w_J, and for a prismatic one, whose w_J is zero.
    """
    cdef Vec3 w = joint_motion(m, d, i, d.v + m.vi[i]).w
    cdef Motion a = crm(d.vel[i], S)
    cdef Motion[6] rates
    a = motion(sub3(a.w, cross3(w, S.w)), sub3(a.v, cross3(w, S.v)))
    return add_m(a, rates[j]) if joint_column_rates(m, d, i, eye3(), rates) else a

cdef inline void coriolis(const CModel* m, CData* d, real* C) noexcept nogil:
    """C(q, v), (nv, nv) row-major, zeroed on entry.  Echeandia and Wensing (2021).

    C = sum J^T (I dJ/dt + B J) over the bodies.  For a column S of joint i and a row or column T of a joint p between i
    and the root: C_TS = T . (I^c dS + B^c S) and C_ST = dT . I^c S + T . B^c^T S.  Writes d.Ic, d.IA, d.pA.
    """
    cdef int i, j, k, l, p, row, nv = m.nv
    cdef Motion S, dS, T
    cdef Force F, G, H
    cdef real t[6]
    velocities(m, d)
    composite_inertias(m, d)
    composite_coriolis(m, d)
    for i in range(1, m.nb):
        for j in range(m.nvi[i]):
            row = m.vi[i] + j
            S = joint_column(m, d, i, j)
            dS = column_rate(m, d, i, j, S)
            F = add_f(mul_i(d.Ic[i], dS), force(mul3(d.IA[i].H, S.w), cross3(S.w, d.pA[i].f)))
            G = mul_i(d.Ic[i], S)
            H = force(add3(tmul3(d.IA[i].H, S.w), cross3(d.pA[i].f, S.v)), zero3())
            p = i
            while True:
                joint_force(m, d, p, F, t)
                for k in range(m.nvi[p]):
                    l = m.vi[p] + k
                    C[l * nv + row] = t[k]
                    if p != i:
                        T = joint_column(m, d, p, k)
                        C[row * nv + l] = power(column_rate(m, d, p, k, T), G) + power(T, H)
                if m.parent[p] == 0:
                    break
                F = apply_t(d.X[p], F)
                G = apply_t(d.X[p], G)
                H = apply_t(d.X[p], H)
                p = m.parent[p]
