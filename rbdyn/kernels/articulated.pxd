# The mass matrix by its articulated inertias: M x = b in a time that grows linearly with the bodies, and the factors of
# M = L^T D L in one that grows with their number times their depth, without M.
#
# Sources: RBDA section 7.3, the articulated-body algorithm at rest; that row k of L is U_k / D_k on the way to the root
# follows from eliminating one degree of freedom after the other, leaves first: G. Rodriguez, A. Jain,
# K. Kreutz-Delgado, A spatial operator algebra for manipulator modeling and control, Int. J. Robot. Res. 10 (1991).

from rbdyn.kernels.aba cimport factor_joint, solve_lower, solve_upper, subtract_outer
from rbdyn.kernels.kinematics cimport transforms
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, frees_z, joint_column, joint_force, joint_inertia
from rbdyn.model.joints.revolute cimport project_inertia
from rbdyn.spatial._algebra cimport (
    Force, add_a, add_f, apply_m, apply_t, apply_ta, apply_ta_z, articulated, mul_a, outlined, power, real,
    scale_f, splat, zero_f, zero_m,
)
from rbdyn.spatial.constants cimport load_inertia

cdef inline outlined carry_at_rest(const CModel* m, CData* d, int i) noexcept nogil:
    """Add to the parent what is left of body i with the freedom of its joint projected out: `carry` at rest."""
    cdef int j, n = m.nvi[i], v0 = m.vi[i], p = m.parent[i]
    cdef real r = splat(1.0)
    cdef Force pa = d.pA[i]
    if n == 1:
        r = splat(1.0) / d.D[6 * v0]
    for j in range(n):
        pa = add_f(pa, scale_f(r * d.u[v0 + j], d.U[v0 + j]))
    d.pA[p] = add_f(d.pA[p], apply_t(d.X[i], pa))
    if frees_z(m, i, NULL):
        project_inertia(d.IA + i, r, d.U[v0])
        d.IA[p] = add_a(d.IA[p], apply_ta_z(d.X[i], d.IA[i]))
        return
    for j in range(n):
        subtract_outer(d.IA + i, r, d.U[v0 + j])
    d.IA[p] = add_a(d.IA[p], apply_ta(d.X[i], d.IA[i]))

cdef inline void rest_inward(const CModel* m, CData* d, const real* b) noexcept nogil:
    """Articulated inertias, and what the forces b leave for each joint, leaves to root: aba_inward at rest."""
    cdef int i, j, n, v0
    cdef real t[6]
    transforms(m, d)
    for i in range(1, m.nb):
        d.IA[i] = articulated(load_inertia(m.I_b + i))
        d.pA[i] = zero_f()
    for i in range(m.nb - 1, 0, -1):
        n = m.nvi[i]
        v0 = m.vi[i]
        factor_joint(m, d, i, NULL)
        joint_force(m, d, i, d.pA[i], t)
        for j in range(n):
            d.u[v0 + j] = b[v0 + j] - t[j]
        if n > 1:
            solve_lower(n, d.D + 6 * v0, d.u + v0)
        if m.parent[i]:
            carry_at_rest(m, d, i)

cdef inline void rest_outward(const CModel* m, CData* d, real* x) noexcept nogil:
    """x = M^-1 b, root to leaves: D^-1 (u - U^T a).  Without gravity nothing moves a joint on the root but u."""
    cdef int i, j, n, v0
    for i in range(1, m.nb):
        n = m.nvi[i]
        v0 = m.vi[i]
        d.a[i] = apply_m(d.X[i], d.a[m.parent[i]]) if m.parent[i] else zero_m()
        for j in range(n):
            x[v0 + j] = d.u[v0 + j]
            if m.parent[i]:
                x[v0 + j] = x[v0 + j] - power(d.a[i], d.U[v0 + j])
        if n == 1:
            x[v0] = x[v0] / d.D[6 * v0]
        else:
            solve_upper(n, d.D + 6 * v0, x + v0)
        d.a[i] = add_joint_motion(m, d, i, x + v0, d.a[i])

cdef inline void spread_to_root(
        const CModel* m, const CData* d, int i, Py_ssize_t row, Force F, real* H) noexcept nogil:
    """Row `row` of L, of joint i, at all joints that carry it, of U / D = F."""
    cdef int k
    cdef real t[6]
    while m.parent[i]:
        F = apply_t(d.X[i], F)
        i = m.parent[i]
        joint_force(m, d, i, F, t)
        for k in range(m.nvi[i]):
            H[row * m.nv + m.vi[i] + k] = t[k]

cdef inline void factor_one(const CModel* m, CData* d, int i, real* H) noexcept nogil:
    """The row and the pivot of a one-dof joint, and what that leaves of the inertia for the parent."""
    cdef Py_ssize_t row = m.vi[i]
    cdef int p = m.parent[i]
    cdef real D[6]
    cdef real r
    cdef Force U
    joint_inertia(m, d, i, &U, D)
    D[0] = D[0] + m.rotor[row]
    H[row * m.nv + row] = D[0]
    if p == 0:
        return
    r = splat(1.0) / D[0]
    spread_to_root(m, d, i, row, scale_f(r, U), H)
    if frees_z(m, i, NULL):
        project_inertia(d.IA + i, r, U)
        d.IA[p] = add_a(d.IA[p], apply_ta_z(d.X[i], d.IA[i]))
    else:
        subtract_outer(d.IA + i, r, U)
        d.IA[p] = add_a(d.IA[p], apply_ta(d.X[i], d.IA[i]))

cdef inline void factor_many(const CModel* m, CData* d, int i, real* H) noexcept nogil:
    """The same of a joint of several degrees of freedom: one after the other, from the last."""
    cdef Py_ssize_t row
    cdef int j, k, p = m.parent[i]
    cdef real t[6]
    cdef real r
    cdef Force F
    for j in range(m.nvi[i] - 1, -1, -1):
        row = m.vi[i] + j
        F = mul_a(d.IA[i], joint_column(m, d, i, j))
        joint_force(m, d, i, F, t)
        t[j] = t[j] + m.rotor[row]
        H[row * m.nv + row] = t[j]
        r = splat(1.0) / t[j]
        for k in range(j):
            H[row * m.nv + m.vi[i] + k] = r * t[k]
        subtract_outer(d.IA + i, r, F)
        spread_to_root(m, d, i, row, scale_f(r, F), H)
    if p:
        d.IA[p] = add_a(d.IA[p], apply_ta(d.X[i], d.IA[i]))

cdef inline void articulated_factor(const CModel* m, CData* d, real* H) noexcept nogil:
    """L below the diagonal and D on it, as ltdl_factor leaves them."""
    cdef int i
    transforms(m, d)
    for i in range(1, m.nb):
        d.IA[i] = articulated(load_inertia(m.I_b + i))
    for i in range(m.nb - 1, 0, -1):
        if m.nvi[i] == 1:
            factor_one(m, d, i, H)
        else:
            factor_many(m, d, i, H)

cdef inline bint has_long_paths(const CModel* m, CData* d) noexcept nogil:
    """Whether `articulated_factor` is less work than M and its elimination, which takes depth^2 / 2 products a row.

    It is from some 18 joints in a row on, where the mean of these products is 64.  Writes d.path.
    """
    cdef int i
    cdef long depth, work = 0
    d.path[0] = 0
    for i in range(1, m.nb):
        depth = d.path[m.parent[i]] + m.nvi[i]
        d.path[i] = depth
        work += m.nvi[i] * depth * depth
    return work > 128 * m.nv
