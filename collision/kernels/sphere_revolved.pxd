# A sphere against a cylinder and a cone, in the half-plane through their axis and its centre.
#
# There a solid of revolution is its outline: (rho, z), the distance from the axis and the height.
# Source: RTCD, section 5.1 (nearest points), for a rectangle and a triangle.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.cone cimport cone_of
from rbdyn.collision.kernels.support.cylinder cimport cylinder_of
from rbdyn.collision.kernels.support.sphere cimport sphere_of
from rbdyn.collision.kernels.vectors cimport along
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, mul3, sub3, tmul3, vec3


cdef struct Outside:               # how a point lies beside an outline
    double gap                     # distance [m]; negative within, to the nearest side
    double rho, z                  # outward unit normal there


cdef inline Outside from_corner(double rho, double z) noexcept nogil:
    """Of a point that is nearest to a corner, rho and z from it."""
    cdef double gap = sqrt(rho * rho + z * z)
    return Outside(gap=gap, rho=rho / gap, z=z / gap) if gap > 0.0 else Outside(gap=0.0, rho=1.0, z=0.0)


cdef inline Outside outside_cylinder(const CylinderData* c, double rho, double z) noexcept nogil:
    cdef double beside = rho - c.radius, beyond = fabs(z) - c.half_height, way = 1.0 if z >= 0.0 else -1.0
    if beside > 0.0 and beyond > 0.0:
        return from_corner(beside, way * beyond)
    if beside > beyond:
        return Outside(gap=beside, rho=1.0, z=0.0)
    return Outside(gap=beyond, rho=0.0, z=way)


cdef inline Outside outside_cone(const ConeData* c, double rho, double z) noexcept nogil:
    cdef double up = z - c.half_height, h = 2.0 * c.half_height, length = sqrt(h * h + c.radius * c.radius)
    cdef double below = -c.half_height - z, beside = (rho * h + up * c.radius) / length
    cdef double down = (rho * c.radius - up * h) / length         # along the side, from the apex
    if below > 0.0 and rho > c.radius or beside > 0.0 and down > length:
        return from_corner(rho - c.radius, -below)
    if down < 0.0:
        return from_corner(rho, up)
    if below > beside:
        return Outside(gap=below, rho=0.0, z=-1.0)
    return Outside(gap=beside, rho=h / length, z=c.radius / length)


cdef inline void touch(const PosedShape* a, const PosedShape* b, Vec3 c, double rho, Outside at,
                       double margin, Sink* sink) noexcept nogil:
    """The contact of sphere a, whose centre is c in the frame of b, rho from its axis."""
    cdef Manifold m
    cdef double r = sphere_of(a).radius
    if at.gap - r >= margin:
        return
    clear(&m)
    m.normal = mul3(b.X.R, vec3(at.rho * c.x / rho, at.rho * c.y / rho, at.z) if rho > 0.0 else vec3(at.rho, 0.0, at.z))
    add_point(&m, along(a.X.p, -0.5 * (at.gap + r), m.normal), r - at.gap, 0)
    emit(sink, &m)


cdef inline void sphere_cylinder(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    cdef Vec3 c = tmul3(b.X.R, sub3(a.X.p, b.X.p))
    cdef double rho = sqrt(c.x * c.x + c.y * c.y)
    touch(a, b, c, rho, outside_cylinder(cylinder_of(b), rho, c.z), margin, sink)


cdef inline void sphere_cone(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    cdef Vec3 c = tmul3(b.X.R, sub3(a.X.p, b.X.p))
    cdef double rho = sqrt(c.x * c.x + c.y * c.y)
    touch(a, b, c, rho, outside_cone(cone_of(b), rho, c.z), margin, sink)
