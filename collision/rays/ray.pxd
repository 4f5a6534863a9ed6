# Rays against shapes: where one comes in, in the frame of the shape.
#
# A shape is solid.  A ray sees where it enters one, and none that it begins in: a sensor sees out of its housing.  The
# direction is of unit length, so that the distance is the parameter along it.
#
# Sources: C. Ericson, Real-Time Collision Detection (2005), section 5.3.  Circles and balls by their distance from the
# line, which cancels nothing where they are small and far away: Haines, Gunther, Akenine-Moeller, "Precision
# improvements for ray/sphere intersection", Ray Tracing Gems (2019), chapter 7.

from libc.math cimport INFINITY, fabs, sqrt

from rbdyn.spatial._algebra cimport Vec3, vec3

cdef struct Entrance:             # of a ray into a convex shape
    double distance            # [m]
    Vec3 normal                # outward, unit length

cdef struct Span:              # the part of a line that is within a slab, a circle or a ball
    double first, last         # [m]; first > last: none

cdef inline double part_of(double d) noexcept nogil:
    """A component of a unit direction; 0 if it moves no coordinate, of 1e-40 to 1e40 m, by its rounding.

    Products with such components would underflow.
    """
    return d if fabs(d) > 1e-100 else 0.0

cdef inline Vec3 without_underflow(Vec3 d) noexcept nogil:
    """A unit direction of which every component moves a ray."""
    return vec3(part_of(d.x), part_of(d.y), part_of(d.z))

cdef inline Span slab(double o, double d, double half) noexcept nogil:
    """Where |o + t d| <= half."""
    if d == 0.0:
        return Span(first=-INFINITY, last=INFINITY) if -half <= o <= half else Span(first=INFINITY, last=-INFINITY)
    if d > 0.0:
        return Span(first=(-half - o) / d, last=(half - o) / d)
    return Span(first=(half - o) / d, last=(-half - o) / d)

cdef inline Span round_span(double b, double beside, double size, double radius) noexcept nogil:
    """Where a line is within `radius` of a point that it is nearest to after b.

    It passes the point at the distance sqrt(beside), and begins at `size` from it.
    """
    cdef double left = radius * radius - beside, root, c
    if not left >= 0.0:
        return Span(first=INFINITY, last=-INFINITY)
    root = sqrt(left)
    c = (size - radius) * (size + radius)
    if b > 0.0:
        return Span(first=c / (b + root), last=b + root)
    return Span(first=b - root, last=c / (b - root) if b < root else 0.0)
