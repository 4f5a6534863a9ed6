# Points fixed to bodies: where they are and how they move, in root axes.

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.kernels.kinematics cimport support
from rbdyn.model._model cimport POSES, VELOCITIES, CData, CModel
from rbdyn.model.model cimport Model, Placement
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, cross3, motion, mul3, vec3

cdef inline Vec3 point_in(object point) except *:
    """What a user gives as a point: None for the origin, or three numbers [m]."""
    cdef double* x
    cdef cnp.ndarray a
    if point is None:
        return vec3(0.0, 0.0, 0.0)
    a = vector_in(point, 3, "point")
    x = data(a)
    return vec3(x[0], x[1], x[2])

cdef inline Placement place_of(Model model, object body):
    """Where a body or frame sits; "world" is the root's, which does not move either."""
    if isinstance(body, str):                    # the quick way; what is wrong is left to find
        place = model.placements.get(body)
        if place is not None:
            return <Placement> place
    return model.find(body)

cdef inline Vec3 in_body(Placement place, Vec3 point) noexcept:
    """A point given in a placed frame, in the internal frame of its body."""
    return add3(place.p, mul3(place.R, point))

cdef inline Vec3 point_in_world(const CData* d, Placement place, Vec3 x) noexcept:
    """Root coordinates of the point x of a body's internal frame."""
    return add3(d.p[place.body], mul3(d.R[place.body], x))

cdef inline Motion point_twist(const CModel* m, CData* d, Placement place, Vec3 point) noexcept:
    """Angular velocity of the body, linear velocity of the point; root axes, at the point."""
    cdef Vec3 x = in_body(place, point)
    cdef Motion v
    support(m, d, place.body, POSES | VELOCITIES)
    v = d.vel[place.body]
    return motion(mul3(d.R[place.body], v.w), mul3(d.R[place.body], add3(v.v, cross3(v.w, x))))
