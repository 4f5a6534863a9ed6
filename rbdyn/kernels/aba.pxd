# The articulated-body algorithm.

from rbdyn.kernels.kinematics cimport propagated_acceleration, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, frees_z, holds_z, joint_force, joint_inertia
from rbdyn.model.joints.revolute cimport add_held_row, held_moment, project_inertia, projected_force
from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Inertia, add_a, add_f, apply_t, apply_ta, apply_ta_z, articulated, crf, motion, mul_a,
    mul_i, neg3, outer3, outer_s, outlined, power, real, scale3, scale_f, splat, sqrt_r, sub33, sub_f, sub_s, zero3,
)
from rbdyn.spatial.constants cimport load_inertia

cdef inline void subtract_outer(ArticulatedInertia* A, real s, Force y) noexcept nogil:
    """A <- A - s y y^T."""
    A.I_a = sub_s(A.I_a, outer_s(s, y.n))
    A.H = sub33(A.H, outer3(scale3(s, y.n), y.f))
    A.M = sub_s(A.M, outer_s(s, y.f))

cdef inline void cholesky(int n, real* A) noexcept nogil:
    """A = L L^T in place, lower triangle, n <= 6, rows 6 apart."""
    cdef int i, j, k
    cdef real s
    for j in range(n):
        s = A[6 * j + j]
        for k in range(j):
            s = s - A[6 * j + k] * A[6 * j + k]
        A[6 * j + j] = sqrt_r(s)
        for i in range(j + 1, n):
            s = A[6 * i + j]
            for k in range(j):
                s = s - A[6 * i + k] * A[6 * j + k]
            A[6 * i + j] = s / A[6 * j + j]

cdef inline void solve_lower(int n, const real* L, real* x) noexcept nogil:
    """x <- L^-1 x.  Reciprocals: they wait for nothing, each quotient would for all before it."""
    cdef int i, k
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[6 * i + k] * x[k]
        x[i] = x[i] * (splat(1.0) / L[6 * i + i])

cdef inline void solve_upper(int n, const real* L, real* x) noexcept nogil:
    """x <- L^-T x, likewise."""
    cdef int i, k
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] = x[i] - L[6 * k + i] * x[k]
        x[i] = x[i] * (splat(1.0) / L[6 * i + i])

cdef inline void factor_joint(const CModel* m, CData* d, int i, const real* extra) noexcept nogil:
    """U = I^A S, D = S^T I^A S + rotor + extra.

    A one-dof joint keeps U and D itself.  A multi-dof joint keeps the Cholesky factor L of D, and, below another body,
    L^-1 U^T in place of U, so that I^A loses one outer product for each degree of freedom.
    """
    cdef int j, k, n = m.nvi[i], v0 = m.vi[i]
    cdef real* D = d.D + 6 * v0
    joint_inertia(m, d, i, d.U + v0, D)
    for j in range(n):
        D[6 * j + j] = D[6 * j + j] + m.rotor[v0 + j]
        if extra is not NULL:
            D[6 * j + j] = D[6 * j + j] + extra[v0 + j]
    if n == 1:
        return
    cholesky(n, D)
    if m.parent[i]:
        for j in range(n):              # U <- L^-1 U^T, row by row
            for k in range(j):
                d.U[v0 + j] = sub_f(d.U[v0 + j], scale_f(D[6 * j + k], d.U[v0 + k]))
            d.U[v0 + j] = scale_f(splat(1.0) / D[6 * j + j], d.U[v0 + j])

cdef inline outlined carry(const CModel* m, CData* d, int i, const real* extra) noexcept nogil:
    """Add to the parent what is left of body i with the freedom of its joint projected out.  RBDA eqs. 7.47, 7.48.

    I^a = I^A - U D^-1 U^T and p^a = p^A + I^a c + U D^-1 u.
    """
    cdef int j, n = m.nvi[i], v0 = m.vi[i], p = m.parent[i]
    cdef real r
    cdef Force pa, w
    if frees_z(m, i, extra) or holds_z(m, i, extra):
        r = splat(1.0) / d.D[6 * v0]
        w = d.U[v0]
        project_inertia(d.IA + i, r, d.U[v0])
        pa = add_f(d.pA[i], add_f(projected_force(d.IA + i, d.c[i]), scale_f(r * d.u[v0], d.U[v0])))
        d.IA[p] = add_a(d.IA[p], apply_ta_z(d.X[i], d.IA[i]))
        if extra is not NULL:           # I^A - U D^-1 U^T has the row w = U - (U_z / D) U of wz
            w = scale_f((m.rotor[v0] + extra[v0]) * r, d.U[v0])
            pa.n.z = pa.n.z + held_moment(w, d.c[i])
            add_held_row(d.IA + p, d.X[i], w)
    else:
        pa = d.pA[i]
        for j in range(n):
            r = splat(1.0) / d.D[6 * v0] if n == 1 else splat(1.0)
            subtract_outer(d.IA + i, r, d.U[v0 + j])
            pa = add_f(pa, scale_f(r * d.u[v0 + j], d.U[v0 + j]))
        pa = add_f(pa, mul_a(d.IA[i], d.c[i]))
        d.IA[p] = add_a(d.IA[p], apply_ta(d.X[i], d.IA[i]))
    d.pA[p] = add_f(d.pA[p], apply_t(d.X[i], pa))

cdef inline void aba_inward(
        const CModel* m, CData* d, const real* tau, const real* extra, bint external) noexcept nogil:
    """Articulated inertias and bias forces, leaves to root.  RBDA table 7.1, p. 132, first two passes.

    Writes d.IA, d.U, d.D (the factors of M + diag(extra)), d.pA and d.u (L^-1 u for a multi-dof joint below
    another body).
    """
    cdef int i, j, k, n, v0
    cdef real t[6]
    cdef Inertia A
    velocities(m, d)
    for i in range(1, m.nb):
        A = load_inertia(m.I_b + i)
        d.IA[i] = articulated(A)
        d.pA[i] = crf(d.vel[i], mul_i(A, d.vel[i]))
        if external:
            d.pA[i] = sub_f(d.pA[i], d.f[i])
    for k in range(m.nb - 1, 0, -1):
        i = m.order[k]
        n = m.nvi[i]
        v0 = m.vi[i]
        factor_joint(m, d, i, extra)
        joint_force(m, d, i, d.pA[i], t)
        for j in range(n):
            d.u[v0 + j] = tau[v0 + j] - t[j]
        if m.parent[i]:
            if n > 1:
                solve_lower(n, d.D + 6 * v0, d.u + v0)
            carry(m, d, i, extra)

cdef inline void aba_outward(const CModel* m, CData* d, real* vd) noexcept nogil:
    """Accelerations, root to leaves.  RBDA table 7.1, third pass: vd = D^-1 (u - U^T a)."""
    cdef int i, j, k, n, v0
    cdef real t[6]
    d.a[0] = motion(zero3(), neg3(d.gravity))
    for k in range(1, m.nb):
        i = m.order[k]
        n = m.nvi[i]
        v0 = m.vi[i]
        d.a[i] = propagated_acceleration(m, d, i)
        if n == 1:
            vd[v0] = (d.u[v0] - power(d.a[i], d.U[v0])) / d.D[6 * v0]
        else:
            if m.parent[i]:
                for j in range(n):
                    t[j] = power(d.a[i], d.U[v0 + j])
            else:                       # on the root: I^A is whole, and U was not formed
                joint_force(m, d, i, mul_a(d.IA[i], d.a[i]), t)
            for j in range(n):
                vd[v0 + j] = d.u[v0 + j] - t[j]
            if not m.parent[i]:
                solve_lower(n, d.D + 6 * v0, vd + v0)
            solve_upper(n, d.D + 6 * v0, vd + v0)
        d.a[i] = add_joint_motion(m, d, i, vd + v0, d.a[i])
