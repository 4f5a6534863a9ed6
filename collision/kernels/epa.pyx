"""The least push that frees two convex cores that overlap: epa.pxd."""

from libc.math cimport atan2, fabs, fmax, fmin, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memset

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.bounds cimport pose_in
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport is_curved, sharpen_near
from rbdyn.collision.kernels.gjk cimport Simplex, nearest_on_a
from rbdyn.collision.kernels.inner_ball cimport is_least
from rbdyn.collision.kernels.known_push cimport MAX_SPAN, KnownPush, disc_around, push_tolerance, settle_push
from rbdyn.collision.kernels.vectors cimport norm3, perpendicular
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, neg3, scale3, sub3, tmul3, vec3


cdef enum:
    MAX_CORNERS = 128              # points of the polytope; of concentric round shapes it leaves 0.7 % of the push open
    MAX_FACES = 384                # 2 V - 4 faces of V points, and a fan of up to V more before those it replaces go
    ROW = 2                        # words of 64 bits, one for each corner


cdef struct Face:
    int i, j, k                    # corners, counter-clockwise seen from outside
    Vec3 n                         # outward unit normal
    double d                       # n . w of its plane [m]
    bint done                      # True: looked along its normal already, and could not grow there


cdef struct Polytope:
    int n_w, n_face
    double hair                    # what rounding moves a plane by [m]
    Vec3 w[MAX_CORNERS]            # points of A - B [m]
    Vec3 a[MAX_CORNERS]            # the points of A they came from, world [m]
    Face face[MAX_FACES]


cdef inline int add_corner(Polytope* p, const PosedShape* a, const PosedShape* b, Vec3 d) noexcept nogil:
    """The point of A - B farthest along d; its number."""
    p.a[p.n_w] = support(a, d)
    p.w[p.n_w] = sub3(p.a[p.n_w], support(b, neg3(d)))
    p.n_w += 1
    return p.n_w - 1


cdef inline bint add_face(Polytope* p, int i, int j, int k) noexcept nogil:
    """False if the face has no area, or there is no room."""
    cdef Face* f = &p.face[p.n_face]
    cdef Vec3 e = sub3(p.w[j], p.w[i]), g = sub3(p.w[k], p.w[i])
    cdef double length
    if p.n_face == MAX_FACES:
        return False
    f.n = cross3(e, g)
    length = norm3(f.n)
    if not length > 1e-14 * (dot3(e, e) + dot3(g, g)):
        return False
    f.i, f.j, f.k = i, j, k
    f.n = scale3(1.0 / length, f.n)
    f.d = dot3(f.n, p.w[i])
    f.done = False
    p.n_face += 1
    return True


cdef inline bint take_simplex(Polytope* p, const Simplex* s) noexcept nogil:
    """The tetrahedron with which the descent ended, if it has a volume."""
    cdef int k
    cdef Vec3 u
    cdef double height
    p.n_w, p.n_face = s.n, 0
    if s.n < 4:
        return False
    for k in range(4):
        p.w[k], p.a[k] = s.w[k], s.a[k]
    u = cross3(sub3(p.w[1], p.w[0]), sub3(p.w[2], p.w[0]))
    height = dot3(u, sub3(p.w[3], p.w[0]))
    if not height * height > 1e-12 * dot3(u, u) * dot3(sub3(p.w[3], p.w[0]), sub3(p.w[3], p.w[0])):
        return False
    k = 1 if height < 0.0 else 2             # the fourth point below the first face
    return (add_face(p, 0, k, 3 - k) and add_face(p, 0, 3, k) and add_face(p, k, 3, 3 - k) and add_face(p, 3 - k, 3, 0))


cdef inline bint first_tetrahedron(Polytope* p, const PosedShape* a, const PosedShape* b, Vec3* flat) noexcept nogil:
    """Four points of A - B that span a volume; False if there are none, and a unit vector across which it is flat."""
    cdef Vec3 d, u
    cdef double best = 0.0, height
    cdef int k
    p.n_w = p.n_face = 0
    d = flat[0] = vec3(1.0, 0.0, 0.0)
    add_corner(p, a, b, d)
    add_corner(p, a, b, neg3(d))
    d = sub3(p.w[1], p.w[0])
    if norm3(d) == 0.0:
        return False
    u = perpendicular(scale3(1.0 / norm3(d), d))
    for _k in range(4):                      # around the line: the first that is far enough from it
        p.n_w = 2
        add_corner(p, a, b, u)
        best = norm3(cross3(d, sub3(p.w[2], p.w[0])))
        if best > 1e-6 * dot3(d, d):
            break
        u = cross3(u, scale3(1.0 / norm3(d), d))
    flat[0] = u
    u = cross3(sub3(p.w[1], p.w[0]), sub3(p.w[2], p.w[0]))
    if norm3(u) <= 1e-14 * dot3(d, d):       # a line, but for rounding
        return False
    flat[0] = u = scale3(1.0 / norm3(u), u)
    add_corner(p, a, b, u)
    height = dot3(u, sub3(p.w[3], p.w[0]))
    if height < 1e-6 * norm3(d):
        p.n_w = 3
        add_corner(p, a, b, neg3(u))
        height = dot3(u, sub3(p.w[3], p.w[0]))
    if fabs(height) <= 1e-14 * norm3(d):
        return False
    k = 1 if height < 0.0 else 2             # the fourth point below the first face
    return (add_face(p, 0, k, 3 - k) and add_face(p, 0, 3, k) and add_face(p, k, 3, 3 - k) and add_face(p, 3 - k, 3, 0))


cdef inline bint sees(const Polytope* p, int f, int corner) noexcept nogil:
    """Test that a corner is above the plane of a face, or in it.

    What is in the plane of a face belongs to the same side of A - B: a fan from beside it would have no area.
    """
    return dot3(p.face[f].n, p.w[corner]) > p.face[f].d - p.hair


cdef inline bint expand(Polytope* p, int corner) noexcept nogil:
    """Replace the faces that see a new corner by a fan from their horizon: their edges beside a face that does not.

    False, and nothing changed, if a face of the fan would have no area or there is no room.
    """
    cdef uint64_t[MAX_CORNERS][ROW] ahead    # bit j of row i: a face that sees it has the edge from i to j
    cdef int[MAX_FACES] seen
    cdef int[4] end
    cdef int old = p.n_face, n = 0, f, k, e
    memset(ahead, 0, p.n_w * sizeof(ahead[0]))
    for f in range(old):
        if sees(p, f, corner):
            seen[n] = f
            n += 1
            end[0], end[1], end[2], end[3] = p.face[f].i, p.face[f].j, p.face[f].k, p.face[f].i
            for e in range(3):
                ahead[end[e]][end[e + 1] // 64] |= <uint64_t> 1 << (end[e + 1] % 64)
    for k in range(n):
        f = seen[k]
        end[0], end[1], end[2], end[3] = p.face[f].i, p.face[f].j, p.face[f].k, p.face[f].i
        for e in range(3):
            if ahead[end[e + 1]][end[e] // 64] >> (end[e] % 64) & 1:
                continue
            if not add_face(p, end[e], end[e + 1], corner):
                p.n_face = old
                return False
    for k in range(n - 1, -1, -1):           # from the back: what moves into the gap is none of them
        p.n_face -= 1
        p.face[seen[k]] = p.face[p.n_face]
    return n > 0


cdef inline Vec3 point_of_a(const Polytope* p, const Face* f) noexcept nogil:
    """The point of A over the foot of the origin on a face, by areas."""
    cdef Vec3 x = scale3(f.d, f.n)
    cdef double i = dot3(f.n, cross3(sub3(p.w[f.j], x), sub3(p.w[f.k], x)))
    cdef double j = dot3(f.n, cross3(sub3(p.w[f.k], x), sub3(p.w[f.i], x)))
    cdef double k = dot3(f.n, cross3(sub3(p.w[f.i], x), sub3(p.w[f.j], x)))
    cdef double sum
    i, j, k = max(i, 0.0), max(j, 0.0), max(k, 0.0)
    sum = i + j + k
    if not sum > 0.0:
        return p.a[f.i]
    return add3(add3(scale3(i / sum, p.a[f.i]), scale3(j / sum, p.a[f.j])), scale3(k / sum, p.a[f.k]))


cdef inline bint find_best(
        const Polytope* p, const Face* f, const PosedShape* a, const PosedShape* b, double* gap, Vec3* n,
        Vec3* x_a) noexcept nogil:
    """The best normal near that of a face, over a smooth stretch of A - B or across an edge, if there is one."""
    cdef Vec3[3] x, w
    x[0], x[1], x[2] = p.a[f.i], p.a[f.j], p.a[f.k]
    w[0], w[1], w[2] = p.w[f.i], p.w[f.j], p.w[f.k]
    n[0] = neg3(f.n)
    return sharpen_near(a, b, x, w, gap, n, x_a) and gap[0] <= 0.0


cdef inline int corners_of(const Polytope* p, const Face* top, double hair, int* corner) noexcept nogil:
    """Corners in the plane of a face, in order around it, counter-clockwise seen from outside; MAX_SPAN at most."""
    cdef Vec3 middle = scale3(1.0 / 3.0, add3(p.w[top.i], add3(p.w[top.j], p.w[top.k]))), u = perpendicular(top.n), x
    cdef Vec3 v = cross3(top.n, u)
    cdef double[MAX_SPAN] angle
    cdef double at
    cdef int[3] own
    cdef int i, k, l, n = 0
    own[0], own[1], own[2] = top.i, top.j, top.k
    for i in range(-3, p.n_w):
        k = own[i + 3] if i < 0 else i
        if i >= 0 and (k == top.i or k == top.j or k == top.k or dot3(top.n, p.w[k]) < top.d - hair):
            continue
        if n == MAX_SPAN:
            break
        x = sub3(p.w[k], middle)
        at = atan2(dot3(v, x), dot3(u, x))
        l = n
        while l > 0 and angle[l - 1] > at:
            angle[l], corner[l] = angle[l - 1], corner[l - 1]
            l -= 1
        angle[l], corner[l] = at, k
        n += 1
    return n


cdef inline void note_push(const Polytope* p, const Face* top, const PosedShape* a, const PosedShape* b,
                           KnownPush* known) noexcept nogil:
    """Keep the face of the least push, and how short all other pushes may be: known_push.pxd."""
    cdef int[MAX_SPAN] corner
    cdef Vec3[MAX_SPAN] w
    cdef double r
    cdef int k
    memset(known, 0, sizeof(KnownPush))
    known.n = corners_of(p, top, push_tolerance(a, b), corner)
    for k in range(known.n):
        w[k] = p.w[corner[k]]
        known.on_a[k] = tmul3(a.X.R, sub3(p.a[corner[k]], a.X.p))
        known.on_b[k] = tmul3(b.X.R, sub3(sub3(p.a[corner[k]], w[k]), b.X.p))
    r = disc_around(w, known.n, top.n, scale3(top.d, top.n))
    if not r > 0.0:
        return
    known.there, known.m = pose_in(a.X, b.X), tmul3(a.X.R, top.n)
    known.rest = sqrt(r * r + top.d * top.d)
    known.circle = top.d / known.rest
    for k in range(p.n_face):
        if dot3(p.face[k].n, top.n) * sqrt(r * r + top.d * top.d) < top.d:
            known.rest = fmin(known.rest, p.face[k].d)


cdef inline double hair_of(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """What rounding of world coordinates moves a plane by [m]."""
    return 1e-14 * (norm3(a.X.p) + norm3(b.X.p) + a.s.bounds.radius + b.s.bounds.radius)


cdef inline int nearest_face(const Polytope* p) noexcept nogil:
    """The nearest face along whose normal was not looked yet; -1: there is none."""
    cdef int f, best = -1
    for f in range(p.n_face):
        if not p.face[f].done and (best < 0 or p.face[f].d < p.face[best].d):
            best = f
    return best


cdef double deep_by(const PosedShape* a, const PosedShape* b, const Simplex* s, double share) noexcept nogil:
    """A length that no push of cores that overlap falls short of [m], by which they are deep in each other.

    It is `share` of the least push or more, unless the polytope has no room; 0 if none was found.  `s` is the simplex
    that the descent ended with.
    """
    cdef Polytope p
    cdef Vec3 flat
    cdef double least = 1e300, reach
    cdef int best, corner
    if not take_simplex(&p, s) and not first_tetrahedron(&p, a, b, &flat):
        return 0.0
    p.hair = hair_of(a, b)
    while p.n_w < MAX_CORNERS:
        best = nearest_face(&p)
        if best < 0 or p.face[best].d >= share * least:
            break
        p.face[best].done = True
        corner = add_corner(&p, a, b, p.face[best].n)
        reach = dot3(p.face[best].n, p.w[corner])
        least = fmin(least, reach)
        if reach - p.face[best].d <= push_tolerance(a, b) or not expand(&p, corner):
            p.n_w -= 1
    least = 1e300
    for best in range(p.n_face):
        least = fmin(least, p.face[best].d)
    return fmax(least, 0.0)


cdef double penetrate(
        const PosedShape* a, const PosedShape* b, const Simplex* s, Slack slack, Vec3* x_a,
        Vec3* normal, KnownPush* known) noexcept nogil:
    """Overlap of the cores along the best normal found (into a), and a's point there.

    `s` is the simplex that the descent ended with.  Of polytopes the face of the push is kept in `known`, unless that
    is NULL.  The overlap is exact for that normal.  It is the least push, or longer by no more than 1e-7 of the smaller
    size, of curved cores by a `slack`.  The polytope is within A - B, so that its nearest face is nearer than every
    push; it grows until that face is as far as the push, but for the slack.
    128 points suffice, unless many pushes are alike (MAX_CORNERS).  Of a smooth stretch Newton's method finds the best
    push.  Negative if the cores turn out not to overlap.
    """
    cdef Polytope p
    cdef Face face, top
    cdef Vec3 n, x
    cdef double size = 2.0 * min(a.s.bounds.radius, b.s.bounds.radius), tolerance = push_tolerance(a, b)
    cdef double least = 1e300, reach, gap, lacking
    cdef int best, corner
    cdef bint tight = False                  # the push is that of a face of A - B, `top`: of polytopes it will be
    cdef bint curved = is_curved(a) or is_curved(b)
    cdef bint settled = False                # the best push so far is the best of those like it
    x_a[0] = nearest_on_a(s) if 0 < s.n < 4 else a.X.p
    if not take_simplex(&p, s) and not first_tetrahedron(&p, a, b, normal):
        return 0.0                           # lines that cross: out of the plane of both
    normal[0], top = vec3(0.0, 0.0, 1.0), p.face[0]
    p.hair = hair_of(a, b)
    while p.n_w < MAX_CORNERS:
        best = nearest_face(&p)
        lacking = slack.share * least + slack.size * size if settled else tolerance
        if best < 0 or ((tight or curved) and p.face[best].d >= least - lacking):
            break
        face = p.face[best]
        p.face[best].done = True
        corner = add_corner(&p, a, b, face.n)
        reach = dot3(face.n, p.w[corner])
        if reach < least or (not (tight or curved) and reach <= min(face.d, least) + tolerance):
            least, normal[0], x_a[0] = reach, neg3(face.n), point_of_a(&p, &face)
            settled = curved and reach - face.d <= tolerance
            tight, top = reach - face.d <= tolerance, face
        if reach - face.d <= tolerance:
            p.n_w -= 1
            continue
        # Newton's method begins where the polytope lacks less than two diameters of the smaller shape; its point counts
        # if it sees the face well
        if curved and reach - face.d < 2.0 * size and find_best(&p, &face, a, b, &gap, &n, &x):
            if -gap <= least:
                least, normal[0], x_a[0], settled = -gap, n, x, True
                if is_least(a, b, gap, n, x):
                    break
            if gap * dot3(face.n, n) - face.d > 0.5 * (reach - face.d):
                p.a[corner], p.w[corner] = x, scale3(gap, n)
        if not expand(&p, corner):
            p.n_w -= 1
    if known != NULL and tight and not curved and 0.0 < top.d:
        note_push(&p, &top, a, b, known)
        return settle_push(a, b, known, top.n, x_a, normal)
    return least
