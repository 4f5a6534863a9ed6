"""Ghost contacts at internal edges: internal_edges.pxd."""

from libc.math cimport INFINITY, fmax, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport HALF_SPACE, ContactPoint, PosedShape, SupportingFeature
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.kernels.vectors cimport axis_z, norm3
from rbdyn.collision.motion.path cimport gap_along, is_axial, is_still, rest_way
from rbdyn.collision.shape_table cimport compose_pose, find_slot
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Motion, Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3

cdef double ONE_PLANE = 0.9986     # cosine between normals of one plane: 3 degrees, as in pieces/merge.pyx
cdef double SAME = 1.0 - 1e-6      # and between normals of one face, as in motion/time_of_contact.pyx
cdef double EQUAL = 1.0 - 1e-9     # or of one face and what is round: they differ by rounding
cdef double FLUSH = 0.5            # share of the margin: shapes in each other by less have not met, as in meeting.pyx
cdef enum:
    DROPPED = -1                   # shape_a of a contact that is dropped


cdef void free_runs(Runs* runs) noexcept nogil:
    """Free the memory; empty afterwards."""
    free(runs.run)
    free(runs.latest)
    memset(runs, 0, sizeof(Runs))


cdef inline int slot_of(const Table* table, int id) noexcept nogil:
    """The slot of a shape, or -1; most are in the slots of their numbers."""
    if 0 <= id < table.n and table.shape[id].id == id:
        return id
    return find_slot(table, id)


cdef inline int list_number(const Run* r, unsigned int n_bodies) noexcept nogil:
    """Number of the list of a run: by its dynamic body, or, of two dynamic bodies, by a hash of both."""
    if not r.b.dynamic:
        return r.a.body
    return n_bodies + (<unsigned int> r.a.body * 2654435761u ^ <unsigned int> r.b.body * 2246822519u) % n_bodies


cdef int list_runs(Runs* runs, const Table* table, int n_bodies, const ContactBuffer* out) noexcept nogil:
    """List the runs, those of one body or one pair of bodies in one list; return their number.

    Contacts of unknown shapes are left out.
    """
    cdef const ContactPoint* c
    cdef Run* r
    cdef int i = 0, n = 0, slot_a, slot_b, k
    while i < out.n:
        c, r = &out.point[i], &runs.run[n]
        r.first = i
        while i < out.n and out.point[i].shape_a == c.shape_a and out.point[i].shape_b == c.shape_b:
            i += 1
        r.end = i
        slot_a, slot_b = slot_of(table, c.shape_a), slot_of(table, c.shape_b)
        if slot_a < 0 or slot_b < 0:
            continue
        r.a, r.b, r.sign = &table.shape[slot_a], &table.shape[slot_b], 1.0
        if r.b.dynamic and (not r.a.dynamic or r.b.body < r.a.body):
            r.a, r.b, r.sign = r.b, r.a, -1.0
        k = list_number(r, n_bodies)
        r.previous = runs.latest[k]
        runs.latest[k] = n
        n += 1
    return n


cdef bint move_alike(const ShapeRecord* b, const ShapeRecord* c, const Pose* pose, BodyMotions motions,
                     double margin) noexcept nogil:
    """Test whether two shapes keep their places relative to each other in this step, whatever contacts do."""
    cdef const Motion* m
    cdef Motion apart
    if b.body == c.body:
        return True
    if b.dynamic or c.dynamic:
        return False
    if motions.of == NULL:
        return True
    m, apart = &motions.of[b.body], motions.of[c.body]
    apart.v = sub3(apart.v, add3(m.v, cross3(m.w, sub3(pose[c.body].p, pose[b.body].p))))
    apart.w = sub3(apart.w, m.w)
    return is_still(&apart, c.far, rest_way(margin))


cdef bint lie_apart(const Run* r, const Pose* pose, Vec3 m, double deep) noexcept nogil:
    """Test whether the shapes of a run lie no deeper in each other than `deep` [m] along m, unit, into r.a.

    Or along the normal of the flat face that r.b turns that way: m may be a normal of a face of r.a, tilted a little.
    """
    cdef PosedShape a, b
    cdef Pose X, Y
    cdef SupportingFeature f
    a.s, a.X, b.s, b.X = r.a, &X, r.b, &Y
    compose_pose(&pose[a.s.body], a.s, &X)
    compose_pose(&pose[b.s.body], b.s, &Y)
    if gap_along(&a, &b, m) >= -deep:
        return True
    if b.s.convex == NULL:
        return False
    b.s.convex.feature(&b, m, &f)
    return f.flat and dot3(f.normal, m) > ONE_PLANE and gap_along(&a, &b, f.normal) >= -deep


cdef bint has_face(const ShapeRecord* s, const Pose* pose, Vec3 n, double same) noexcept nogil:
    """Test whether the unit vector n is the normal of a flat face of a shape; True for surfaces and planes.

    `same` is the least cosine between both.
    """
    cdef PosedShape a
    cdef Pose X
    cdef SupportingFeature f
    if s.convex == NULL:
        return True
    a.s, a.X = s, &X
    compose_pose(&pose[s.body], s, &X)
    s.convex.feature(&a, n, &f)
    return f.flat and dot3(f.normal, n) > same


cdef inline double same_of(const Run* r) noexcept nogil:
    """Least cosine between normals that are one: what is round has all normals near that of a face."""
    return EQUAL if r.a.bounds.ball > 0.0 else SAME


cdef bint on_face(const Run* r, const Pose* pose, Vec3 n) noexcept nogil:
    """Test whether a normal of a run's contacts, into r.a, is that of a face, and not of an edge or a curved side."""
    return has_face(r.b, pose, n, same_of(r)) or has_face(r.a, pose, neg3(n), SAME)


cdef bint turns_away(const Run* r, const ContactPoint* c, const ContactPoint* held, int n, const Pose* pose,
                     BodyMotions motions, Vec3 m, double most) noexcept nogil:
    """Test whether contact c may approach along m by more than `most` [m] in this step while n others are held.

    The body turns about these: as it does now, and by as much as an impact with its present speed may turn it.
    """
    cdef const Motion* a
    cdef const Motion* b
    cdef Vec3 axis, way, w
    cdef double lever2 = INFINITY, approach, turn
    cdef int k, nearest = 0
    if motions.of == NULL:
        return False
    for k in range(n):
        way = sub3(c.position, held[k].position)
        if dot3(way, way) < lever2:
            lever2, nearest = dot3(way, way), k
    a, b = &motions.of[r.a.body], &motions.of[r.b.body]
    way = sub3(sub3(b.v, a.v), cross3(a.w, sub3(held[nearest].position, pose[r.a.body].p)))
    way = add3(way, cross3(b.w, sub3(held[nearest].position, pose[r.b.body].p)))
    w = sub3(a.w, b.w)
    if is_axial(r.a):                            # it rolls
        axis = mul3(pose[r.a.body].R, axis_z(&r.a.local.R))
        w = sub3(w, scale3(dot3(w, axis), axis))
    approach, turn = fmax(0.0, dot3(way, m)), 0.0 if r.a.bounds.round else norm3(w)
    return sqrt(lever2) * (turn + approach / r.a.far) > most


cdef bint mark_ghosts(const Run* r, const Run* s, const Pose* pose, BodyMotions motions, double margin,
                      ContactBuffer* out) noexcept nogil:
    """Mark the contacts of run r that those of run s make needless; return whether any was tested.

    What rests on a face keeps its contact, also where the face is tilted a little.
    """
    cdef ContactPoint* c
    cdef Vec3 m, n
    cdef double depth, along, same = same_of(r)
    cdef int i, j = s.first, held
    cdef bint tested, apart, looked = False
    if r.a.kind == HALF_SPACE or r.b.kind == HALF_SPACE:         # without edges
        return False
    while j < s.end:
        held, m, depth = j, scale3(s.sign, out.point[j].normal), 0.0
        while j < s.end and s.sign * dot3(out.point[j].normal, m) > SAME:
            depth = fmax(depth, out.point[j].depth)
            j += 1
        if out.point[held].shape_a == DROPPED:
            continue
        tested = apart = False
        for i in range(r.first, r.end):
            c = &out.point[i]
            n = scale3(r.sign, c.normal)
            along = dot3(n, m)
            if along > same or c.shape_a == DROPPED or (along > ONE_PLANE and on_face(r, pose, n)):
                continue
            if not tested:
                tested = looked = True
                apart = on_face(s, pose, m) and lie_apart(r, pose, m, depth + FLUSH * margin)
            if apart and not turns_away(r, c, &out.point[held], j - held, pose, motions, m, FLUSH * margin):
                c.shape_a = DROPPED
    return looked


cdef bint have_one_normal(const Run* r, const Run* s, const ContactBuffer* out) noexcept nogil:
    """Test whether all contacts of two runs have the same normal: none of them is a ghost then."""
    cdef Vec3 m = out.point[s.first].normal, n = scale3(r.sign * s.sign, m)
    cdef int i
    for i in range(r.first, r.end):
        if dot3(out.point[i].normal, n) <= EQUAL:
            return False
    for i in range(s.first + 1, s.end):
        if dot3(out.point[i].normal, m) <= EQUAL:
            return False
    return True


cdef void close_up(ContactBuffer* out) noexcept nogil:
    """Take out the contacts that are marked."""
    cdef int i, n = 0
    for i in range(out.n):
        if out.point[i].shape_a != DROPPED:
            if n < i:
                out.point[n] = out.point[i]
            n += 1
    out.n = n


cdef int drop_ghosts(Runs* runs, const Table* table, const Pose* pose, BodyMotions motions, int n_bodies,
                     ContactBuffer* out) except -1 nogil:
    """Drop the contacts at internal edges from a sorted buffer."""
    cdef const Run* r
    cdef const Run* s
    cdef int n, k, l
    cdef bint looked = False
    if out.n < 2:
        return 0
    grow(<void**> &runs.run, &runs.room, out.n, sizeof(Run))
    grow(<void**> &runs.latest, &runs.room_bodies, 2 * <size_t> n_bodies, sizeof(int))
    memset(runs.latest, -1, 2 * <size_t> n_bodies * sizeof(int))
    n = list_runs(runs, table, n_bodies, out)
    for k in range(n):
        r = &runs.run[k]
        l = r.previous
        while l >= 0:
            s = &runs.run[l]
            if (r.a.body == s.a.body and not have_one_normal(r, s, out)
                    and move_alike(r.b, s.b, pose, motions, table.margin)):
                looked |= mark_ghosts(r, s, pose, motions, table.margin, out)
                looked |= mark_ghosts(s, r, pose, motions, table.margin, out)
            l = s.previous
    if looked:
        check_functions()
        close_up(out)
    return 0
