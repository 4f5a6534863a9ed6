"""Any two shapes, surfaces by their triangles: nearest.pxd."""

from libc.math cimport INFINITY, fmax, fmin
from libc.string cimport memcmp

from rbdyn.collision._types cimport HALF_SPACE, HEIGHT_MAP, MESH, Pose, ShapeRecord
from rbdyn.collision.bounds cimport centre_of, half_extent
from rbdyn.collision.kernels.convex_cast cimport convex_cast
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.least_push cimport hold_points, shorten_push, touching
from rbdyn.collision.kernels.nearest cimport find_convex
from rbdyn.collision.kernels.polish cimport polish
from rbdyn.collision.kernels.triangle cimport TriangleData
from rbdyn.collision.kernels.vectors cimport along, axis_z, norm3
from rbdyn.collision.pieces.collide cimport begin_piece, measure_piece
from rbdyn.collision.pieces.walk cimport Walk, begin_between, begin_walk, next_triangle
from rbdyn.spatial._algebra cimport Mat3, add3, dot3, matmul3, neg3, scale3, sub3, tmul3, transpose3, zero3

# ---- distance --------------------------------------------------------------------------------

cdef void find_above_plane(const PosedShape* plane, const PosedShape* b, Nearest* out) noexcept nogil:
    """Of a half-space and a shape with a core."""
    cdef Vec3 up = axis_z(&plane.X.R)
    out.on_b = along(support(b, neg3(up)), -core_radius(b), up)
    out.distance = dot3(up, sub3(out.on_b, plane.X.p))
    out.on_a, out.normal = along(out.on_b, -out.distance, up), neg3(up)


cdef bint find_of_convex(const PosedShape* a, const PosedShape* b, double reach, Nearest* out) noexcept nogil:
    """Nearest points of two convex shapes or pieces, to rounding; False beyond the distance `reach` [m]."""
    if not find_convex(a, b, reach, out):
        return False
    if out.distance > touching(a, b):
        polish(a, b, out)
    elif not (polish(a, b, out) and hold_points(a, b, out, touching(a, b))):
        shorten_push(a, b, out)
        polish(a, b, out)
    return True


cdef void find_in_surface(const PosedShape* a, const PosedShape* b, double more, Nearest* out) noexcept nogil:
    """Of a convex shape and the triangles of a surface within `more` [m] of its box, if that is nearer than `out`."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    begin_piece(b, &s, &t, &piece)
    begin_walk(&walk, b, a, more)
    while next_triangle(&walk, &t) >= 0 and out.distance > 0.0:
        measure_piece(&s, &t)
        if find_of_convex(a, &piece, out.distance, &one) and one.distance < out.distance:
            out[0] = one
            out.distance = fmax(out.distance, 0.0)


cdef void find_in_both(const PosedShape* a, const PosedShape* b, double more, Nearest* out) noexcept nogil:
    """Likewise of two surfaces."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    begin_piece(a, &s, &t, &piece)
    begin_walk(&walk, a, b, more)
    while next_triangle(&walk, &t) >= 0 and out.distance > 0.0:
        measure_piece(&s, &t)
        find_in_surface(&piece, b, fmin(more, out.distance), out)


cdef void turn_round(Nearest* out) noexcept nogil:
    """As if the other shape came first."""
    out.on_a, out.on_b, out.normal = out.on_b, out.on_a, neg3(out.normal)


cdef inline bint is_surface(const PosedShape* a) noexcept nogil:
    return a.s.kind == <int> MESH or a.s.kind == <int> HEIGHT_MAP


cdef void find_ordered(const PosedShape* a, const PosedShape* b, Nearest* out) noexcept nogil:
    """Of any two shapes that have a distance."""
    cdef Vec3 between = sub3(centre_of(a), centre_of(b))
    cdef double far = norm3(between) + a.s.bounds.radius + b.s.bounds.radius, more
    out.distance = INFINITY
    if a.s.kind == HALF_SPACE:
        find_above_plane(a, b, out)
    elif b.s.kind == HALF_SPACE:
        find_above_plane(b, a, out)
        turn_round(out)
    elif not (is_surface(a) or is_surface(b)):
        find_of_convex(a, b, INFINITY, out)
    else:
        more = fmin(far, 0.1 * fmin(a.s.bounds.radius, b.s.bounds.radius))
        while True:                        # boxes that grow until what is found is nearer than they reach
            if is_surface(a) and is_surface(b):
                find_in_both(a, b, more, out)
            elif is_surface(b):
                find_in_surface(a, b, more, out)
            else:
                find_in_surface(b, a, more, out)
            if out.distance <= more or more > far:
                break
            more *= 4.0
        if is_surface(a) and not is_surface(b):
            turn_round(out)


cdef bint comes_first(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """An order of two shapes that does not depend on which is called the first: by kind, bounds, pose."""
    cdef size_t numbers = <const char*> &a.s.bounds.centered - <const char*> &a.s.bounds
    cdef int order = memcmp(&a.s.bounds, &b.s.bounds, numbers)
    if a.s.kind != b.s.kind:
        return a.s.kind < b.s.kind
    return order < 0 or (order == 0 and memcmp(a.X, b.X, sizeof(Pose)) <= 0)


cdef void find_nearest(const PosedShape* a, const PosedShape* b, Nearest* out) noexcept nogil:
    """Nearest points of any two shapes that have a distance; swapped shapes give the same bits, swapped.

    Seen from the origin of one of them, so that what is far from the world's origin loses no digits.
    """
    cdef bint swapped = not comes_first(a, b)
    cdef PosedShape c = b[0] if swapped else a[0], d = a[0] if swapped else b[0]
    cdef Pose X = c.X[0], Y = d.X[0]
    cdef Vec3 origin = Y.p
    X.p, Y.p = sub3(X.p, origin), zero3()
    c.X, d.X = &X, &Y
    find_ordered(&c, &d, out)
    out.on_a, out.on_b = add3(out.on_a, origin), add3(out.on_b, origin)
    if swapped:
        turn_round(out)


# ---- shifts ----------------------------------------------------------------------------------

cdef bint meet_plane(const PosedShape* a, const PosedShape* plane, Vec3 way, double most, double* t,
                     Nearest* at) noexcept nogil:
    """A shape that is shifted towards a half-space."""
    cdef double speed
    find_above_plane(plane, a, at)
    turn_round(at)
    speed = -dot3(at.normal, way)
    t[0] = 0.0
    if at.distance > 0.0:
        if at.distance > speed * most:
            return False
        t[0] = at.distance / speed
        at.on_a = at.on_b = add3(at.on_a, scale3(t[0], way))
        at.distance = 0.0
    return True


cdef bint meet_surface(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
                       Nearest* at) noexcept nogil:
    """A convex shape that is shifted towards triangles: the first that it meets."""
    cdef Walk walk
    cdef TriangleData triangle
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    cdef Mat3 R = matmul3(transpose3(b.X.R), a.X.R)
    cdef Vec3 middle = tmul3(b.X.R, sub3(centre_of(a), b.X.p)), half = half_extent(&a.s.bounds, &R)
    cdef Vec3 goal = add3(middle, scale3(most, tmul3(b.X.R, way))), low, high
    cdef double when
    cdef bint met = False
    low.x, low.y, low.z = fmin(middle.x, goal.x), fmin(middle.y, goal.y), fmin(middle.z, goal.z)
    high.x, high.y, high.z = fmax(middle.x, goal.x), fmax(middle.y, goal.y), fmax(middle.z, goal.z)
    begin_piece(b, &s, &triangle, &piece)
    begin_between(&walk, b, sub3(low, half), add3(high, half))
    while next_triangle(&walk, &triangle) >= 0:
        measure_piece(&s, &triangle)
        if convex_cast(a, &piece, way, most, &when, &one) and not (met and when >= t[0]):
            met, at[0], t[0] = True, one, when
            most = when
    return met


cdef bint meet_both(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
                    Nearest* at) noexcept nogil:
    """Triangles that are shifted towards triangles."""
    cdef Walk walk
    cdef TriangleData triangle
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    cdef Vec3 far = scale3(2.0, add3(a.s.bounds.box, a.s.bounds.box))
    cdef double when
    cdef bint met = False
    begin_piece(a, &s, &triangle, &piece)
    begin_between(&walk, a, sub3(a.s.bounds.center, far), add3(a.s.bounds.center, far))
    while next_triangle(&walk, &triangle) >= 0:
        measure_piece(&s, &triangle)
        if meet_surface(&piece, b, way, most, &when, &one) and not (met and when >= t[0]):
            met, at[0], t[0] = True, one, when
            most = when
    return met


cdef bint meet_ordered(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
                       Nearest* at) noexcept nogil:
    """Any two shapes that have a distance."""
    cdef bint met
    cdef Vec3 on
    if b.s.kind == HALF_SPACE:
        return meet_plane(a, b, way, most, t, at)
    if is_surface(b):
        return meet_both(a, b, way, most, t, at) if is_surface(a) else meet_surface(a, b, way, most, t, at)
    if a.s.kind != HALF_SPACE and not is_surface(a):
        return convex_cast(a, b, way, most, t, at)
    met = meet_ordered(b, a, neg3(way), most, t, at)         # what moves is the same; so seen where a began
    if met:
        turn_round(at)
        on = scale3(t[0], way)
        at.on_a, at.on_b = add3(at.on_a, on), add3(at.on_b, on)
    return met


cdef bint find_meeting(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
                       Nearest* at) noexcept nogil:
    """Time of impact of any two shapes that have a distance, computed relative to the origin of b."""
    cdef PosedShape c = a[0], d = b[0]
    cdef Pose X = a.X[0], Y = b.X[0]
    cdef Vec3 origin = Y.p
    X.p, Y.p = sub3(X.p, origin), zero3()
    c.X, d.X = &X, &Y
    if not meet_ordered(&c, &d, way, most, t, at):
        return False
    at.on_a, at.on_b = add3(at.on_a, origin), add3(at.on_b, origin)
    return True
