"""The default backend: every pair in C."""

from libc.math cimport fmax, fmin
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport HALF_SPACE, N_KINDS, BodyMotions, ContactBuffer, Pose, PosedShape
from rbdyn.collision.bounds cimport pose_in
from rbdyn.collision.broad_phase.sorting cimport Pair
from rbdyn.collision.broad_phase.sweep cimport Broad, find_pairs
from rbdyn.collision.contact_buffer cimport buffer_free, buffer_init, raise_full
from rbdyn.collision.kernels.convex cimport proven_depth
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.motion.path cimport (
    MovingShape, Path, RelativeMotion, approach_along, axis_between, gap_along, is_still, nearer_along, path_of,
    relative_motion, rest_way, set_out,
)
from rbdyn.collision.motion.pair_memory cimport (
    PairNow, begin_pair, begin_step, end_pair, free_memory, known_gap, note_gap,
)
from rbdyn.collision.motion.time_of_contact cimport ALONGSIDE, FREE, STOPS, Outcome, collide_if_stopped, collide_moving
from rbdyn.collision.overlap cimport Overlap, left_alone, stays_in
from rbdyn.collision.pair_table cimport PairEntry, collide, pair_table
from rbdyn.collision.scene cimport CollisionScene
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.collision.sink cimport Sink, begin_sink
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, dot3, zero3

cdef enum:
    PAIRS_A_LOOK = 512             # pairs between two looks for signals: 10 us of spheres, 0.3 s of the largest hulls


cdef double PROVEN = 0.7           # share of the depth of a pair left alone that is proven; 0.5 to 0.9 take as long


cdef void set_out_now(MovingShape* a, const PosedShape* now, const Pose* body, BodyMotions motions,
                      double margin) noexcept nogil:
    cdef bint still = motions.of == NULL or is_still(&motions.of[now.s.body], now.s.far, rest_way(margin))
    cdef Path path
    if not still:
        path = path_of(now.s, body, &motions.of[now.s.body])
    set_out(a, now, body, motions, still, &path)


cdef class NativeBackend(CollisionBackend):
    """Every pair of shapes, in C, without allocation once its buffers have grown.

    Sort and sweep, then closed forms for half-spaces against everything and for spheres,
    capsules and boxes among themselves; all other convex pairs by the distance of Gilbert, Johnson
    and Keerthi or the expanding polytope.  Contacts a pair: box on box up to 8, faces otherwise up to 4, lines 2.
    Meshes and height maps collide by their triangles: up to 4 for those in one plane, up to 12 on rough ground.
    Shapes that move are followed through the step: those that meet within it are in contact, as they will be where they
    meet; those that pass one another are not.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other, or one is enough.
    """

    def __dealloc__(self):
        free(self.stopped)
        free_memory(&self.memory)

    cdef int detect_c(self, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil:
        cdef const PairEntry* table = pair_table()
        cdef int k
        cdef Pair pair
        cdef PosedShape a, b
        cdef PairNow known
        cdef Overlap* left
        cdef Sink sink
        begin_sink(&sink, out)
        find_pairs(&self.broad, &self.table, pose, motions)
        begin_step(&self.memory, self.table.revision, self.broad.n_pair)
        grow(<void**> &self.stopped, &self.room, self.table.n_bodies, sizeof(bint))
        memset(self.stopped, 0, self.table.n_bodies * sizeof(bint))
        self.n_alongside = 0
        self.overlaps.at = 0
        for k in range(self.broad.n_pair):
            pair = self.broad.pair[k]
            sink.a, sink.b = &self.table.shape[pair.a], &self.table.shape[pair.b]
            left = left_alone(&self.overlaps, sink.a, sink.b)
            if left != NULL and stays_in(left, &pose[sink.a.body], &pose[sink.b.body], sink.b, self.overlaps.slop):
                left.passed = True
                continue
            a.s, a.X = sink.a, &self.broad.world_pose[pair.a]
            b.s, b.X = sink.b, &self.broad.world_pose[pair.b]
            if left != NULL and self.is_deep(left, &a, &b, pose):
                continue
            begin_pair(&self.memory, pair.a, pair.b, &a, &b, &known)
            sink.push = known.push
            if self.broad.travel[pair.a] == 0.0 and self.broad.travel[pair.b] == 0.0:
                self.meet_at_rest(&known, &a, &b, &sink)
            elif table[a.s.kind * N_KINDS + b.s.kind].kernel != NULL:
                self.follow(pair, &known, &a, &b, pose, motions, &sink)
            end_pair(&self.memory, &known)
            if sink.full:
                raise_full(out)
            if k % PAIRS_A_LOOK == PAIRS_A_LOOK - 1:
                check_signals()
        if self.n_alongside > 0:
            sink.push = NULL
            self.find_alongside(pose, motions, &sink)
        check_functions()
        return 0

    cdef bint is_deep(self, Overlap* left, const PosedShape* a, const PosedShape* b, const Pose* pose) noexcept nogil:
        """Pass over a pair that is left alone if it is still deep, and note how deep."""
        cdef double depth
        if a.s.convex == NULL or b.s.convex == NULL:
            return False
        depth = proven_depth(a, b, PROVEN)
        if depth <= self.overlaps.slop:
            return False
        left.passed, left.seen, left.there = True, depth, pose_in(&pose[a.s.body], &pose[b.s.body])
        return True

    cdef void meet_at_rest(self, const PairNow* known, const PosedShape* a, const PosedShape* b,
                           Sink* sink) noexcept nogil:
        """Contacts of two that rest: none, without a look at them, if what is known keeps them apart."""
        cdef double gap = known_gap(known.clear, a, b)
        if known.clear != NULL and known.record.has_axis and gap <= self.table.margin:
            gap = gap_along(a, b, known.record.axis)
            note_gap(known.clear, a, b, gap)
        if gap > self.table.margin:
            return
        sink.apart = zero3()
        collide(pair_table(), N_KINDS, a, b, self.table.margin, sink)
        known.record.axis, known.record.has_axis = sink.apart, dot3(sink.apart, sink.apart) > 0.0

    cdef void follow(self, Pair pair, const PairNow* known, const PosedShape* a, const PosedShape* b, const Pose* pose,
                     BodyMotions motions, Sink* sink) noexcept nogil:
        """Contacts of two that move: none, without a look at them, if an axis separates them for all of the step."""
        cdef Broad* broad = &self.broad
        cdef Vec3 axis = known.record.axis if known.record.has_axis else axis_between(a, b)
        cdef const Path* p = &broad.path[pair.a]
        cdef const Path* q = &broad.path[pair.b]
        cdef double gap = known_gap(known.clear, a, b)
        cdef bint still_a = broad.travel[pair.a] == 0.0, still_b = broad.travel[pair.b] == 0.0
        cdef bint together = False               # both move, and their relative motion is known
        cdef double limit = self.table.margin + motions.beyond, nearer = p.way + q.way
        cdef RelativeMotion relative
        cdef MovingShape x, y
        cdef Outcome outcome
        if gap - nearer <= limit and not (still_a or still_b):
            together = True
            relative = relative_motion(a, b, &pose[a.s.body], &pose[b.s.body], &motions.of[a.s.body],
                                       &motions.of[b.s.body])
            nearer = fmin(nearer, relative.way)
        if gap - nearer <= limit:
            gap = gap_along(a, b, axis)
            if known.clear != NULL:
                note_gap(known.clear, a, b, gap)
            nearer = fmax(0.0, approach_along(p, q, axis))
            if together:
                nearer = fmin(nearer, nearer_along(&relative, axis))
        if gap - nearer > limit:
            outcome = FREE if still_a or still_b or gap >= fmax(p.way, q.way) else ALONGSIDE
        else:
            set_out(&x, a, &pose[a.s.body], motions, still_a, p)
            set_out(&y, b, &pose[b.s.body], motions, still_b, q)
            outcome = collide_moving(pair_table(), &x, &y, self.table.margin, motions.beyond, sink, gap, &axis)
        known.record.axis, known.record.has_axis = axis, a.s.kind != HALF_SPACE and b.s.kind != HALF_SPACE
        if outcome == STOPS:
            self.stopped[a.s.body] = self.stopped[b.s.body] = True
        elif outcome == ALONGSIDE:
            broad.pair[self.n_alongside] = pair
            self.n_alongside += 1

    cdef int find_alongside(self, const Pose* pose, BodyMotions motions, Sink* sink) except -1 nogil:
        """Contacts with bodies that are stopped in this step, of those that move beside them; they are stopped, too."""
        cdef const PairEntry* table = pair_table()
        cdef Broad* broad = &self.broad
        cdef int k, n = -1, looked = 0
        cdef Pair pair
        cdef PosedShape a, b
        cdef MovingShape x, y
        while n != self.n_alongside:             # until a round finds none
            n, self.n_alongside = self.n_alongside, 0
            for k in range(n):
                pair = broad.pair[k]
                a.s, a.X = &self.table.shape[pair.a], &broad.world_pose[pair.a]
                b.s, b.X = &self.table.shape[pair.b], &broad.world_pose[pair.b]
                if not (self.stopped[a.s.body] or self.stopped[b.s.body]):
                    broad.pair[self.n_alongside] = pair
                    self.n_alongside += 1
                    continue
                sink.a, sink.b = a.s, b.s
                set_out(&x, &a, &pose[a.s.body], motions, broad.travel[pair.a] == 0.0, &broad.path[pair.a])
                set_out(&y, &b, &pose[b.s.body], motions, broad.travel[pair.b] == 0.0, &broad.path[pair.b])
                if collide_if_stopped(table, &x, &y, self.table.margin, sink):
                    self.stopped[a.s.body] = self.stopped[b.s.body] = True
                if sink.full:
                    raise_full(sink.out)
            looked += n
            if looked >= PAIRS_A_LOOK:           # a signal loses this step's contacts: what is short is not cut short
                looked = 0
                check_signals()
        return 0


cdef int find_native(CollisionScene scene, id_a, id_b, ContactBuffer* found) except -1:
    """Append what NativeBackend finds for one pair, the first shape being that of the smaller id."""
    cdef PosedShape a, b
    cdef Pose X_a, X_b
    cdef Sink sink
    cdef MovingShape p, q
    cdef Vec3 axis
    a.s, b.s = scene.record(id_a), scene.record(id_b)
    compose_pose(&scene.pose[a.s.body], a.s, &X_a)
    compose_pose(&scene.pose[b.s.body], b.s, &X_b)
    a.X, b.X = &X_a, &X_b
    axis = axis_between(&a, &b)
    begin_sink(&sink, found)
    sink.a, sink.b = a.s, b.s
    set_out_now(&p, &a, &scene.pose[a.s.body], scene.paths, scene.table.margin)
    set_out_now(&q, &b, &scene.pose[b.s.body], scene.paths, scene.table.margin)
    if p.still and q.still:
        collide(pair_table(), N_KINDS, &a, &b, scene.table.margin, &sink)
    elif pair_table()[a.s.kind * N_KINDS + b.s.kind].kernel != NULL:
        collide_moving(pair_table(), &p, &q, scene.table.margin, scene.paths.beyond, &sink,
                       gap_along(&a, &b, axis), &axis)
    if sink.full:
        raise_full(found)
    check_functions()
    return 0


def add_native_contacts(CollisionScene scene not None, id_a, id_b):
    """Report what NativeBackend finds for one pair, where the shapes meet within the step too.

    Parameters
    ----------
    scene : CollisionScene
        The scene of this step.
    id_a, id_b : int
        The two shapes, in either order.
    """
    scene.live()
    find_native(scene, min(id_a, id_b), max(id_a, id_b), scene.out)


def native_contacts(CollisionScene scene not None, id_a, id_b):
    """What NativeBackend finds for one pair, for backends that compute only some pairs themselves.

    Parameters
    ----------
    scene : CollisionScene
        The scene of this step.
    id_a, id_b : int
        The two shapes.

    Returns
    -------
    contacts : list of (position, normal, depth, feature)
        As `CollisionScene.add_contact` takes them, the normal into shape `id_a`.
    """
    cdef ContactBuffer found
    buffer_init(&found)
    try:
        find_native(scene, id_a, id_b, &found)
        return [((c.position.x, c.position.y, c.position.z), (c.normal.x, c.normal.y, c.normal.z), c.depth, c.feature)
                for c in found.point[:found.n]]
    finally:
        buffer_free(&found)
