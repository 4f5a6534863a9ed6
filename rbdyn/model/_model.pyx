"""Memory of the C structs of a Model and a State."""

from libc.stdlib cimport calloc, free

from rbdyn.spatial._algebra cimport eye3, zero3


cdef void* _take(size_t count, size_t size) except NULL:
    cdef void* p = calloc(count if count else 1, size)
    if p is NULL:
        raise MemoryError(f"cannot allocate {count * size} bytes")
    return p


cdef int allocate_model(CModel* m, int nb, int nq, int nv) except -1:
    """Zeroed arrays for a model of this size."""
    m.nb, m.nq, m.nv = nb, nq, nv
    m.parent = <int*> _take(nb, sizeof(int))
    m.kind = <int*> _take(nb, sizeof(int))
    m.chart = <int*> _take(nb, sizeof(int))
    m.qi = <int*> _take(nb, sizeof(int))
    m.vi = <int*> _take(nb, sizeof(int))
    m.nvi = <int*> _take(nb, sizeof(int))
    m.above = <int*> _take(nv, sizeof(int))
    m.X_tree = <Xform*> _take(nb, sizeof(Xform))
    m.I_b = <Inertia*> _take(nb, sizeof(Inertia))
    m.rotor = <double*> _take(nv, sizeof(double))
    m.part = <Part*> _take(nb, sizeof(Part))
    return 0


cdef int allocate_loops(CModel* m, int n_loops) except -1:
    """Zeroed loop joints of a model that was allocated before."""
    m.n_loops = n_loops
    m.loops = <CLoop*> _take(n_loops, sizeof(CLoop))
    return 0


cdef void free_model(CModel* m) noexcept:
    for p in (<size_t> m.parent, <size_t> m.kind, <size_t> m.qi, <size_t> m.vi, <size_t> m.nvi, <size_t> m.above,
              <size_t> m.X_tree, <size_t> m.I_b, <size_t> m.rotor, <size_t> m.part, <size_t> m.chart,
              <size_t> m.loops):
        free(<void*> <size_t> p)


cdef int allocate_data(CData* d, const CModel* m) except -1:
    """Zeroed arrays for a state of this model, its root at the world's origin."""
    cdef int nb = m.nb, nq = m.nq, nv = m.nv
    d.stage = 0
    d.gravity = m.gravity
    d.q = <real*> _take(nq, sizeof(real))
    d.v = <real*> _take(nv, sizeof(real))
    d.X = <Xform*> _take(nb, sizeof(Xform))
    d.EJ = <Mat3*> _take(nb, sizeof(Mat3))
    d.R = <Mat3*> _take(nb, sizeof(Mat3))
    d.p = <Vec3*> _take(nb, sizeof(Vec3))
    d.path = <int*> _take(nb, sizeof(int))
    d.vel = <Motion*> _take(nb, sizeof(Motion))
    d.c = <Motion*> _take(nb, sizeof(Motion))
    d.a = <Motion*> _take(nb, sizeof(Motion))
    d.f = <Force*> _take(nb, sizeof(Force))
    d.Ic = <Inertia*> _take(nb, sizeof(Inertia))
    d.IA = <ArticulatedInertia*> _take(nb, sizeof(ArticulatedInertia))
    d.pA = <Force*> _take(nb, sizeof(Force))
    d.U = <Force*> _take(nv, sizeof(Force))
    d.D = <real*> _take(6 * nv, sizeof(real))
    d.u = <real*> _take(nv, sizeof(real))
    d.R[0] = eye3()
    d.p[0] = zero3()
    return 0


cdef void free_data(CData* d) noexcept:
    for p in (<size_t> d.q, <size_t> d.v, <size_t> d.X, <size_t> d.EJ, <size_t> d.R, <size_t> d.p, <size_t> d.path,
              <size_t> d.vel, <size_t> d.c, <size_t> d.a, <size_t> d.f, <size_t> d.Ic, <size_t> d.IA, <size_t> d.pA,
              <size_t> d.U, <size_t> d.D, <size_t> d.u):
        free(<void*> <size_t> p)
