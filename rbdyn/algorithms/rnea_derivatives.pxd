# Derivatives of the recursive Newton-Euler algorithm.
#
# The method of Singh, Russell and Wensing (IEEE RA-L 2022; see also Carpentier and Mansard, RSS 2018), derived anew for
# this library's joints in docs/derivatives.md, whose letters are used here.  Every tree that hangs on the root has a
# frame of its own, which is inertial: the axes of its first joint's before-frame, the origin where its first body is now.
# All vectors below are in that frame, so that nothing is transformed from body to body, the columns of a floating base are
# unit vectors, and a base that is far away costs no digits.

from rbdyn.algorithms.coriolis cimport coriolis_block
from rbdyn.algorithms.kinematics cimport transforms
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints cimport floats_on_root, joint_axes_from, turns_at_once
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Mat3, Motion, Vec3, Xform, add3, add33, add_f, add_i, add_m, apply_t, apply_ti, compose, cross3, crf,
    crm, dot3, force, matmul3, motion, mul3, mul_i, neg3, power, real, scale_f, scale_m, sub_f, tmul3,
    transpose3, xform, zero3, zero_m,
)

cdef struct Carried:         # body i, and all that hangs on it, in the frame of its tree
    Xform X                  # tree frame to body coordinates
    Motion V                 # velocity
    Motion A                 # acceleration, minus gravity
    Inertia Ic               # composite inertia
    Mat3 N                   # 2 B^c = [N 0; -hx 0], the composite Coriolis block
    Vec3 h
    Force F                  # force across joint i
    int base                 # first degree of freedom of the floating joint that carries the tree, or -1

cdef struct Column:          # degree of freedom k, in the frame of its tree; V_k, A_k: what it carries moves so
    Motion J                 # its axis
    Motion psi               # V_k x J
    Motion phi               # A_k x J + V_k x psi
    Motion chi               # psi + dJ/dt

cdef struct Workspace:
    Carried* bodies          # (nb,)
    Column* columns          # (nv,)

# ---- outward: where bodies are, how they move, and the columns ---------------------------------------------------------

cdef inline Column column(Motion J, Motion V, Motion A, Motion J_dot) noexcept nogil:
    cdef Column c
    c.J = J
    c.psi = crm(V, J)
    c.phi = add_m(crm(A, J), crm(V, c.psi))
    c.chi = add_m(c.psi, J_dot)
    return c

cdef inline Motion axis_at(Vec3 a, Vec3 p) noexcept nogil:
    """A rotation about `a` through `p`."""
    return motion(a, cross3(p, a))

cdef inline void put_body(const CModel* m, const CData* d, Carried* b, int i) noexcept nogil:
    """Where body i is; its parent's motion, or -g, for the joint to add to."""
    cdef int p = m.parent[i]
    if p:
        b[i].X = compose(d.X[i], b[p].X)
        b[i].V = b[p].V
        b[i].A = b[p].A
        b[i].base = b[p].base
        return
    if floats_on_root(m, i):
        b[i].X = xform(d.EJ[i], zero3())
        b[i].base = m.vi[i]
    else:
        b[i].X = xform(matmul3(d.X[i].E, transpose3(m.X_tree[i].E)), zero3())
        b[i].base = -1
    b[i].V = zero_m()
    b[i].A = motion(zero3(), neg3(mul3(m.X_tree[i].E, d.gravity)))

cdef inline void put_columns(const CModel* m, const CData* d, const real* vd, Workspace w, int i) noexcept nogil:
    """Columns of joint i, and the motion of body i.

    A joint slides first and turns then.  What slides is carried by the parent; a single turn may be taken to be carried
    by either side; three turns at once are carried by all three, while their axes move before any of them.
    """
    cdef Carried* b = w.bodies + i
    cdef Column* c = w.columns + m.vi[i]
    cdef const real* v = d.v + m.vi[i]
    cdef const real* a = vd + m.vi[i]
    cdef Vec3[6] axes
    cdef int j, n = m.nvi[i], slides = joint_axes_from(m, d, i, b.X.E, axes)
    cdef Motion V = b.V, A = b.A, J
    cdef Motion[3] J_dot
    for j in range(slides):
        J = motion(zero3(), axes[j])
        c[j] = column(J, V, A, crm(V, J))
        b.V = add_m(b.V, scale_m(v[j], J))
        b.A = add_m(b.A, add_m(scale_m(a[j], J), scale_m(v[j], c[j].psi)))
    if n - slides == 1:
        J = axis_at(axes[slides], b.X.r)
        J_dot[0] = crm(b.V, J)
        c[slides].J = J
        c[slides].psi = J_dot[0]
        c[slides].chi = scale_m(2.0, J_dot[0])
        c[slides].phi = add_m(crm(b.A, J), crm(b.V, J_dot[0]))
        b.V = add_m(b.V, scale_m(v[slides], J))
        b.A = add_m(b.A, add_m(scale_m(a[slides], J), scale_m(v[slides], J_dot[0])))
    elif n - slides == 3:
        V = b.V
        for j in range(3):
            J = axis_at(axes[slides + j], b.X.r)
            J_dot[j] = crm(V, J)
            b.V = add_m(b.V, scale_m(v[slides + j], J))
            b.A = add_m(b.A, add_m(scale_m(a[slides + j], J), scale_m(v[slides + j], J_dot[j])))
        for j in range(3):
            c[slides + j] = column(axis_at(axes[slides + j], b.X.r), b.V, b.A, J_dot[j])

cdef inline Force twice_b(const Carried* b, Motion x) noexcept nogil:
    """2 B x."""
    return force(mul3(b.N, x.w), cross3(x.w, b.h))

cdef inline void put_inertia(const CModel* m, const CData* d, Carried* b, int i, bint external) noexcept nogil:
    """Inertia, Coriolis block and force of body i alone: F = I A + V x* I V = I A + B V."""
    cdef Motion V2 = scale_m(2.0, b.V)
    b.Ic = apply_ti(b.X, m.I_b[i])
    b.N = coriolis_block(b.Ic, V2)
    b.h = mul_i(b.Ic, V2).f
    b.F = add_f(mul_i(b.Ic, b.A), scale_f(0.5, twice_b(b, b.V)))
    if external:
        b.F = sub_f(b.F, apply_t(b.X, d.f[i]))

# ---- inward: sums over subtrees, and the matrices ---------------------------------------------------------------------

cdef inline void add_body(Carried* a, const Carried* b) noexcept nogil:
    """Add to a parent what its child carries."""
    a.Ic = add_i(a.Ic, b.Ic)
    a.N = add33(a.N, b.N)
    a.h = add3(a.h, b.h)
    a.F = add_f(a.F, b.F)

cdef inline void put_base(Py_ssize_t nv, real* A, Force f) noexcept nogil:
    """f as the column A of a floating base's rows, v = [linear, angular]."""
    A[0], A[nv], A[2 * nv], A[3 * nv], A[4 * nv], A[5 * nv] = f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z

cdef inline void base_block(const CModel* m, Workspace w, int i, real* dq, real* dv, real* M) noexcept nogil:
    """The 6x6 blocks of a floating joint on the root, whose columns are unit vectors.  Nothing depends on where it is."""
    cdef Py_ssize_t j, k, nv = m.nv, v0 = m.vi[i]
    cdef const Carried* b = w.bodies + i
    cdef const Column* c
    for j in range(6):
        k = v0 * nv + v0 + j
        c = w.columns + v0 + j
        put_base(nv, M + k, mul_i(b.Ic, c.J))
        M[k + j * nv] = M[k + j * nv] + m.rotor[v0 + j]
        if j > 2:
            put_base(nv, dq + k, add_f(crf(c.J, b.F), add_f(mul_i(b.Ic, c.phi), twice_b(b, c.psi))))
            put_base(nv, dv + k, add_f(mul_i(b.Ic, c.chi), twice_b(b, c.J)))

cdef inline void joint_block(const CModel* m, Workspace w, int i, real* dq, real* dv, real* M) noexcept nogil:
    """Rows and columns of joint i against itself and all before it.

    Degree of freedom k against l before it: d tau_l / dq_k = J_l . (J_k x* F + I^c phi_k + 2 B^c psi_k) and
    d tau_k / dq_l = J_k . (I^c phi_l + 2 B^c psi_l), and likewise for v with chi and J in place of phi and psi.
    """
    cdef Py_ssize_t j, k, l, n, nv = m.nv
    cdef const Carried* b = w.bodies + i
    cdef const Column* c
    cdef const Column* a
    cdef Force G, P, Q
    cdef Vec3 H
    cdef Py_ssize_t base = b.base, last = base + 5 if base >= 0 else -1
    for j in range(m.nvi[i]):
        k = m.vi[i] + j
        c = w.columns + k
        G = mul_i(b.Ic, c.J)
        H = add3(tmul3(b.N, c.J.w), cross3(b.h, c.J.v))
        P = add_f(crf(c.J, b.F), add_f(mul_i(b.Ic, c.phi), twice_b(b, c.psi)))
        Q = add_f(mul_i(b.Ic, c.chi), twice_b(b, c.J))
        dq[k * nv + k] = power(c.J, P)
        dv[k * nv + k] = power(c.J, Q)
        M[k * nv + k] = power(c.J, G) + m.rotor[k]
        l = m.above[k]
        while l > last:
            a = w.columns + l
            dq[l * nv + k] = power(a.J, P)
            dv[l * nv + k] = power(a.J, Q)
            M[l * nv + k] = M[k * nv + l] = power(a.J, G)
            dq[k * nv + l] = power(a.phi, G) + dot3(a.psi.w, H)
            dv[k * nv + l] = power(a.chi, G) + dot3(a.J.w, H)
            l = m.above[l]
        if base >= 0:
            put_base(nv, dq + base * nv + k, P)
            put_base(nv, dv + base * nv + k, Q)
            put_base(nv, M + base * nv + k, G)
            put_base(1, M + k * nv + base, G)
            for l in range(base + 3, base + 6):
                a = w.columns + l
                dq[k * nv + l] = power(a.phi, G) + dot3(a.psi.w, H)
                dv[k * nv + l] = power(a.chi, G) + dot3(a.J.w, H)

cdef inline void correct_turns(const CModel* m, Workspace w, int i, real* dq) noexcept nogil:
    """Three turns at once do not move one another's axes: none of them comes before another.

    joint_block took l to carry k for l < k, and so lacks J_k . (J_l x* F) in d tau_k / dq_l.
    """
    cdef Py_ssize_t k, l, nv = m.nv, end = m.vi[i] + m.nvi[i]
    for k in range(end - 2, end):
        for l in range(end - 3, k):
            dq[k * nv + l] = dq[k * nv + l] + power(w.columns[k].J, crf(w.columns[l].J, w.bodies[i].F))

cdef inline void rnea_derivatives(const CModel* m, CData* d, const real* vd, bint external, Workspace w,
                                  real* dq, real* dv, real* M) noexcept nogil:
    """d tau / dq, d tau / dv and M = d tau / d vd, (nv, nv) row-major, zeroed on entry.

    With `external`, d.f holds the external force on each body (body coordinates), which moves with that body.
    """
    cdef int i
    cdef Carried* b = w.bodies
    transforms(m, d)
    for i in range(1, m.nb):
        put_body(m, d, b, i)
        put_columns(m, d, vd, w, i)
        put_inertia(m, d, b + i, i, external)
    for i in range(m.nb - 1, 0, -1):
        if floats_on_root(m, i):
            base_block(m, w, i, dq, dv, M)
            continue
        joint_block(m, w, i, dq, dv, M)
        if turns_at_once(m, i):
            correct_turns(m, w, i, dq)
        if m.parent[i]:
            add_body(b + m.parent[i], b + i)

cdef inline Workspace workspace_of(const CModel* m, void* memory) noexcept nogil:
    """The workspace in `memory`, which holds workspace_size(m) bytes."""
    cdef Workspace w
    w.bodies = <Carried*> memory
    w.columns = <Column*> (w.bodies + m.nb)
    return w

cdef inline size_t workspace_size(const CModel* m) noexcept nogil:
    return m.nb * sizeof(Carried) + m.nv * sizeof(Column)

cdef int differentiate(
    State state, const double* vd, list wrenches, double* dq, double* dv, double* M) except -1
