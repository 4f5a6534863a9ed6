"""The default backend: every pair in C."""

from rbdyn.collision._types cimport N_KINDS, ContactBuffer, Pose, PosedShape
from rbdyn.collision.broad_phase.sorting cimport Pair
from rbdyn.collision.broad_phase.sweep cimport find_pairs
from rbdyn.collision.contact_buffer cimport buffer_free, buffer_init, raise_full
from rbdyn.collision.pair_table cimport PairEntry, collide, pair_table
from rbdyn.collision.scene cimport CollisionScene
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.collision.sink cimport Sink

cdef enum:
    PAIRS_A_LOOK = 512             # pairs between two looks for signals: 10 us of spheres, 0.3 s of the largest hulls


cdef class NativeBackend(CollisionBackend):
    """Every pair of shapes, in C, without allocation once its buffers have grown.

    Sort and sweep, then closed forms for half-spaces against everything and for spheres,
    capsules and boxes among themselves; all other convex pairs by the distance of Gilbert, Johnson
    and Keerthi or the expanding polytope.  Contacts a pair: box on box up to 8, faces otherwise up to 4, lines 2.
    A mesh stands for its convex hull.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other, or one is enough.
    """

    cdef int detect_c(self, const Pose* pose, int n_bodies, ContactBuffer* out) except -1 nogil:
        cdef const PairEntry* table = pair_table()
        cdef int k
        cdef Pair pair
        cdef PosedShape a, b
        cdef Sink sink
        sink.out, sink.full = out, False
        find_pairs(&self.broad, &self.table, pose)
        for k in range(self.broad.n_pair):
            pair = self.broad.pair[k]
            sink.a, sink.b = &self.table.shape[pair.a], &self.table.shape[pair.b]
            a.s, a.X = sink.a, &self.broad.world_pose[pair.a]
            b.s, b.X = sink.b, &self.broad.world_pose[pair.b]
            collide(table, N_KINDS, &a, &b, self.table.margin, &sink)
            if sink.full:
                raise_full(out)
            if k % PAIRS_A_LOOK == PAIRS_A_LOOK - 1:
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
        collide(pair_table(), N_KINDS, &a, &b, scene.table.margin, &sink)
        if sink.full:
            raise_full(&found)
        return [((c.position.x, c.position.y, c.position.z), (c.normal.x, c.normal.y, c.normal.z), c.depth, c.feature)
                for c in found.point[:found.n]]
    finally:
        buffer_free(&found)
