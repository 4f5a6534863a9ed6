"""The content of a snapshot, in its order."""

from rbdyn.world.snapshot import rest

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memset

from rbdyn.archive cimport CHECK, LOAD, MEASURE, SAVE, Archive, keep
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.sleeping cimport lay_down
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.found cimport name_worst
from rbdyn.world.snapshot.memory_content cimport (
    keep_contacts, keep_counts, keep_overlaps, keep_pairs, keep_slumber, keep_solver, keep_trails,
)
from rbdyn.world.snapshot.scene_content cimport keep_links, keep_settings, keep_singles, keep_systems


cdef void keep_clock(Archive* a, Clock* c, Pipeline p) noexcept:
    keep(a, c.steps, sizeof(long))
    keep(a, &p.detections, sizeof(long))
    keep(a, &p.stepped_at, sizeof(long))
    keep(a, &p.solved, sizeof(bint))
    keep(a, c.whole_step, sizeof(double))
    keep(a, &p.parts, sizeof(int))
    keep(a, c.time_before, sizeof(double))
    keep(a, c.steps_before, sizeof(long))


cdef class Insides:
    """All that a snapshot of one World holds, where it is in memory; filled in by the World."""

    def materials_said(self, table):
        """The World's table of materials, as `rest.said` has it."""
        if self.materials is None or self.materials[0] != table.revision:
            self.materials = table.revision, rest.said(table)
        return self.materials[1]

    cdef int keep_all(self, Archive* a) except -1:
        """One pass over everything."""
        cdef Scene* s = &self.registry.memory.scene
        cdef Pipeline p = self.pipeline
        cdef WorldObject obj
        cdef ArticulatedSystem robot
        keep_contacts(a, &p.assembly, s, &p.found, p.solved)    # the only one that LOAD may fail in
        keep_clock(a, &self.clock, p)
        keep(a, &self.registry.added, sizeof(long))
        keep(a, &self.registry.linked, sizeof(int))
        keep_settings(a, s)
        keep(a, &p.collision.table.margin, sizeof(double))
        keep_singles(a, s)
        keep_systems(a, s)
        keep_links(a, s)
        for obj in self.registry.singles:
            keep(a, &obj.moved_at, sizeof(long))
        for robot in self.registry.systems:
            keep(a, &robot.moved_at, sizeof(long))
            keep(a, &robot.targeted, sizeof(bint))
            keep(a, &robot.gravity, sizeof(robot.gravity))
        keep_solver(a, p.contact)
        keep_solver(a, p.position_solver)
        keep_overlaps(a, &p.assembly.builder.history.overlaps)
        keep_trails(a, &p.assembly.builder.history.trails)
        keep_slumber(a, &self.registry.memory.scene, &self.registry.memory.slumber)
        keep_pairs(a, p.collision)
        keep_counts(a, p.contact)                 # they decide nothing: the last, which the hash leaves out
        keep_counts(a, p.position_solver)
        if a.mode == LOAD:
            name_worst(self.registry, p.contact)
            name_worst(self.registry, p.position_solver)
        return 0

    cdef bytes saved(self):
        """All of it, as bytes."""
        cdef Archive a
        cdef bytes content
        memset(&a, 0, sizeof(Archive))
        a.mode = MEASURE
        self.keep_all(&a)
        content = PyBytes_FromStringAndSize(NULL, a.at)
        a.mode, a.bytes, a.size, a.at = SAVE, PyBytes_AS_STRING(content), a.at, 0
        self.keep_all(&a)
        return content

    cdef bint fits(self, bytes content) except -1:
        """Whether these bytes can be loaded; makes room for them."""
        cdef Archive a
        memset(&a, 0, sizeof(Archive))
        a.mode, a.bytes, a.size = CHECK, PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content)
        self.keep_all(&a)
        return not a.damaged and a.at == a.size

    cdef int load(self, bytes content) except -1:
        """Make all of it as it was; the bytes fit."""
        cdef Archive a
        memset(&a, 0, sizeof(Archive))
        a.mode, a.bytes, a.size = LOAD, PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content)
        self.keep_all(&a)
        if self.registry.memory.scene.n_asleep > 0:
            lay_down(&self.registry.memory.scene, &self.registry.memory.slumber)
        return 0
