# Frames in the world, and motions of bodies at a point of it: what relative motion is made of.

from rbdyn.kernels.kinematics cimport support
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, cross3, eye3, matmul3, motion, mul3, sub3, tmul3, zero3

cdef struct Frame:
    int body                  # internal body that carries the frame; 0, which does not move, for the world
    Mat3 R                    # frame to world axes
    Vec3 p                    # [m] its origin in the world

cdef inline Frame frame_in(State state, object frame, int wanted) except *:
    """What a user gives as a frame: "world", or a body or frame of the model.

    Its body and those between it and the root reach the stages `wanted`: POSES, or POSES | VELOCITIES.
    """
    cdef Frame F
    cdef Placement place
    cdef CModel* m = state.use()
    if isinstance(frame, str) and frame == "world":
        support(m, &state.c, 0, wanted)
        F.body, F.R, F.p = 0, eye3(), zero3()
        return F
    place = state.model.find(frame)
    support(m, &state.c, place.body, wanted)
    F.body = place.body
    F.R = matmul3(state.c.R[place.body], place.R)
    F.p = add3(state.c.p[place.body], mul3(state.c.R[place.body], place.p))
    return F

cdef inline Motion at_point(const CData* d, int body, Motion a, Vec3 at) noexcept nogil:
    """A body's motion `a`, in its own frame, in world axes at the point `at` of the world."""
    cdef Vec3 w = mul3(d.R[body], a.w)
    return motion(w, add3(mul3(d.R[body], a.v), cross3(w, sub3(at, d.p[body]))))

cdef inline Motion twist_at(const CData* d, int body, Vec3 at) noexcept nogil:
    """Velocity of a body, in world axes, at the point `at` of the world; the velocities are current."""
    return at_point(d, body, d.vel[body], at)

cdef inline Motion acceleration_at(const CData* d, int body, Vec3 at) noexcept nogil:
    """Spatial acceleration of a body, in world axes, at the point `at` of the world; d.a is current."""
    return at_point(d, body, d.a[body], at)

cdef inline Motion into(Frame F, Motion a) noexcept nogil:
    """A motion at the origin of F, from world axes to those of F."""
    return motion(tmul3(F.R, a.w), tmul3(F.R, a.v))
