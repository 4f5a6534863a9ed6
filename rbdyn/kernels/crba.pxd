# The composite-rigid-body algorithm.

from rbdyn.kernels.kinematics cimport transforms
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport floats_on_root, joint_force, momentum_column
from rbdyn.spatial._algebra cimport Force, Inertia, Sym3, Vec3, add_i, apply_t, apply_ti, real, rotate_s, splat, tmul3
from rbdyn.spatial.constants cimport load_inertia

cdef inline void composite_inertias(const CModel* m, CData* d) noexcept nogil:
    """Ic[i]: inertia of the subtree of body i, as one rigid body."""
    cdef int i
    transforms(m, d)
    for i in range(m.nb):
        d.Ic[i] = load_inertia(m.I_b + i)
    for i in range(m.nb - 1, 0, -1):
        if m.parent[i]:
            d.Ic[m.parent[i]] = add_i(d.Ic[m.parent[i]], apply_ti(d.X[i], d.Ic[i]))

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

cdef inline void fill_mass_matrix(const CModel* m, CData* d, bint both, real* M) noexcept nogil:
    """The entries of M(q) that are not always zero, of both triangles or of the lower one.  RBDA table 6.2, p. 107."""
    cdef int i, j, k, p, row, l
    cdef Force F
    cdef real t[6]
    composite_inertias(m, d)
    for i in range(1, m.nb):
        if floats_on_root(m, i):
            floating_block(m, d, i, both, M)
            continue
        for j in range(m.nvi[i]):
            row = m.vi[i] + j
            F = momentum_column(m, d, i, j, d.Ic + i)
            p = i
            while True:
                joint_force(m, d, p, F, t)
                for k in range(m.nvi[p]):
                    l = m.vi[p] + k
                    M[row * m.nv + l] = t[k]
                    if both:
                        M[l * m.nv + row] = t[k]
                if m.parent[p] == 0:
                    break
                F = apply_t(d.X[p], F)
                p = m.parent[p]
            M[row * m.nv + row] = M[row * m.nv + row] + m.rotor[row]

cdef inline void crba(const CModel* m, CData* d, real* M) noexcept nogil:
    """M(q), (nv, nv) row-major, zeroed on entry."""
    fill_mass_matrix(m, d, True, M)

cdef inline void crba_lower(const CModel* m, CData* d, real* M) noexcept nogil:
    """What ltdl_factor reads of M(q): the entries of its lower triangle that are not always zero."""
    fill_mass_matrix(m, d, False, M)
