# The composite-rigid-body algorithm.
#
# Composite inertias are summed from body to body, in body coordinates, where the column of a one-dof joint is read off
# and the diagonal of M loses no digits.  The columns then meet the axes of all joints rootwards in one frame, that of
# their tree: axes of the root (of the before-frame, for a floating base), origin where the tree's first body is now.

from rbdyn.algorithms.kinematics cimport transforms
from rbdyn.model._model cimport REVOLUTE, CData, CModel
from rbdyn.model.joints cimport floats_on_root, joint_axes_from, joint_column
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Sym3, Vec3, add_i, apply_t, apply_ti, compose, cross3, force, motion, mul_i, power, real, rotate_s,
    row_z, splat, tmul3, vec3, xform, zero3,
)

cdef inline void composite_inertias(const CModel* m, CData* d) noexcept nogil:
    """Ic[i]: inertia of body i and all that hangs on it, as one rigid body."""
    cdef int i
    transforms(m, d)
    for i in range(m.nb):
        d.Ic[i] = m.I_b[i]
    for i in range(m.nb - 1, 0, -1):
        if m.parent[i]:
            d.Ic[m.parent[i]] = add_i(d.Ic[m.parent[i]], apply_ti(d.X[i], d.Ic[i]))

cdef inline void place_in_tree(const CModel* m, CData* d, int i) noexcept nogil:
    """X_0[i] and the axes J of joint i in the frame of its tree."""
    cdef int j, slides, v0 = m.vi[i]
    cdef Vec3[6] a
    if m.parent[i]:
        d.X_0[i] = compose(d.X[i], d.X_0[m.parent[i]])
    else:
        d.X_0[i] = xform(d.EJ[i] if floats_on_root(m, i) else d.X[i].E, zero3())
    if m.kind[i] == REVOLUTE:
        a[0] = row_z(d.X_0[i].E)
        d.J[v0] = motion(a[0], cross3(d.X_0[i].r, a[0]))
        return
    slides = joint_axes_from(m, d, i, d.X_0[i].E, a)
    for j in range(m.nvi[i]):
        d.J[v0 + j] = motion(zero3(), a[j]) if j < slides else motion(a[j], cross3(d.X_0[i].r, a[j]))

cdef inline Force composite_column(const CModel* m, const CData* d, int i, int j) noexcept nogil:
    """Ic_i S_i of column j; read off, without arithmetic, for a revolute joint."""
    cdef const Inertia* A = d.Ic + i
    if m.kind[i] == REVOLUTE:
        return force(vec3(A.I_o.xz, A.I_o.yz, A.I_o.zz), vec3(-A.h.y, A.h.x, splat(0.0)))
    return mul_i(A[0], joint_column(m, d, i, j))

cdef inline void floating_block(const CModel* m, const CData* d, int i, bint both, real* M) noexcept nogil:
    """The 6x6 block of a floating root: the composite inertia in the parent-side axes, v = [linear, angular]."""
    cdef const Inertia* A = d.Ic + i
    cdef Sym3 I = rotate_s(d.EJ[i], A.I_o)
    cdef Vec3 h = tmul3(d.EJ[i], A.h)
    cdef real B[6][6]
    cdef int j, k, v0 = m.vi[i]
    cdef real o = splat(0.0)
    B[0][0], B[1][0], B[1][1], B[2][0], B[2][1], B[2][2] = A.m, o, A.m, o, o, A.m
    B[3][0], B[3][1], B[3][2], B[3][3] = o, -h.z, h.y, I.xx
    B[4][0], B[4][1], B[4][2], B[4][3], B[4][4] = h.z, o, -h.x, I.xy, I.yy
    B[5][0], B[5][1], B[5][2], B[5][3], B[5][4], B[5][5] = -h.y, h.x, o, I.xz, I.yz, I.zz
    for j in range(6):
        for k in range(j + 1):
            M[(v0 + j) * m.nv + v0 + k] = B[j][k]
            if both:
                M[(v0 + k) * m.nv + v0 + j] = B[j][k]
        M[(v0 + j) * m.nv + v0 + j] = B[j][j] + m.rotor[v0 + j]

cdef inline void meet_axes(const CModel* m, const CData* d, int i, Py_ssize_t k, Force F, bint both,
                           real* M) noexcept nogil:
    """Row k of M, and column k if `both`: what F = I^c S_k, in its tree's frame, does on all axes from k rootwards.

    The axes of a floating base are unit vectors: v = [linear, angular].
    """
    cdef Py_ssize_t l = m.above[k], n = m.nv, base = m.base[i], last = base + 5 if base >= 0 else -1
    cdef real* row = M + k * n
    while l > last:
        row[l] = power(d.J[l], F)
        if both:
            M[l * n + k] = row[l]
        l = m.above[l]
    if base >= 0:
        row += base
        row[0], row[1], row[2], row[3], row[4], row[5] = F.f.x, F.f.y, F.f.z, F.n.x, F.n.y, F.n.z
    if base >= 0 and both:
        M += base * n + k
        M[0], M[n], M[2 * n], M[3 * n], M[4 * n], M[5 * n] = F.f.x, F.f.y, F.f.z, F.n.x, F.n.y, F.n.z

cdef inline void fill_mass_matrix(const CModel* m, CData* d, bint both, real* M) noexcept nogil:
    """The entries of M(q) that are not always zero, of both triangles or of the lower one.  RBDA table 6.2, p. 107."""
    cdef int i, k
    cdef Force F
    composite_inertias(m, d)
    for i in range(1, m.nb):
        place_in_tree(m, d, i)
        if floats_on_root(m, i):
            floating_block(m, d, i, both, M)
            continue
        for k in range(m.vi[i], m.vi[i] + m.nvi[i]):
            F = apply_t(d.X_0[i], composite_column(m, d, i, k - m.vi[i]))
            M[k * m.nv + k] = power(d.J[k], F) + m.rotor[k]
            meet_axes(m, d, i, k, F, both, M)

cdef inline void crba(const CModel* m, CData* d, real* M) noexcept nogil:
    """M(q), (nv, nv) row-major, zeroed on entry."""
    fill_mass_matrix(m, d, True, M)

cdef inline void crba_lower(const CModel* m, CData* d, real* M) noexcept nogil:
    """What ltdl_factor reads of M(q): the entries of its lower triangle that are not always zero."""
    fill_mass_matrix(m, d, False, M)
