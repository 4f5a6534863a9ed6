"""Queries: what looks at all shapes of a World as they are now, and changes nothing."""

import numpy as np

from rbdyn.errors import Error

from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.collision.contact_buffer cimport buffer_free, buffer_init
from rbdyn.collision.probe cimport all_near, contacts_of, first_met, nearest_between, nearest_of
from rbdyn.collision.rays.cast cimport all_hits, first_hits
from rbdyn.collision.record cimport read_pose
from rbdyn.collision.shape_table cimport Table
from rbdyn.kernels.kinematics cimport poses as find_poses
from rbdyn.memory cimport grow
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport zero3
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.phases cimport kinematics
from rbdyn.world.edits.renewal cimport catch_up
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.queries.hidden cimport hidden_shapes, names_of
from rbdyn.world.registry.found cimport contact_of
from rbdyn.world.registry.registry cimport Registry


cdef class Queries:
    """Rays, casts, distances and contacts of one World's shapes, by their ids; they may be asked by several threads.

    All of them raise BusyError while the World steps or is edited; observers may ask.
    """

    cdef Registry registry

    def __init__(self, Registry registry not None):
        self.registry = registry

    cdef Registry here(self):
        """The registry; Error for Queries that no World made."""
        if self.registry is None:
            raise Error("Queries are made by a World")
        return self.registry

    cdef Scene* scene(self):
        return &self.registry.memory.scene

    cdef const Table* table(self):
        return &self.registry.collision.table

    cdef set look(self, exclude):
        """Before a query: everything where it is now; ids of the shapes that are left out.  Then `end_query` is due."""
        cdef Registry registry = self.here()
        self.begin()
        try:
            return hidden_shapes(registry, exclude, "exclude")
        except BaseException:
            registry.lock.end_query()
            raise

    cdef int begin(self) except -1:
        """Everything is where it is now, and stays there until `end_query`."""
        cdef Registry registry = self.here()
        registry.lock.check_readable()
        if not (registry.lock.observing or registry.lock.half or registry.lock.queries):
            catch_up(registry)
        if not registry.lock.queries:
            kinematics(self.scene())
        return registry.lock.begin_query()

    def asking(self):
        """A context in which nobody steps or edits the World: queries, and the names of what they found."""
        cdef Asking asking = Asking.__new__(Asking)
        asking.queries = self
        return asking

    def rays(self, origins, directions, length, mask, exclude, every, threads=1):
        """What rays meet first, as `first_hits` says, or all that one ray meets, as `all_hits` does."""
        hidden = self.look(exclude)
        try:
            if every:
                return all_hits(self.table(), self.scene().pose, origins, directions, length, mask, hidden)
            return first_hits(self.table(), self.scene().pose, origins, directions, length, mask, hidden, threads)
        finally:
            self.registry.lock.end_query()

    def casts(self, shape, poses, ways, mask, exclude):
        """Share of its way at which a shape meets the first other one, where, and its id."""
        hidden = self.look(exclude)
        try:
            return first_met(self.table(), self.scene().pose, shape, poses, ways, mask, hidden)
        finally:
            self.registry.lock.end_query()

    def near(self, shape, poses, mask, exclude, reach):
        """Ids of the shapes within `reach` [m] of a shape at each pose."""
        hidden = self.look(exclude)
        try:
            return all_near(self.table(), self.scene().pose, shape, poses, mask, hidden, reach)
        finally:
            self.registry.lock.end_query()

    def nearest(self, shape, poses, mask, exclude, reach):
        """What is nearest of everything to a shape at each pose: 10 numbers, and its id."""
        hidden = self.look(exclude)
        try:
            return nearest_of(self.table(), self.scene().pose, shape, poses, mask, hidden, reach)
        finally:
            self.registry.lock.end_query()

    def between(self, a, b):
        """What is nearest of the shapes of two objects, or bodies: 10 numbers, and two ids."""
        self.begin()
        try:
            one, other = hidden_shapes(self.registry, (a,), "a"), hidden_shapes(self.registry, (b,), "b")
            return nearest_between(self.table(), self.scene().pose, one, other)
        finally:
            self.registry.lock.end_query()

    def names(self, shape_id):
        """(object, body, link, geometry, material) of a shape that was found in the same `asking`."""
        return names_of(self.here(), shape_id)

    def contacts_at(self, WorldObject obj not None, rows, margin, first):
        """Contacts that an object would have at each of some configurations, or poses: lists of Contact.

        With `first` whether it has one, a bool for each.
        """
        cdef Registry registry = self.here()
        cdef ContactBuffer found
        cdef Pose* pose = NULL
        cdef char[::1] moved
        cdef Scene* s = self.scene()
        cdef State state
        cdef size_t room = 0
        cdef int k
        buffer_init(&found)
        answers = []
        self.begin()
        try:
            registry.object_in(obj)
            grow(<void**> &pose, &room, s.n_bodies, sizeof(Pose))
            moved = self.slots_of(obj)
            state = (<ArticulatedSystem> obj).state.copy() if isinstance(obj, ArticulatedSystem) else None
            for row in rows:
                memcpy(pose, s.pose, s.n_bodies * sizeof(Pose))
                if state is None:
                    read_pose(row, "pose", pose + (<SingleBody> obj).body().handle)
                else:
                    place_system(s, obj, state, row, pose)
                contacts_of(self.table(), pose, &moved[0] if moved.shape[0] else NULL, margin, first, &found)
                if first:
                    answers.append(found.n > 0)
                else:
                    answers.append([contact_of(registry, found.point + k, zero3()) for k in range(found.n)])
        finally:
            buffer_free(&found)
            free(pose)
            registry.lock.end_query()
        return answers

    cdef object slots_of(self, WorldObject obj):
        """Flags of the shapes of an object, by their place in the table."""
        cdef const Table* table = self.table()
        cdef int i
        flags = np.zeros(table.n, dtype=np.int8)
        for i in range(table.n):
            shape = self.registry.shapes.get(table.shape[i].id)
            flags[i] = shape is not None and shape[0] is obj
        return flags


cdef class Asking:
    """See `Queries.asking`."""

    cdef Queries queries

    def __enter__(self):
        self.queries.begin()

    def __exit__(self, *error):
        self.queries.registry.lock.end_query()


cdef int place_system(const Scene* s, ArticulatedSystem robot, State state, object q, Pose* pose) except -1:
    """The poses of the bodies of a robot at a configuration."""
    cdef int handle = s.system[robot.index].handle, i
    state.set(q, None)
    find_poses(&robot.model.c, &state.c)
    for i in range(robot.model.c.nb):
        pose[handle + i].R, pose[handle + i].p = state.c.R[i], state.c.p[i]
    return 0
