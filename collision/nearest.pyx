"""Any two shapes, surfaces by their triangles: nearest.pxd."""

from libc.math cimport INFINITY, fmax, fmin

from rbdyn.collision._types cimport HALF_SPACE, HEIGHT_MAP, MESH, Pose, ShapeRecord
from rbdyn.collision.bounds cimport centre_of, half_extent
from rbdyn.collision.kernels.convex_cast cimport convex_cast
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.nearest cimport find_convex
from rbdyn.collision.kernels.patch_ends cimport holds
from rbdyn.collision.kernels.polish cimport polish
from rbdyn.collision.kernels.triangle cimport TriangleData
from rbdyn.collision.kernels.vectors cimport along, axis_z, norm3
from rbdyn.collision.pieces.collide cimport begin_piece, measure_piece
from rbdyn.collision.pieces.walk cimport Walk, begin_between, begin_walk, next_triangle
from rbdyn.spatial._algebra cimport Mat3, add3, dot3, matmul3, neg3, scale3, sub3, tmul3, transpose3

# ---- distance --------------------------------------------------------------------------------

cdef void find_above_plane(const PosedShape* plane, const PosedShape* b, Nearest* out) noexcept nogil:
    """Of a half-space and a shape with a core."""
    cdef Vec3 up = axis_z(&plane.X.R)
    out.on_b = along(support(b, neg3(up)), -core_radius(b), up)
    out.distance = dot3(up, sub3(out.on_b, plane.X.p))
    out.on_a, out.normal = along(out.on_b, -out.distance, up), neg3(up)


cdef bint hold_points(const PosedShape* a, const PosedShape* b, const Nearest* at, double hair) noexcept nogil:
    """Whether the points are in the shapes but for a hair [m]; True of shapes whose inside is not known."""
    return (holds(a, along(at.on_a, core_radius(a), at.normal), hair)
            and holds(b, along(at.on_b, -core_radius(b), at.normal), hair))


cdef void place_points(const PosedShape* a, const PosedShape* b, Nearest* at) noexcept nogil:
    """Points of two that touch or overlap: the nearest ones once a is moved out along the normal.

    Where faces lie on faces the polytope names a triangle of the right plane, which need not be above the origin.
    """
    cdef PosedShape moved = a[0]
    cdef Pose there = a.X[0]
    cdef Nearest apart
    cdef double size = fmin(a.s.bounds.radius, b.s.bounds.radius), out = 0.1 * size - at.distance
    there.p, moved.X = along(a.X.p, out, at.normal), &there
    if find_convex(&moved, b, INFINITY, &apart) and apart.distance > 0.0:
        at.on_b, at.on_a = apart.on_b, along(apart.on_b, at.distance, at.normal)


cdef bint find_of_convex(const PosedShape* a, const PosedShape* b, double reach, Nearest* out) noexcept nogil:
    """Of two convex shapes, or pieces, to rounding; False if they are farther apart than `reach` [m]."""
    cdef double size = a.s.bounds.radius + b.s.bounds.radius
    if not find_convex(a, b, reach, out):
        return False
    polish(a, b, out)
    if out.distance <= 1e-9 * size and not hold_points(a, b, out, 1e-9 * size):
        place_points(a, b, out)
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


cdef void find_nearest(const PosedShape* a, const PosedShape* b, Nearest* out) noexcept nogil:
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


cdef bint find_meeting(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
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
    met = find_meeting(b, a, neg3(way), most, t, at)         # what moves is the same; so seen where a began
    if met:
        turn_round(at)
        on = scale3(t[0], way)
        at.on_a, at.on_b = add3(at.on_a, on), add3(at.on_b, on)
    return met
