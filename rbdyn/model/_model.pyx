"""Memory of the C structs of a Model and a State."""

from rbdyn.memory cimport close_arena, open_arena, place
from rbdyn.spatial._algebra cimport eye3, zero3


cdef void _place_model(CModel* m) noexcept nogil:
    cdef int nb = m.nb, nv = m.nv
    m.parent = <int*> place(&m.memory, nb, sizeof(int))
    m.kind = <int*> place(&m.memory, nb, sizeof(int))
    m.representation = <int*> place(&m.memory, nb, sizeof(int))
    m.qi = <int*> place(&m.memory, nb, sizeof(int))
    m.vi = <int*> place(&m.memory, nb, sizeof(int))
    m.nvi = <int*> place(&m.memory, nb, sizeof(int))
    m.parent_dof = <int*> place(&m.memory, nv, sizeof(int))
    m.X_tree = <Xform*> place(&m.memory, nb, sizeof(Xform))
    m.I_b = <Inertia*> place(&m.memory, nb, sizeof(Inertia))
    m.rotor = <double*> place(&m.memory, nv, sizeof(double))
    m.blocks = <Block*> place(&m.memory, nb, sizeof(Block))
    m.loops = <CLoop*> place(&m.memory, m.n_loops, sizeof(CLoop))


cdef int allocate_model(CModel* m, int nb, int nq, int nv, int n_loops) except -1:
    """Zeroed arrays for a model of this size."""
    m.nb, m.nq, m.nv, m.n_loops = nb, nq, nv, n_loops
    _place_model(m)
    open_arena(&m.memory)
    _place_model(m)
    return 0


cdef void free_model(CModel* m) noexcept:
    close_arena(&m.memory)


cdef void _place_data(CData* d, const CModel* m) noexcept nogil:
    cdef int nb = m.nb, nq = m.nq, nv = m.nv
    d.q = <real*> place(&d.memory, nq, sizeof(real))
    d.v = <real*> place(&d.memory, nv, sizeof(real))
    d.X = <Xform*> place(&d.memory, nb, sizeof(Xform))
    d.EJ = <Mat3*> place(&d.memory, nb, sizeof(Mat3))
    d.R = <Mat3*> place(&d.memory, nb, sizeof(Mat3))
    d.p = <Vec3*> place(&d.memory, nb, sizeof(Vec3))
    d.path = <int*> place(&d.memory, nb, sizeof(int))
    d.vel = <Motion*> place(&d.memory, nb, sizeof(Motion))
    d.c = <Motion*> place(&d.memory, nb, sizeof(Motion))
    d.a = <Motion*> place(&d.memory, nb, sizeof(Motion))
    d.f = <Force*> place(&d.memory, nb, sizeof(Force))
    d.Ic = <Inertia*> place(&d.memory, nb, sizeof(Inertia))
    d.IA = <ArticulatedInertia*> place(&d.memory, nb, sizeof(ArticulatedInertia))
    d.pA = <Force*> place(&d.memory, nb, sizeof(Force))
    d.U = <Force*> place(&d.memory, nv, sizeof(Force))
    d.D = <real*> place(&d.memory, 6 * nv, sizeof(real))
    d.u = <real*> place(&d.memory, nv, sizeof(real))


cdef int allocate_data(CData* d, const CModel* m) except -1:
    """Zeroed arrays for a state of this model, its root at the world's origin."""
    _place_data(d, m)
    open_arena(&d.memory)
    _place_data(d, m)
    d.gravity = m.gravity
    d.R[0] = eye3()
    d.p[0] = zero3()
    return 0


cdef void free_data(CData* d) noexcept:
    close_arena(&d.memory)
