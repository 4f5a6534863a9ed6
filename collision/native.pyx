"""The default backend: analytic manifolds, in C, without allocation."""

from rbdyn.collision._broad cimport find_pairs
from rbdyn.collision._buffer cimport push_contact
from rbdyn.collision._narrow cimport collide
from rbdyn.collision._solid cimport Manifold, compose_pose
from rbdyn.collision._types cimport ContactPoint, ShapeRecord
from rbdyn.collision.scene cimport CollisionScene, matrix_of
from rbdyn.spatial._algebra cimport vec3


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
    """Sort and sweep, then closed forms for spheres, capsules, boxes and half-spaces against each other.

    Cylinders, hulls and meshes have closed forms against half-spaces; against anything else
    they go through python-fcl (one contact a pair, as FCLBackend), which is imported when
    such a pair first comes near.  A mesh stands for its convex hull.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other, or one is enough.
    """

    cdef int detect_c(self, const Pose* pose, int n_bodies, ContactBuffer* out) except -1 nogil:
        cdef int k, missed = 0
        cdef const ShapeRecord* a
        cdef const ShapeRecord* b
        cdef Manifold m
        find_pairs(&self.broad, &self.table, pose)
        for k in range(self.broad.n_pair):
            a = &self.table.shape[self.broad.pair[k].a]
            b = &self.table.shape[self.broad.pair[k].b]
            if collide(a, &self.broad.world_pose[self.broad.pair[k].a], b,
                       &self.broad.world_pose[self.broad.pair[k].b], self.table.margin, &m):
                push_manifold(out, a, b, &m)
            else:                            # keep the pair, at the front of the list
                self.broad.pair[missed] = self.broad.pair[k]
                missed += 1
        if missed > 0:
            call_fallback(self, missed, out)
        return 0


cdef int call_fallback(NativeBackend backend, int n, ContactBuffer* out) except -1 with gil:
    """The first n pairs of the list, by python-fcl."""
    cdef int k
    cdef const ShapeRecord* a
    cdef const ShapeRecord* b
    cdef Manifold m
    if backend._fallback is None:
        from rbdyn.collision.fcl_backend import FclPairs

        backend._fallback = FclPairs()
    for k in range(n):
        a = &backend.table.shape[backend.broad.pair[k].a]
        b = &backend.table.shape[backend.broad.pair[k].b]
        found = backend._fallback.contacts(
            backend._shapes[a.id][0], matrix_of(&backend.broad.world_pose[backend.broad.pair[k].a]),
            backend._shapes[b.id][0], matrix_of(&backend.broad.world_pose[backend.broad.pair[k].b]),
            backend.table.margin)
        for position, normal, depth, feature in found:
            m.n = 1
            m.position[0] = vec3(position[0], position[1], position[2])
            m.normal = vec3(normal[0], normal[1], normal[2])
            m.depth[0] = depth
            m.feature[0] = feature
            push_manifold(out, a, b, &m)
    return 0


def native_contacts(CollisionScene scene not None, id_a, id_b):
    """The closed-form contacts of one pair, for backends that compute only some pairs themselves.

    Parameters
    ----------
    scene : CollisionScene
        The scene of this step.
    id_a, id_b : int
        The two shapes.

    Returns
    -------
    contacts : list of (position, normal, depth, feature), or None
        As `CollisionScene.add_contact` takes them, the normal into shape `id_a`; None if the
        pair has no closed form.
    """
    cdef const ShapeRecord* a = scene.record(id_a)
    cdef const ShapeRecord* b = scene.record(id_b)
    cdef Pose X_a, X_b
    cdef Manifold m
    cdef int k
    compose_pose(&scene.pose[a.body], a, &X_a)
    compose_pose(&scene.pose[b.body], b, &X_b)
    if not collide(a, &X_a, b, &X_b, scene.table.margin, &m):
        return None
    normal = (m.normal.x, m.normal.y, m.normal.z)
    return [((m.position[k].x, m.position[k].y, m.position[k].z), normal, m.depth[k], m.feature[k])
            for k in range(m.n)]
