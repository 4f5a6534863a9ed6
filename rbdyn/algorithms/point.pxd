# Points fixed to bodies: where they are and how they move, in root axes.

from rbdyn.algorithms.kinematics cimport poses, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Placement
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, cross3, motion, mul3, vec3

cdef inline Vec3 in_body(Placement place, const double* point) noexcept:
    """A point given in a placed frame, in the internal frame of its body."""
    return add3(place.p, mul3(place.R, vec3(point[0], point[1], point[2])))

cdef inline Vec3 where(const CData* d, Placement place, Vec3 x) noexcept:
    """Root coordinates of the point x of a body's internal frame."""
    return add3(d.p[place.body], mul3(d.R[place.body], x))

cdef inline Motion point_twist(const CModel* m, CData* d, Placement place, const double* point) noexcept:
    """Angular velocity of the body, linear velocity of the point; root axes, at the point."""
    cdef Vec3 x = in_body(place, point)
    cdef Motion v
    velocities(m, d)
    poses(m, d)
    v = d.vel[place.body]
    return motion(mul3(d.R[place.body], v.w), mul3(d.R[place.body], add3(v.v, cross3(v.w, x))))
