# When a convex shape that is shifted, without turning, meets another one.
#
# The distance of two convex shapes is a convex function of a shift, and its slope is the speed along the normal:
# Newton's method, from the left, never passes the first zero, and stops where the distance grows again.
# Cf. G. van den Bergen, Ray casting against general convex objects with application to continuous collision detection
# (2004), which moves on likewise but keeps the simplex.  From every place the equations of touching are tried
# (polish.pyx), which say at once where that is, if the patches are the right ones.  Where the plane that keeps them
# apart is certain, and the way that is left does not lead through it, they do not meet.

from libc.math cimport INFINITY, fabs, sqrt

from rbdyn.collision._types cimport SUPPORT, Pose, PosedShape
from rbdyn.collision.kernels.core cimport core_radius
from rbdyn.collision.kernels.least_push cimport place_points
from rbdyn.collision.kernels.nearest cimport Nearest, find_convex
from rbdyn.collision.kernels.polish cimport polish, touch
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, zero3

cdef enum:
    MAX_ADVANCES = 100


cdef inline bint convex_cast(
        const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t, Nearest* at) noexcept nogil:
    """Whether a meets b within `most` (0 to 1) of its way [m]: at which share of it, and what is nearest there.

    At 0 if they overlap.
    """
    cdef Pose there = a.X[0]
    cdef PosedShape moving
    cdef Vec3 facing = zero3()                             # the last normal along which a comes nearer
    cdef double speed = 0.0, toward, more, near = 1e-6 * (a.s.bounds.radius + b.s.bounds.radius)
    cdef bint sure = False, missed, own = a.s.kind == SUPPORT or b.s.kind == SUPPORT
    moving.s, moving.X = a.s, &there
    at.on_a = at.on_b = at.normal = zero3()
    t[0] = 0.0
    for _ in range(MAX_ADVANCES):
        there.p = add3(a.X.p, scale3(t[0], way))
        find_convex(&moving, b, INFINITY, at)
        if at.distance < 1e3 * near:
            sure = polish(&moving, b, at)
        if at.distance <= 0.0 and t[0] == 0.0:
            place_points(&moving, b, at)
            return True
        toward = -dot3(at.normal, way)
        missed = at.distance > max(toward, 0.0) * (most - t[0])
        if speed > 0.0 and at.distance < (1e-6 * near if sure else near) and not (sure and missed):
            break
        if missed:
            return False
        speed, facing = toward, at.normal
        more = at.distance / speed
        if more > 0.0 and touch(&moving, b, way, &more, at):
            t[0] += more
            at.on_a = at.on_b
            return t[0] <= most
        t[0] += more if own else 0.97 * more               # what is known is looked at again from nearer
    if not sure and core_radius(a) + core_radius(b) < 1e3 * near:
        t[0] += max(at.distance, 0.0) / speed
        look_back(&moving, &there, a.X.p, b, way, most, near, speed, t, at)
    elif dot3(at.normal, way) < 0.0:                       # nothing is blurred
        more = -at.distance / dot3(at.normal, way)
        if not sure or fabs(more) * sqrt(dot3(way, way)) < near:   # else it grazes, and touches but for rounding
            t[0] = min(t[0] + more, most)
    t[0] = max(t[0], 0.0)                                  # where they all but touch already
    if dot3(at.normal, way) > 0.0:
        at.normal = facing
    there.p = add3(a.X.p, scale3(t[0], way))
    at.on_a, at.distance = at.on_b, 0.0
    place_points(&moving, b, at)
    return True


cdef inline void look_back(
        const PosedShape* moving, Pose* there, Vec3 start, const PosedShape* b, Vec3 way, double most, double near,
        double speed, double* t, Nearest* at) noexcept nogil:
    """The last step anew, from a little before: of two that all but touch, points and normal are blurred.

    From where they are as far apart as the step says; of curved cores that may be farther than of others.  Shapes that
    graze one another come nearer ever more slowly: no place says so, and nothing is changed.
    """
    cdef double meet = t[0], back
    cdef Nearest before
    for _ in range(4):
        back = min(2.0 * near / speed, meet)
        there.p = add3(start, scale3(meet - back, way))
        find_convex(moving, b, INFINITY, &before)
        if fabs(before.distance - back * speed) < 0.1 * back * speed and dot3(before.normal, way) < 0.0:
            t[0] = min(meet - back - before.distance / dot3(before.normal, way), most)
            at[0] = before
            return
        near *= 10.0
