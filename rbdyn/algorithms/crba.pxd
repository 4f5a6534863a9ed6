# The composite-rigid-body algorithm.

from rbdyn.algorithms.kinematics cimport transforms
from rbdyn.model._model cimport REVOLUTE, CData, CModel
from rbdyn.model.joints cimport joint_column, joint_force
from rbdyn.spatial._algebra cimport (
    Force, Inertia, add_i, apply_t, apply_ti, force, mul_i, real, splat, vec3,
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

cdef inline Force composite_column(const CModel* m, const CData* d, int i, int j) noexcept nogil:
    """Ic_i S_i of column j; read off, without arithmetic, for a revolute joint."""
    cdef const Inertia* A = d.Ic + i
    if m.kind[i] == REVOLUTE:
        return force(vec3(A.I_o.xz, A.I_o.yz, A.I_o.zz), vec3(-A.h.y, A.h.x, splat(0.0)))
    return mul_i(A[0], joint_column(m, d, i, j))

cdef inline void crba(const CModel* m, CData* d, real* M) noexcept nogil:
    """M(q), (nv, nv) row-major, zeroed on entry, both triangles filled.  RBDA table 6.2, p. 107."""
    cdef int i, j, k, p, row, l
    cdef Force F
    cdef real t[6]
    composite_inertias(m, d)
    for i in range(1, m.nb):
        for j in range(m.nvi[i]):
            row = m.vi[i] + j
            F = composite_column(m, d, i, j)
            p = i
            while True:
                joint_force(m, d, p, F, t)
                for k in range(m.nvi[p]):
                    l = m.vi[p] + k
                    M[row * m.nv + l] = t[k]
                    M[l * m.nv + row] = t[k]
                if m.parent[p] == 0:
                    break
                F = apply_t(d.X[p], F)
                p = m.parent[p]
            M[row * m.nv + row] = M[row * m.nv + row] + m.rotor[row]
