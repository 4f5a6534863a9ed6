# Where the arrays of a CData lie: written once, for one state and, with `real` of 4 or 8 lanes, for many.

from rbdyn.memory cimport open_arena, place
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Inertia, Mat3, Motion, Vec3, Xform, eye3, real, zero3,
)
from rbdyn.spatial.constants cimport load_vec3

cdef inline void place_data(CData* d, const CModel* m) noexcept nogil:
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

cdef inline int open_data(CData* d, const CModel* m) except -1:
    """Zeroed arrays for a state of this model, its root at the world's origin."""
    place_data(d, m)
    open_arena(&d.memory)
    place_data(d, m)
    d.gravity = load_vec3(m.gravity)
    d.R[0] = eye3()
    d.p[0] = zero3()
    return 0
