# How external wrenches change as the configuration does, beyond what rnea_derivatives takes for granted: that each is
# fixed to the body on which it acts.  J is in the frames of the trees, as in rnea_derivatives.pxd.

from rbdyn.kernels.rnea_derivatives cimport Workspace
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport (
    Force, Vec3, add3, apply_f, apply_t, cross3, crf, force, mul3, neg3, power, real, sub3, tmul3,
)

cdef inline int outermost(const CModel* m, int body) noexcept nogil:
    """The last degree of freedom of a body's joint, from which `parent_dof` leads to the root; -1 for the root."""
    return m.vi[body] + m.nvi[body] - 1 if body else -1

cdef inline bint supports(const CModel* m, int k, int body) noexcept nogil:
    """Whether degree of freedom k moves a body."""
    cdef int l = outermost(m, body)
    while l > k:
        l = m.parent_dof[l]
    return l == k

cdef inline void add_rows(const CModel* m, Workspace w, int body, int k, Force D, real* dq) noexcept nogil:
    """d tau_l / dq_k += J_l . D for every l that moves a body."""
    cdef Py_ssize_t l = outermost(m, body)
    while l >= 0:
        dq[l * m.nv + k] = dq[l * m.nv + k] + power(w.columns[l].J, D)
        l = m.parent_dof[l]

cdef inline Force between_trees(const CData* d, Workspace w, int a, int b, Force f) noexcept nogil:
    """A force from the frame of the tree of body a to that of body b, by way of the world; poses are current."""
    cdef Vec3 n
    f = apply_f(w.bodies[a].X, f)
    f = force(mul3(d.R[a], f.n), mul3(d.R[a], f.f))
    n = add3(f.n, cross3(sub3(d.p[a], d.p[b]), f.f))
    return apply_t(w.bodies[b].X, force(tmul3(d.R[b], n), tmul3(d.R[b], f.f)))

cdef inline void held_in_world(
        const CModel* m, Workspace w, int body, Vec3 at, Vec3 n, Vec3 f, real* dq) noexcept nogil:
    """A wrench (n, f) with constant components along the world's axes, about a point that the body carries.

    `at`, `n` and `f` are in body coordinates.  A turn by w would turn the wrench of a body that holds it by
    (w x n + at x (w x f), w x f): that is taken back.
    """
    cdef int k = outermost(m, body)
    cdef Vec3 u, arm
    n = tmul3(w.bodies[body].X.E, n)
    f = tmul3(w.bodies[body].X.E, f)
    arm = add3(w.bodies[body].X.r, tmul3(w.bodies[body].X.E, at))
    while k >= 0:
        u = cross3(w.columns[k].J.w, f)
        add_rows(m, w, body, k, force(add3(cross3(w.columns[k].J.w, n), cross3(arm, u)), u), dq)
        k = m.parent_dof[k]

cdef inline void held_in_frame(
        const CModel* m, const CData* d, Workspace w, int body, int holder, Force X, real* dq) noexcept nogil:
    """A wrench on `body` that is constant in the axes of another body, `holder`.

    X is in coordinates of `body`.  A degree of freedom that moves both moves the wrench as taken; one that moves only
    the body does not; one that moves only the holder changes it by J x* X.
    """
    cdef Force own = apply_t(w.bodies[body].X, X), there, D
    cdef int k = outermost(m, body)
    while k >= 0:
        if not supports(m, k, holder):
            add_rows(m, w, body, k, crf(w.columns[k].J, own), dq)
        k = m.parent_dof[k]
    k = outermost(m, holder)
    if k >= 0:
        there = between_trees(d, w, body, holder, own)
    while k >= 0:
        if not supports(m, k, body):
            D = between_trees(d, w, holder, body, crf(w.columns[k].J, there))
            add_rows(m, w, body, k, force(neg3(D.n), neg3(D.f)), dq)
        k = m.parent_dof[k]
