# Z^T M Z: the mass matrix of what closed loops leave to move, M's rows and columns of free joints as they are.
#
# As groups of loops and free joints form a tree, it has the zeros of a tree's mass matrix, and so has its factor L of
# L^T D L (RBDA section 6.5).  A group's column is what the composite bodies of its joints take for one of its motions;
# what reaches its top goes on to the root as in the composite-rigid-body algorithm.  Rotors of loop joints add
# Z^T s s^T Z for each of their rows s.

from libc.math cimport fabs
from libc.string cimport memset

from rbdyn.kernels.cod cimport dot
from rbdyn.kernels.crba cimport composite_inertias
from rbdyn.kernels.closed.groups cimport Group, Groups, gather_joints
from rbdyn.kernels.singular cimport NOT_SINGULAR, Floor, pivot_floor, vanishes
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport joint_column, joint_force, joint_motion, momentum_column
from rbdyn.spatial._algebra cimport Force, Motion, add_f, apply_t, dot3, mul_i, zero_f

cdef inline void climb(
        const CModel* m, const CData* d, const Groups* g, int p, Force F, double* row) noexcept nogil:
    """A row at all that carries body p, from the force F that it transmits to body p, in its axes."""
    cdef int k, l
    cdef double t[6]
    cdef Group* c
    while p:
        joint_force(m, d, p, F, t)
        if g.of[p] < 0:
            for k in range(m.nvi[p]):
                row[g.place[p] + k] = t[k]
        else:
            c = g.group + g.of[p]
            for l in range(c.freedom):
                row[c.place + l] += dot(m.nvi[p], c.Z + <size_t> c.dofs * l + g.column[p], t)
        F = apply_t(d.X[p], F)
        p = m.parent[p]

cdef inline void free_rows(const CModel* m, const CData* d, const Groups* g, int i, double* H) noexcept nogil:
    """Rows of a joint that no loop touches."""
    cdef int j, k
    cdef double t[6]
    cdef double* row
    cdef Force F
    for j in range(m.nvi[i]):
        row = H + <size_t> g.freedom * (g.place[i] + j)
        F = momentum_column(m, d, i, j, d.Ic + i)
        joint_force(m, d, i, F, t)
        for k in range(j + 1):
            row[g.place[i] + k] = t[k]
        row[g.place[i] + j] += m.rotor[m.vi[i] + j]
        if m.parent[i]:
            climb(m, d, g, m.parent[i], apply_t(d.X[i], F), row)

cdef inline Force group_force(
        const CModel* m, CData* d, const Groups* g, const Group* c, const double* z, double* T) noexcept nogil:
    """What motion z of a group asks of its top, in the top's axes; T (dofs,): with it and z', z'^T T + z^T T' is M's.

    T has what the joints below a joint ask of it, and half of what it moves itself.
    """
    cdef int n, i, k, v0
    cdef double t[6]
    cdef Force own, top = zero_f()
    for n in range(c.joints):
        d.f[c.joint[n]] = zero_f()
    for n in range(c.joints - 1, -1, -1):
        i = c.joint[n]
        v0 = g.column[i]
        joint_force(m, d, i, d.f[i], T + v0)
        own = mul_i(d.Ic[i], joint_motion(m, d, i, z + v0))
        joint_force(m, d, i, own, t)
        for k in range(m.nvi[i]):
            T[v0 + k] += 0.5 * (t[k] + m.rotor[m.vi[i] + k] * z[v0 + k])
        own = apply_t(d.X[i], add_f(d.f[i], own))
        if m.parent[i] == c.top:
            top = add_f(top, own)
        else:
            d.f[m.parent[i]] = add_f(d.f[m.parent[i]], own)
    return top

cdef inline void group_rows(
        const CModel* m, CData* d, const Groups* g, const Group* c, double* T, double* H) noexcept nogil:
    """Rows of what a group leaves to move.  T: room for (dofs,)."""
    cdef int k, l, r, n = c.dofs
    cdef double s
    cdef const double* z
    cdef const double* rotor
    cdef double* row
    cdef Force F
    for k in range(c.freedom):
        z = c.Z + <size_t> n * k
        row = H + <size_t> g.freedom * (c.place + k)
        F = group_force(m, d, g, c, z, T)
        for r in range(c.rows, c.rows + c.rotors):
            rotor = c.K + <size_t> n * r
            s = 0.5 * dot(n, rotor, z)
            for l in range(n):
                T[l] += s * rotor[l]
        for l in range(c.freedom):
            s = dot(n, c.Z + <size_t> n * l, T)
            if l <= k:
                row[c.place + l] += s
            if l >= k:
                H[<size_t> g.freedom * (c.place + l) + c.place + k] += s
        if c.top:
            climb(m, d, g, c.top, F, row)

cdef inline void reduced_mass_matrix(const CModel* m, CData* d, const Groups* g, double* T, double* H) noexcept nogil:
    """The entries of the lower triangle of Z^T M Z that are not always zero, (freedom, freedom).  Writes d.Ic, d.f."""
    cdef int i
    composite_inertias(m, d)
    memset(H, 0, <size_t> g.freedom * g.freedom * sizeof(double))
    for i in range(1, m.nb):
        if g.of[i] < 0:
            free_rows(m, d, g, i, H)
        elif i == g.group[g.of[i]].joint[0]:
            group_rows(m, d, g, g.group + g.of[i], T, H)

cdef inline void reduced_factor(const Groups* g, double* H) noexcept nogil:
    """H -> L below the diagonal and D on it, in place.  RBDA table 6.3, ancestors in runs of consecutive numbers."""
    cdef int k, i, j, l
    cdef size_t n = g.freedom
    cdef double a, r
    cdef double* row_k
    cdef double* row_i
    for k in range(g.freedom - 1, -1, -1):
        row_k = H + n * k
        r = 1.0 / row_k[k]
        i = g.parent[k]
        while i >= 0:
            row_i = H + n * i
            a = row_k[i] * r
            j = i
            while j >= 0:
                for l in range(g.run[j], j + 1):
                    row_i[l] -= a * row_k[l]
                j = g.parent[g.run[j]]
            row_k[i] = a
            i = g.parent[i]

cdef inline void reduced_solve(const Groups* g, const double* H, double* x) noexcept nogil:
    """x <- L^-1 D^-1 L^-T x.  RBDA table 6.5."""
    cdef int i, j, l
    cdef size_t n = g.freedom
    for i in range(g.freedom - 1, -1, -1):
        j = g.parent[i]
        while j >= 0:
            for l in range(g.run[j], j + 1):
                x[l] -= H[n * i + l] * x[i]
            j = g.parent[g.run[j]]
    for i in range(g.freedom):
        x[i] /= H[n * i + i]
        j = g.parent[i]
        while j >= 0:
            for l in range(g.run[j], j + 1):
                x[i] -= H[n * i + l] * x[l]
            j = g.parent[g.run[j]]

cdef inline double motion_scale(
        const CModel* m, const CData* d, const Groups* g, const Group* c, const double* z) noexcept nogil:
    """What a group's motion would move if each of its joints carried one rigid body; d.Ic is current."""
    cdef int n, i, k
    cdef double scale = 0.0, x
    cdef Motion S
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            S = joint_column(m, d, i, k)
            x = z[g.column[i] + k]
            scale += x * x * (dot3(S.w, S.w) * (d.Ic[i].I_o.xx + d.Ic[i].I_o.yy + d.Ic[i].I_o.zz)
                              + dot3(S.v, S.v) * d.Ic[i].m)
    return scale

cdef inline int most_moved(const CModel* m, const Groups* g, const Group* c, const double* z) noexcept nogil:
    """The degree of freedom of the tree that takes the largest part in a group's motion."""
    cdef int n, i, k, best = 0
    cdef double most = -1.0
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            if fabs(z[g.column[i] + k]) > most:
                most, best = fabs(z[g.column[i] + k]), m.vi[i] + k
    return best

cdef inline int reduced_singular(const CModel* m, CData* d, const Groups* g, const double* H) noexcept nogil:
    """A degree of freedom of the tree in which loops leave a motion without inertia, or NOT_SINGULAR.

    As in singular.pxd, from the leaves to the root, for what a division by zero leaves may be NaN; d.Ic is current.
    """
    cdef Floor f = pivot_floor(m, d)
    cdef double pivot, scale, both = max(f.rotation, f.translation)
    cdef Py_ssize_t n = g.freedom
    cdef int i, j
    cdef Group* c
    cdef bint high = True
    for i in range(g.freedom):
        high &= H[i * (n + 1)] > both
    if high:
        return NOT_SINGULAR
    for i in range(m.nb - 1, 0, -1):
        if g.of[i] < 0:
            for j in range(m.nvi[i] - 1, -1, -1):
                pivot = H[(g.place[i] + j) * (n + 1)]
                if not pivot > both and vanishes(m, d, i, j, pivot, 0.0):
                    return m.vi[i] + j
            continue
        c = g.group + g.of[i]
        for j in range(c.freedom - 1 if i == c.joint[0] else -1, -1, -1):
            pivot = H[(c.place + j) * (n + 1)]
            if pivot > both:
                continue
            scale = motion_scale(m, d, g, c, c.Z + <size_t> c.dofs * j)
            if scale != scale:                  # rows of loops that overflowed, which the result will say
                return NOT_SINGULAR
            if not pivot > 1e-12 * scale:
                return most_moved(m, g, c, c.Z + <size_t> c.dofs * j)
    return NOT_SINGULAR

cdef inline void reduce_force(const CModel* m, const Groups* g, const double* f, double* T, double* u) noexcept nogil:
    """u = Z^T f.  T: room for (dofs,) of any group."""
    cdef int i, j, k
    cdef Group* c
    for i in range(1, m.nb):
        if g.of[i] < 0:
            for k in range(m.nvi[i]):
                u[g.place[i] + k] = f[m.vi[i] + k]
            continue
        c = g.group + g.of[i]
        if i != c.joint[0]:
            continue
        gather_joints(m, g, c, f, T)
        for j in range(c.freedom):
            u[c.place + j] = dot(c.dofs, c.Z + <size_t> c.dofs * j, T)

cdef inline void add_motion(const CModel* m, const Groups* g, const double* u, double* v) noexcept nogil:
    """v += Z u."""
    cdef int i, j, k
    cdef Group* c
    cdef const double* z
    for i in range(1, m.nb):
        if g.of[i] < 0:
            for k in range(m.nvi[i]):
                v[m.vi[i] + k] += u[g.place[i] + k]
            continue
        c = g.group + g.of[i]
        for j in range(c.freedom):
            z = c.Z + <size_t> c.dofs * j + g.column[i]
            for k in range(m.nvi[i]):
                v[m.vi[i] + k] += u[c.place + j] * z[k]
