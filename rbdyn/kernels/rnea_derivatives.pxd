# Derivatives of the recursive Newton-Euler algorithm.
#
# The method of Singh, Russell and Wensing (IEEE RA-L 2022; see also Carpentier and Mansard, RSS 2018), derived anew for
# this library's joints in docs/derivatives.md, whose letters are used here.  Every subtree of the root has an
# inertial frame of its own: the axes of its first joint's before-frame, the origin where its first body is now.  All
# vectors below are in that frame, so that nothing is transformed from body to body, the columns of a floating base
# are unit vectors, and a base that is far away costs no digits.

from rbdyn.kernels.coriolis cimport coriolis_block
from rbdyn.kernels.kinematics cimport transforms
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport floats_on_root, has_3dof_rotation, joint_columns_from
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Mat3, Motion, Vec3, Xform, add3, add33, add_f, add_i, add_m, apply_t, apply_ti, compose, cross3,
    crf, crm, dot3, force, matmul3, motion, mul3, mul_i, neg3, power, real, scale_f, scale_m, splat, sub_f, sub_m,
    tmul3, transpose3, xform, zero3, zero_m,
)
from rbdyn.spatial.constants cimport load_inertia, load_mat3

cdef struct Carried:         # the subtree of body i, in the frame of its tree
    Xform X                  # tree frame to body coordinates
    Motion V                 # velocity
    Motion A                 # acceleration, minus gravity
    Inertia I_b              # inertia of the body alone
    Force b                  # V x* I_b V less external forces, of the body alone
    Inertia Ic               # composite inertia
    Mat3 N                   # 2 B^c = [N 0; -hx 0], the composite Coriolis block
    Vec3 h
    Force F                  # force across joint i
    int base                 # first degree of freedom of the floating joint that carries the tree, or -1

cdef struct Column:          # degree of freedom k, in the frame of its tree; V_k, A_k: what it carries moves so
    Motion J                 # its axis
    Motion psi               # V_k x J
    Motion chi               # psi + dJ/dt
    Motion phi               # A_k x J + V_k x psi
    Force G                  # I^c J

cdef struct Workspace:
    Carried* bodies          # (nb,)
    Column* columns          # (nv,)

# ---- outward: where bodies are, how they move, and the columns -----------------------------------------------------

cdef inline Motion column_at(Motion S, Vec3 p) noexcept nogil:
    """A column at the point p of the frame, seen from the frame's origin."""
    return motion(S.w, add3(S.v, cross3(p, S.w)))

cdef inline void put_body(const CModel* m, const CData* d, Carried* b, int i) noexcept nogil:
    """Where body i is."""
    cdef int p = m.parent[i]
    if p:
        b[i].X = compose(d.X[i], b[p].X)
        b[i].base = b[p].base
    elif floats_on_root(m, i):
        b[i].X = xform(d.EJ[i], zero3())
        b[i].base = m.vi[i]
    else:
        b[i].X = xform(matmul3(d.X[i].E, transpose3(load_mat3(m.X_tree[i].E))), zero3())
        b[i].base = -1

cdef inline void put_columns(const CModel* m, const CData* d, Workspace w, int i) noexcept nogil:
    """J, psi and chi of joint i, and the velocity of body i.

    Translations come before rotations, and their directions are fixed in the parent; an axis of rotation is fixed in
    what those before it carry; the axes of a 3-dof rotation are fixed in the parent, and carried by all three.
    """
    cdef Carried* b = w.bodies + i
    cdef Column* c = w.columns + m.vi[i]
    cdef const real* v = d.v + m.vi[i]
    cdef Motion[6] S
    cdef int j, n = m.nvi[i], translations = joint_columns_from(m, d, i, b.X.E, S)
    cdef int three = n - 3 if has_3dof_rotation(m, i) else n
    cdef Motion V = w.bodies[m.parent[i]].V if m.parent[i] else zero_m()
    b.V = V
    for j in range(n):
        if translations <= j <= three:
            V = b.V
        c[j].J = column_at(S[j], b.X.r) if j >= translations else S[j]
        c[j].psi = crm(V, c[j].J)
        c[j].chi = scale_m(splat(2.0), c[j].psi)
        b.V = add_m(b.V, scale_m(v[j], c[j].J))
    for j in range(three, n):
        V = crm(b.V, c[j].J)
        c[j].chi = add_m(c[j].psi, V)
        c[j].psi = V

cdef inline Force twice_b(const Carried* b, Motion x) noexcept nogil:
    """2 B x."""
    return force(mul3(b.N, x.w), cross3(x.w, b.h))

cdef inline void put_inertia(const CModel* m, const CData* d, Carried* b, int i, bint external) noexcept nogil:
    """What body i alone has: inertia, Coriolis block and, as V x* I V = B V, the force that its velocity needs."""
    cdef Motion V2 = scale_m(splat(2.0), b.V)
    b.I_b = b.Ic = apply_ti(b.X, load_inertia(m.I_b + i))
    b.N = coriolis_block(b.I_b, V2)
    b.h = mul_i(b.I_b, V2).f
    b.b = scale_f(splat(0.5), twice_b(b, b.V))
    if external:
        b.b = sub_f(b.b, apply_t(b.X, d.f[i]))

cdef inline void accelerate(const CModel* m, const CData* d, Workspace w, const real* vd, int i) noexcept nogil:
    """phi of joint i, acceleration and force of body i; without phi if vd is NULL for zero."""
    cdef Carried* b = w.bodies + i
    cdef Carried* p = w.bodies + m.parent[i]
    cdef Column* c = w.columns + m.vi[i]
    cdef const real* v = d.v + m.vi[i]
    cdef int j, n = m.nvi[i], three = n - 3 if has_3dof_rotation(m, i) else n
    cdef Motion V = p.V if m.parent[i] else zero_m(), A
    if m.parent[i]:
        b.A = p.A
    else:
        b.A = motion(zero3(), neg3(mul3(load_mat3(m.X_tree[i].E), d.gravity)))
    for j in range(n):
        A = b.A
        b.A = add_m(b.A, scale_m(v[j], sub_m(c[j].chi, c[j].psi)))
        if vd is not NULL:
            b.A = add_m(b.A, scale_m(vd[m.vi[i] + j], c[j].J))
            if j < three:
                c[j].phi = add_m(crm(A, c[j].J), crm(V, c[j].psi))
                V = add_m(V, scale_m(v[j], c[j].J))
    if vd is not NULL:
        for j in range(three, n):
            c[j].phi = add_m(crm(b.A, c[j].J), crm(b.V, c[j].psi))
    b.F = add_f(mul_i(b.I_b, b.A), b.b)

# ---- inward: sums over subtrees, and the matrices -----------------------------------------------------------------

cdef inline void add_body(Carried* a, const Carried* b) noexcept nogil:
    """Add to a parent what its child carries, but for the force."""
    a.Ic = add_i(a.Ic, b.Ic)
    a.N = add33(a.N, b.N)
    a.h = add3(a.h, b.h)

cdef inline void put_base(Py_ssize_t nv, real* A, Force f) noexcept nogil:
    """f as the column A of a floating base's rows, v = [linear, angular]."""
    A[0], A[nv], A[2 * nv], A[3 * nv], A[4 * nv], A[5 * nv] = f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z

cdef inline void mass_rows(const CModel* m, Workspace w, int i, real* M) noexcept nogil:
    """G of joint i, and its rows and columns of M against itself and all before it: J_l . G_k."""
    cdef Py_ssize_t k, l, nv = m.nv, v0 = m.vi[i]
    cdef Py_ssize_t base = w.bodies[i].base, last = base + 5 if base >= 0 and base != v0 else -1
    cdef Column* c
    for k in range(v0, v0 + m.nvi[i]):
        c = w.columns + k
        c.G = mul_i(w.bodies[i].Ic, c.J)
        M[k * nv + k] = power(c.J, c.G) + m.rotor[k]
        l = m.parent_dof[k]
        while l > last:
            M[l * nv + k] = M[k * nv + l] = power(w.columns[l].J, c.G)
            l = m.parent_dof[l]
        if last >= 0:
            put_base(nv, M + base * nv + k, c.G)
            put_base(1, M + k * nv + base, c.G)

cdef inline void base_block(const CModel* m, Workspace w, int i, real* dq, real* dv) noexcept nogil:
    """The 6x6 blocks of a floating joint on the root, whose columns are unit vectors; where it is does not matter."""
    cdef Py_ssize_t k, nv = m.nv, v0 = m.vi[i]
    cdef const Carried* b = w.bodies + i
    cdef const Column* c
    for k in range(v0 + 3, v0 + 6):
        c = w.columns + k
        put_base(nv, dq + v0 * nv + k, add_f(crf(c.J, b.F), add_f(mul_i(b.Ic, c.phi), twice_b(b, c.psi))))
        put_base(nv, dv + v0 * nv + k, add_f(mul_i(b.Ic, c.chi), twice_b(b, c.J)))

cdef inline void joint_block(const CModel* m, Workspace w, int i, real* dq, real* dv) noexcept nogil:
    """Rows and columns of joint i against itself and all before it.

    Degree of freedom k against l before it: d tau_l / dq_k = J_l . (J_k x* F + I^c phi_k + 2 B^c psi_k) and
    d tau_k / dq_l = J_k . (I^c phi_l + 2 B^c psi_l), and likewise for v with chi and J in place of phi and psi.
    """
    cdef Py_ssize_t k, l, nv = m.nv
    cdef const Carried* b = w.bodies + i
    cdef const Column* c
    cdef const Column* a
    cdef Force G, P, Q
    cdef Vec3 H
    cdef Py_ssize_t base = b.base, last = base + 5 if base >= 0 else -1
    for k in range(m.vi[i], m.vi[i] + m.nvi[i]):
        c = w.columns + k
        G = c.G
        H = add3(tmul3(b.N, c.J.w), cross3(b.h, c.J.v))
        P = add_f(crf(c.J, b.F), add_f(mul_i(b.Ic, c.phi), twice_b(b, c.psi)))
        Q = add_f(mul_i(b.Ic, c.chi), twice_b(b, c.J))
        dq[k * nv + k] = power(c.J, P)
        dv[k * nv + k] = power(c.J, Q)
        l = m.parent_dof[k]
        while l > last:
            a = w.columns + l
            dq[l * nv + k] = power(a.J, P)
            dv[l * nv + k] = power(a.J, Q)
            dq[k * nv + l] = power(a.phi, G) + dot3(a.psi.w, H)
            dv[k * nv + l] = power(a.chi, G) + dot3(a.J.w, H)
            l = m.parent_dof[l]
        if base >= 0:
            put_base(nv, dq + base * nv + k, P)
            put_base(nv, dv + base * nv + k, Q)
            for l in range(base + 3, base + 6):
                a = w.columns + l
                dq[k * nv + l] = power(a.phi, G) + dot3(a.psi.w, H)
                dv[k * nv + l] = power(a.chi, G) + dot3(a.J.w, H)

cdef inline void correct_turns(const CModel* m, Workspace w, int i, real* dq) noexcept nogil:
    """The axes of a 3-dof rotation do not move one another: none of them comes before another.

    joint_block took l to carry k for l < k, and so lacks J_k . (J_l x* F) in d tau_k / dq_l.
    """
    cdef Py_ssize_t k, l, nv = m.nv, end = m.vi[i] + m.nvi[i]
    for k in range(end - 2, end):
        for l in range(end - 3, k):
            dq[k * nv + l] = dq[k * nv + l] + power(w.columns[k].J, crf(w.columns[l].J, w.bodies[i].F))

cdef inline void derivative_rows(const CModel* m, Workspace w, int i, real* dq, real* dv) noexcept nogil:
    """All that joint i, whose subtree is done, has to do with itself and what is before it."""
    if floats_on_root(m, i):
        base_block(m, w, i, dq, dv)
        return
    joint_block(m, w, i, dq, dv)
    if has_3dof_rotation(m, i):
        correct_turns(m, w, i, dq)

cdef inline void rnea_derivatives(const CModel* m, CData* d, const real* vd, bint external, Workspace w,
                                  real* dq, real* dv, real* M) noexcept nogil:
    """d tau / dq, d tau / dv and M = d tau / d vd, (nv, nv) row-major, zeroed on entry.

    With `external`, d.f holds the external force on each body (body coordinates), which moves with that body.
    """
    cdef int i, p
    cdef Carried* b = w.bodies
    transforms(m, d)
    for i in range(1, m.nb):
        put_body(m, d, b, i)
        put_columns(m, d, w, i)
        put_inertia(m, d, b + i, i, external)
        accelerate(m, d, w, vd, i)
    for i in range(m.nb - 1, 0, -1):
        mass_rows(m, w, i, M)
        derivative_rows(m, w, i, dq, dv)
        p = m.parent[i]
        if p:
            add_body(b + p, b + i)
            b[p].F = add_f(b[p].F, b[i].F)

# ---- the same in two parts, for an acceleration that has to be found first -----------------------------------------

cdef inline void mass_and_bias(
        const CModel* m, CData* d, bint external, Workspace w, real* M, real* h) noexcept nogil:
    """M(q), zeroed on entry, and h(q, v) less external forces: the equation of motion is M vd + h = tau."""
    cdef int i, k, p
    cdef Carried* b = w.bodies
    transforms(m, d)
    for i in range(1, m.nb):
        put_body(m, d, b, i)
        put_columns(m, d, w, i)
        put_inertia(m, d, b + i, i, external)
        accelerate(m, d, w, NULL, i)
    for i in range(m.nb - 1, 0, -1):
        mass_rows(m, w, i, M)
        for k in range(m.vi[i], m.vi[i] + m.nvi[i]):
            h[k] = power(w.columns[k].J, b[i].F)
        p = m.parent[i]
        if p:
            add_body(b + p, b + i)
            b[p].F = add_f(b[p].F, b[i].F)

cdef inline void derivatives_at(
        const CModel* m, const CData* d, const real* vd, Workspace w, real* dq, real* dv) noexcept nogil:
    """d tau / dq and d tau / dv at vd, zeroed on entry, after mass_and_bias."""
    cdef int i, p
    for i in range(1, m.nb):
        accelerate(m, d, w, vd, i)
    for i in range(m.nb - 1, 0, -1):
        derivative_rows(m, w, i, dq, dv)
        p = m.parent[i]
        if p:
            w.bodies[p].F = add_f(w.bodies[p].F, w.bodies[i].F)

cdef inline Workspace workspace_of(const CModel* m, void* memory) noexcept nogil:
    """The workspace in `memory`, which holds workspace_size(m) bytes."""
    cdef Workspace w
    w.bodies = <Carried*> memory
    w.columns = <Column*> (w.bodies + m.nb)
    return w

cdef inline size_t workspace_size(const CModel* m) noexcept nogil:
    return m.nb * sizeof(Carried) + m.nv * sizeof(Column)
