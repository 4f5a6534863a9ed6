"""The default backend: every pair in C."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport N_KINDS, BodyMotions, ContactBuffer, Pose, PosedShape
from rbdyn.collision.broad_phase.sorting cimport Pair
from rbdyn.collision.broad_phase.sweep cimport find_pairs
from rbdyn.collision.contact_buffer cimport buffer_free, buffer_init, raise_full
from rbdyn.collision.motion.path cimport MovingShape, moving_shape, rest_way
from rbdyn.collision.motion.time_of_contact cimport ALONGSIDE, FREE, STOPS, Outcome, collide_if_stopped, collide_moving
from rbdyn.collision.pair_table cimport PairEntry, collide, pair_table
from rbdyn.collision.scene cimport CollisionScene
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.collision.sink cimport Sink
from rbdyn.memory cimport grow

cdef enum:
    PAIRS_A_LOOK = 512             # pairs between two looks for signals: 10 us of spheres, 0.3 s of the largest hulls


cdef Outcome collide_pair(const PairEntry* table, const PosedShape* a, const PosedShape* b, const Pose* body,
                          BodyMotions motions, double margin, Sink* sink) noexcept nogil:
    """Emit the contacts of two shapes on bodies that may move."""
    cdef MovingShape p = moving_shape(a.s, a.X, &body[a.s.body], motions, rest_way(margin))
    cdef MovingShape q = moving_shape(b.s, b.X, &body[b.s.body], motions, rest_way(margin))
    if p.still and q.still:
        collide(table, N_KINDS, a, b, margin, sink)
        return FREE
    return collide_moving(table, &p, &q, margin, motions.beyond, sink)


cdef class NativeBackend(CollisionBackend):
    """Every pair of shapes, in C, without allocation once its buffers have grown.

    Sort and sweep, then closed forms for half-spaces against everything and for spheres,
    capsules and boxes among themselves; all other convex pairs by the distance of Gilbert, Johnson
    and Keerthi or the expanding polytope.  Contacts a pair: box on box up to 8, faces otherwise up to 4, lines 2.
    A mesh stands for its convex hull.  Shapes that move are followed through the step: those that meet within it are
    in contact, as they will be where they meet; those that pass one another are not.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other, or one is enough.
    """

    def __dealloc__(self):
        free(self.stopped)

    cdef int detect_c(self, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil:
        cdef const PairEntry* table = pair_table()
        cdef int k
        cdef Pair pair
        cdef PosedShape a, b
        cdef Sink sink
        cdef Outcome outcome
        sink.out, sink.full = out, False
        find_pairs(&self.broad, &self.table, pose, motions)
        grow(<void**> &self.stopped, &self.room, self.table.n_bodies, sizeof(bint))
        memset(self.stopped, 0, self.table.n_bodies * sizeof(bint))
        self.n_alongside = 0
        for k in range(self.broad.n_pair):
            pair = self.broad.pair[k]
            sink.a, sink.b = &self.table.shape[pair.a], &self.table.shape[pair.b]
            a.s, a.X = sink.a, &self.broad.world_pose[pair.a]
            b.s, b.X = sink.b, &self.broad.world_pose[pair.b]
            if self.broad.travel[pair.a] == 0.0 and self.broad.travel[pair.b] == 0.0:
                collide(table, N_KINDS, &a, &b, self.table.margin, &sink)
            else:
                outcome = collide_pair(table, &a, &b, pose, motions, self.table.margin, &sink)
                if outcome == STOPS:
                    self.stopped[a.s.body] = self.stopped[b.s.body] = True
                elif outcome == ALONGSIDE:
                    self.broad.pair[self.n_alongside] = pair
                    self.n_alongside += 1
            if sink.full:
                raise_full(out)
            if k % PAIRS_A_LOOK == PAIRS_A_LOOK - 1:
                check_signals()
        if self.n_alongside > 0:
            self.find_alongside(pose, motions, &sink)
        return 0

    cdef int find_alongside(self, const Pose* pose, BodyMotions motions, Sink* sink) except -1 nogil:
        """Contacts with bodies that are stopped in this step, of those that move beside them; they are stopped, too."""
        cdef double least = rest_way(self.table.margin)
        cdef int k, n = -1
        cdef Pair pair
        cdef MovingShape a, b
        while n != self.n_alongside:             # until a round finds none
            n, self.n_alongside = self.n_alongside, 0
            for k in range(n):
                pair = self.broad.pair[k]
                sink.a, sink.b = &self.table.shape[pair.a], &self.table.shape[pair.b]
                if not (self.stopped[sink.a.body] or self.stopped[sink.b.body]):
                    self.broad.pair[self.n_alongside] = pair
                    self.n_alongside += 1
                    continue
                a = moving_shape(sink.a, &self.broad.world_pose[pair.a], &pose[sink.a.body], motions, least)
                b = moving_shape(sink.b, &self.broad.world_pose[pair.b], &pose[sink.b.body], motions, least)
                collide_if_stopped(pair_table(), &a, &b, self.table.margin, sink)
                self.stopped[sink.a.body] = self.stopped[sink.b.body] = True
                if sink.full:
                    raise_full(sink.out)
            check_signals()
        return 0


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
    cdef PosedShape a, b
    cdef Pose X_a, X_b
    cdef Sink sink
    a.s, b.s = scene.record(id_a), scene.record(id_b)
    compose_pose(&scene.pose[a.s.body], a.s, &X_a)
    compose_pose(&scene.pose[b.s.body], b.s, &X_b)
    a.X, b.X = &X_a, &X_b
    sink.a, sink.b, sink.out, sink.full = a.s, b.s, &found, False
    buffer_init(&found)
    try:
        collide_pair(pair_table(), &a, &b, scene.pose, scene.paths, scene.table.margin, &sink)
        if sink.full:
            raise_full(&found)
        return [((c.position.x, c.position.y, c.position.z), (c.normal.x, c.normal.y, c.normal.z), c.depth, c.feature)
                for c in found.point[:found.n]]
    finally:
        buffer_free(&found)
