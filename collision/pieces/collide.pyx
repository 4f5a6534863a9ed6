"""Shapes against meshes and height maps: collide.pxd."""

from libc.math cimport INFINITY

from rbdyn.collision._types cimport (
    HEIGHT_MAP, HULL_CORE, TRIANGLE, ContactBuffer, ContactPoint, ConvexShape, Pose, PosedShape, ShapeRecord,
)
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.facing cimport Facing, meet_under, set_facing
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.convex cimport SINGLE
from rbdyn.collision.kernels.nearest cimport Nearest, find_convex
from rbdyn.collision.kernels.triangle cimport (
    Apart, TriangleData, ball_triangle, convex_triangle, corner, face_contacts, is_ball, middle_of, triangle_feature,
    triangle_of, turn_round,
)
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.collision.pieces.grid cimport triangle_at
from rbdyn.collision.pieces.merge cimport merge_contacts, mixed_feature
from rbdyn.collision.pieces.walk cimport Walk, begin_walk, next_triangle
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, neg3, scale3, sub3, tmul3, zero3

cdef double NEAR = 5e-3            # share of the smaller shape's radius: contacts nearer to each other are one
cdef double DEEP = 2e-3            # share of a shape's radius: what is deeper is looked at twice
cdef enum:
    ROUNDS = 16                    # of pushes off what a shape is in
    MANY = 4096                    # contacts of a pair that are made few before more are looked for
cdef ConvexShape _triangle
_triangle.core, _triangle.support, _triangle.feature = HULL_CORE, NULL, triangle_feature


cdef void begin_piece(const PosedShape* whole, ShapeRecord* s, TriangleData* t, PosedShape* piece) noexcept nogil:
    """What the triangles of a surface have in common."""
    s[0] = whole.s[0]
    s.kind, s.core, s.convex = TRIANGLE, HULL_CORE, &_triangle
    s.bounds.ball, s.bounds.centered = 0.0, False
    s.data = t
    t.hull.vertices, t.hull.n_vertices, t.hull.n_faces, t.hull.side = t.at, 3, 0, 0
    t.whole = whole.s
    piece.s, piece.X = s, whole.X


cdef void measure_piece(ShapeRecord* s, const TriangleData* t) noexcept nogil:
    """Set the bounds of a triangle that was filled in.

    The radius, of which tolerances are shares, is that of a cell, or of the triangles as they were given.
    """
    cdef Vec3 a = corner(t, 0), b = corner(t, 1), c = corner(t, 2)
    cdef Vec3 low, high
    low.x, low.y, low.z = min(a.x, min(b.x, c.x)), min(a.y, min(b.y, c.y)), min(a.z, min(b.z, c.z))
    high.x, high.y, high.z = max(a.x, max(b.x, c.x)), max(a.y, max(b.y, c.y)), max(a.z, max(b.z, c.z))
    s.bounds.center = scale3(0.5, add3(low, high))
    s.bounds.box = scale3(0.5, sub3(high, low))
    s.bounds.radius = min(norm3(s.bounds.box) / t.cells, t.grain)


cdef void name_features(ContactBuffer* out, int first, int piece, const TriangleData* t) noexcept nogil:
    """Name contacts so that corners are known from triangle to triangle.

    Those of the other shape keep their features, those of the surface are named by their vertices.
    """
    cdef int i, f
    for i in range(first, out.n):
        f = out.point[i].feature
        if f % 4 == 0 and f < 12:                # of a triangle
            out.point[i].feature = mixed_feature(0, t.vertex[f // 4])
        elif f % 4 != 1:
            out.point[i].feature = mixed_feature(f, piece)


cdef double deepest_since(const ContactBuffer* out, int first) noexcept nogil:
    """[m], or less than any depth if there are none from `first` on."""
    cdef double most = -INFINITY
    cdef int i
    for i in range(first, out.n):
        most = max(most, out.point[i].depth)
    return most


cdef inline void note_lost(double deep_in, const Sink* sink, int first, double* lost) noexcept nogil:
    """Note how deep a shape lies in a triangle [m], if none of the contacts from `first` on, which are its, says so."""
    if deep_in > lost[0] and deepest_since(sink.out, first) <= 0.0:
        lost[0] = deep_in


cdef inline void look_for_face(
        const PosedShape* a, const PosedShape* b, const Sink* sink, Facing* face) noexcept nogil:
    """Set the face of a convex shape with which it met a surface last."""
    cdef Vec3 n = sink.out.point[sink.out.n - 1].normal
    n = neg3(n) if sink.swapped else n
    if face.n == 0 or dot3(tmul3(b.X.R, n), face.up) < 1.0 - 1e-12:
        set_facing(a, b, n, face)


cdef bint pass_over(const PosedShape* a, const PosedShape* whole, double margin, bint deep, double* lost,
                    Sink* sink, int begin) noexcept nogil:
    """The contacts of all triangles that are near; whether the shape lies in any of them.

    `lost` becomes at least as large as it is deep in triangles that said nothing of it [m].  Contacts of the pair are
    those from `begin` on: many of them are made few on the way.
    """
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Facing face
    cdef Apart known
    cdef int k, first
    cdef double deep_in
    cdef Vec3 axis = zero3()
    cdef bint lies_in = False, ball = is_ball(a)
    face.n = 0
    begin_piece(whole, &s, &t, &piece)
    begin_walk(&walk, whole, a, margin)
    k = next_triangle(&walk, &t)
    while k >= 0 and not sink.full:
        first = sink.out.n
        if ball:
            lies_in |= ball_triangle(a, &piece, margin, deep, sink)
        else:
            deep_in = -1.0
            if face.n > 0:
                deep_in = meet_under(&face, &piece, margin, sink)
            if deep_in < 0.0:
                measure_piece(&s, &t)
                known.known = False
                deep_in = convex_triangle(a, &piece, margin, deep, &axis, &known, sink)
                if sink.out.n > first and not deep:
                    look_for_face(a, whole, sink, &face)
            lies_in |= deep_in > 0.0
            note_lost(deep_in, sink, first, lost)
        name_features(sink.out, first, k, &t)
        if sink.out.n - begin > MANY:
            merge_contacts(sink.out, begin, NEAR * min(a.s.bounds.radius, whole.s.bounds.radius), margin)
        k = next_triangle(&walk, &t)
    return lies_in


cdef bint push_up(const PosedShape* a, const PosedShape* map, double margin, Sink* sink) noexcept nogil:
    """The contacts of a shape the middle of which is below ground, with the triangle above it; False: it is not."""
    cdef Vec3 middle = tmul3(map.X.R, sub3(centre_of(a), map.X.p)), up, lowest
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Manifold m
    cdef double depth
    cdef int k = triangle_at(<const HeightMapData*> map.s.data, middle.x, middle.y, &t)
    if k < 0 or dot3(t.normal, sub3(middle, corner(&t, 0))) >= 0.0:
        return False
    begin_piece(map, &s, &t, &piece)
    measure_piece(&s, &t)
    clear(&m)
    up = mul3(map.X.R, t.normal)
    face_contacts(a, &piece, up, margin, min(a.s.bounds.radius, s.bounds.radius), &m)
    if m.n == 0:
        lowest = along(support(a, neg3(up)), -core_radius(a), up)
        depth = dot3(up, sub3(add3(map.X.p, mul3(map.X.R, corner(&t, 0))), lowest))
        m.normal = up
        add_point(&m, along(lowest, 0.5 * depth, up), depth, SINGLE)
    emit(sink, &m)
    return True


cdef Vec3 way_out(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """The sum of the normals of the triangles that a shape lies in, each towards it or out of the solid; world."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    cdef Vec3 up, sum_ = zero3(), middle = tmul3(b.X.R, sub3(middle_of(a), b.X.p))
    if a.s.convex == NULL:                       # a surface: all of its triangles
        begin_piece(a, &s, &t, &piece)
        begin_walk(&walk, a, b, 0.0)
        while next_triangle(&walk, &t) >= 0:
            measure_piece(&s, &t)
            sum_ = add3(sum_, way_out(&piece, b))
        return sum_
    begin_piece(b, &s, &t, &piece)
    begin_walk(&walk, b, a, 0.0)
    while next_triangle(&walk, &t) >= 0:
        measure_piece(&s, &t)
        if find_convex(a, &piece, 0.0, &one):
            up = t.normal
            if not t.one_sided and dot3(up, sub3(middle, corner(&t, 0))) < 0.0:
                up = neg3(up)
            sum_ = add3(sum_, up)
    return mul3(b.X.R, sum_)


cdef void find_nearest_piece(const PosedShape* a, const PosedShape* b, double more, Nearest* out) noexcept nogil:
    """Of the triangles within `more` [m] of a shape's box the nearest, if it is nearer than what `out` holds."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    if a.s.convex == NULL:
        begin_piece(a, &s, &t, &piece)
        begin_walk(&walk, a, b, more)
        while next_triangle(&walk, &t) >= 0:
            measure_piece(&s, &t)
            find_nearest_piece(&piece, b, min(more, out.distance), out)
        return
    begin_piece(b, &s, &t, &piece)
    begin_walk(&walk, b, a, more)
    while next_triangle(&walk, &t) >= 0:
        measure_piece(&s, &t)
        if find_convex(a, &piece, out.distance, &one) and one.distance < out.distance:
            out[0] = one


cdef bint part_at(const PosedShape* a, const PosedShape* b, Vec3 shift, double margin, Sink* sink) noexcept nogil:
    """One contact where two come apart as the first is shifted; False if they do not."""
    cdef PosedShape there = a[0]
    cdef Pose X = a.X[0]
    cdef Nearest at
    cdef Manifold m
    cdef double depth
    X.p = add3(X.p, shift)
    there.X = &X
    at.distance = INFINITY
    find_nearest_piece(&there, b, norm3(shift), &at)
    if at.distance <= 0.0:
        return False
    depth = dot3(shift, at.normal) - at.distance
    if at.distance < INFINITY and depth > -margin:
        clear(&m)
        m.normal = at.normal
        add_point(&m, scale3(0.5, add3(sub3(at.on_a, shift), at.on_b)), depth, SINGLE)
        emit(sink, &m)
    return True


cdef bint push_off(const PosedShape* a, const PosedShape* b, double gap, Pose* X) noexcept nogil:
    """Shift X, the pose of a, off all triangles of b that it is in, one by one; False if it is in none.

    Looked for are those that it is in as it begins; `gap` [m] is left to each.  A may be a triangle of a surface.
    """
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    cdef bint found = False, of_a = a.s.convex == NULL
    begin_piece(a if of_a else b, &s, &t, &piece)
    begin_walk(&walk, a if of_a else b, b if of_a else a, gap)
    while next_triangle(&walk, &t) >= 0:
        measure_piece(&s, &t)
        if of_a:
            found |= push_off(&piece, b, gap, X)
        elif find_convex(a, &piece, 0.0, &one) and one.distance < 0.0:
            X.p = along(X.p, gap - one.distance, one.normal)
            found = True
    return found


cdef bint find_free(const PosedShape* a, const PosedShape* b, double most, double gap, Vec3* shift) noexcept nogil:
    """A shift by which a shape meets no triangle of a surface; False if none shorter than `most` [m] was found."""
    cdef PosedShape there = a[0]
    cdef Pose X = a.X[0]
    there.X = &X
    for _ in range(ROUNDS):
        if not push_off(&there, b, gap, &X):
            shift[0] = sub3(X.p, a.X.p)
            return True
        if norm3(sub3(X.p, a.X.p)) > most:
            return False
    return False


cdef void lift_off(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """One contact of a shape that lies in triangles, none of which says how: where they part as it is shifted out.

    A corner of the surface that has just come through a face, for which no single triangle knows the way back.  Where
    triangles on all sides say nothing together, it is pushed off them one by one.
    """
    cdef int first = sink.out.n
    cdef Vec3 out = way_out(a, b), shift
    cdef double size = norm3(out), way = 0.01 * a.s.bounds.radius
    while size >= 1e-3 and way < 4.0 * a.s.bounds.radius and not part_at(a, b, scale3(way / size, out), margin, sink):
        way *= 2.0
    if sink.out.n == first and find_free(a, b, 4.0 * a.s.bounds.radius, 1e-3 * a.s.bounds.radius, &shift):
        part_at(a, b, shift, margin, sink)


cdef void drop_untrue(
        const PosedShape* a, const PosedShape* b, double small, double margin, Sink* sink, int first) noexcept nogil:
    """Drop contacts deeper than `small` [m] that are left over where a lesser push frees the shape altogether.

    Of a corner or an edge that is in a shape only the planes are known that go on beyond it, where the surface does
    not.  If none is left, that push is the contact.
    """
    cdef ContactBuffer* out = sink.out
    cdef double most = deepest_since(out, first), sign = -1.0 if sink.swapped else 1.0
    cdef Vec3 shift
    cdef int i, n = first
    if most <= small or not find_free(a, b, 0.5 * most, 0.1 * small, &shift):
        return
    for i in range(first, out.n):
        if out.point[i].depth - sign * dot3(out.point[i].normal, shift) <= small:
            if n < i:
                out.point[n] = out.point[i]
            n += 1
    out.n = n
    if n == first:
        part_at(a, b, shift, margin, sink)


cdef void find_lost(const PosedShape* a, const PosedShape* b, double small, double margin, Sink* sink,
                    int first) noexcept nogil:
    """One contact of what is in triangles deeper than `small` [m] that say nothing of it, if no other does either."""
    cdef const ContactPoint* c
    cdef Vec3 shift
    cdef double way
    cdef int i
    if not find_free(a, b, a.s.bounds.radius, 0.1 * small, &shift):
        return
    way = norm3(shift)
    for i in range(first, sink.out.n):
        c = &sink.out.point[i]
        if c.depth > 0.5 * way and (-1.0 if sink.swapped else 1.0) * dot3(c.normal, shift) > 0.5 * way:
            return
    if way > small:
        part_at(a, b, shift, margin, sink)


cdef void convex_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """A convex shape against a mesh or a height map.

    What lies in the surface so deep that no triangle may push it by a normal of the surface is pushed along those of
    the triangles that it lies in; if it is not over any of them, it is looked at from where it is out.
    """
    cdef int first = sink.out.n
    cdef double small = DEEP * a.s.bounds.radius, lost = small
    if b.s.kind == HEIGHT_MAP and push_up(a, b, margin, sink):
        return
    if pass_over(a, b, margin, False, &lost, sink, first) and sink.out.n == first:
        pass_over(a, b, margin, True, &lost, sink, first)
        if sink.out.n == first:
            lift_off(a, b, margin, sink)
    elif lost > small:
        find_lost(a, b, small, margin, sink, first)
    merge_contacts(sink.out, first, NEAR * min(a.s.bounds.radius, b.s.bounds.radius), margin)
    drop_untrue(a, b, small, margin, sink, first)


cdef bint meet_piece(const PosedShape* a, int k_a, const PosedShape* whole, double margin, double* lost, Sink* sink,
                     int begin) noexcept nogil:
    """The contacts of triangle k_a of one surface with all of another that are near; whether it lies in any of them.

    Both ways round: corners of either, and edges.
    """
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Apart known
    cdef int k, first
    cdef double deep_in
    cdef Vec3 axis = zero3()
    cdef bint lies_in = False
    begin_piece(whole, &s, &t, &piece)
    begin_walk(&walk, whole, a, margin)
    k = next_triangle(&walk, &t)
    while k >= 0 and not sink.full:
        measure_piece(&s, &t)
        first, known.known = sink.out.n, False
        deep_in = convex_triangle(a, &piece, margin, False, &axis, &known, sink)
        lies_in |= deep_in > 0.0
        note_lost(deep_in, sink, first, lost)
        name_features(sink.out, first, k, &t)
        name_features(sink.out, first, k_a, triangle_of(a))
        if not known.far:
            first, sink.swapped = sink.out.n, not sink.swapped
            turn_round(&known)
            note_lost(convex_triangle(&piece, a, margin, False, &axis, &known, sink), sink, first, lost)
            sink.swapped = not sink.swapped
            name_features(sink.out, first, k_a, triangle_of(a))
            name_features(sink.out, first, k, &t)
        if sink.out.n - begin > MANY:
            merge_contacts(sink.out, begin, NEAR * a.s.bounds.radius, margin)
        k = next_triangle(&walk, &t)
    return lies_in


cdef void surface_surface(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """A mesh against a mesh or a height map: corners of either against triangles of the other, and edges."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef int k, first = sink.out.n
    cdef double small = DEEP * min(a.s.bounds.radius, b.s.bounds.radius), lost = small
    cdef bint lies_in = False
    begin_piece(a, &s, &t, &piece)
    begin_walk(&walk, a, b, margin)
    k = next_triangle(&walk, &t)
    while k >= 0 and not sink.full:
        measure_piece(&s, &t)
        lies_in |= meet_piece(&piece, k, b, margin, &lost, sink, first)
        k = next_triangle(&walk, &t)
    if lies_in and sink.out.n == first:
        lift_off(a, b, margin, sink)
    elif lost > small:
        find_lost(a, b, small, margin, sink, first)
    merge_contacts(sink.out, first, NEAR * min(a.s.bounds.radius, b.s.bounds.radius), margin)
    drop_untrue(a, b, small, margin, sink, first)
