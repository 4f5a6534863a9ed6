"""The default backend: every pair in C."""

from rbdyn.collision._broad cimport Pair, find_pairs
from rbdyn.collision._buffer cimport push_contact
from rbdyn.collision._narrow cimport collide
from rbdyn.collision._solid cimport Manifold, compose_pose
from rbdyn.collision._types cimport ContactPoint, ShapeRecord
from rbdyn.collision.scene cimport CollisionScene


cdef int push_manifold(
        ContactBuffer* out, const ShapeRecord* a, const ShapeRecord* b, const Manifold* m) except -1 nogil:
    """Append the contacts of shapes a and b, a.id < b.id."""
    cdef int k
    cdef ContactPoint* point
    for k in range(m.n):
        point = push_contact(out)
        point.shape_a = a.id
        point.shape_b = b.id
        point.body_a = a.body
        point.body_b = b.body
        point.feature = m.feature[k]
        point.position = m.position[k]
        point.normal = m.normal
        point.depth = m.depth[k]
    return 0


cdef class NativeBackend(CollisionBackend):
    """Every pair of shapes, in C, without allocation once its buffers have grown.

    Sort and sweep, then closed forms for half-spaces against everything and for spheres,
    capsules and boxes among themselves; cylinders and hulls by the distance of Gilbert, Johnson
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
        cdef int k
        cdef Pair pair
        cdef Manifold m
        find_pairs(&self.broad, &self.table, pose)
        for k in range(self.broad.n_pair):
            pair = self.broad.pair[k]
            collide(&self.table.shape[pair.a], &self.broad.world_pose[pair.a],
                    &self.table.shape[pair.b], &self.broad.world_pose[pair.b], self.table.margin, &m)
            push_manifold(out, &self.table.shape[pair.a], &self.table.shape[pair.b], &m)
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
    cdef const ShapeRecord* a = scene.record(id_a)
    cdef const ShapeRecord* b = scene.record(id_b)
    cdef Pose X_a, X_b
    cdef Manifold m
    cdef int k
    compose_pose(&scene.pose[a.body], a, &X_a)
    compose_pose(&scene.pose[b.body], b, &X_b)
    collide(a, &X_a, b, &X_b, scene.table.margin, &m)
    normal = (m.normal.x, m.normal.y, m.normal.z)
    return [((m.position[k].x, m.position[k].y, m.position[k].z), normal, m.depth[k], m.feature[k])
            for k in range(m.n)]
