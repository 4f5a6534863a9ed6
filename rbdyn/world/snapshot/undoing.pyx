"""What a World is, noted before an edit, and put back if that comes to nothing, whatever raises; and by `restore`."""

import weakref

from rbdyn.errors import SnapshotError
from rbdyn.mechanism import notes
from rbdyn.world.snapshot import rest

from rbdyn.collision.shape_table cimport Table
from rbdyn.model.model cimport Model
from rbdyn.stepping.scene cimport DYNAMIC, Scene
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.members cimport members_of
from rbdyn.world.snapshot.snapshot cimport Snapshot


cdef Undo note_now(Insides inside):
    """What the World is now, to go back to if an edit comes to nothing, whatever raises."""
    cdef Undo undo = Undo.__new__(Undo)
    cdef ArticulatedSystem robot
    undo.inside, undo.edited, undo.stale = inside, inside.registry.was_edited(), []
    for robot in inside.registry.systems:
        if robot.model.revision_counter.value != robot.model.revision:
            undo.stale.append((robot.model, robot.model.structure == robot.model.mechanism.structure))
    undo.before = noted(inside)
    undo.counts = [(note, note.revision, note.structure) for note in undo.before.members.parameters]
    if undo.stale:
        inside.members = None
    return undo


cdef class Undo:
    """What a World was before an edit."""

    cdef int carry_out(self) except -1:
        """Make it that again; the caller holds the lock."""
        cdef Registry registry = self.inside.registry
        cdef Model model
        cdef ArticulatedSystem robot
        put(self.inside, self.before, self.before.schedules, self.before.extras)
        notes.put_counts(self.counts)
        for robot in registry.systems:
            robot.model.revision, robot.model.structure = robot.model.revision_counter.value, robot.mechanism.structure
        for model, same_structure in self.stale:
            model.revision = -1
            if not same_structure:
                model.structure = -1
        if self.stale:
            self.inside.members = None
        registry.note_edited()
        registry.lock.edited = self.edited
        return 0


cdef Snapshot noted(Insides inside):
    """A snapshot of a World that nobody may change, and that may not be up to date with its mechanisms."""
    cdef Snapshot s = Snapshot.__new__(Snapshot)
    cdef Registry registry = inside.registry
    s.members = members_of(inside)
    s.inside = weakref.ref(inside)
    s.content = inside.saved()
    s.rest = rest.noted(inside, registry.materials)
    s.schedules = [] if inside.scheduler is None else list(inside.scheduler.schedules)
    s.extras = rest.kept_extras(inside)
    s.steps = inside.clock.steps[0]
    s.time = inside.clock.time_before[0] + (s.steps - inside.clock.steps_before[0]) * inside.clock.whole_step[0]
    return s


cdef int put(Insides inside, Snapshot s, list schedules, dict extras) except -1:
    """Make the World what a snapshot says, which fits."""
    if is_own(inside, s):
        if not s.members.are_present(inside):
            s.members.put_back(inside)
        check_size(inside, s)
    inside.load(s.content)
    rest.put_back(s.rest, inside, inside.registry.materials, schedules, extras)
    if not is_own(inside, s):
        note_dynamic(inside)
    return 0


cdef int note_dynamic(Insides inside) except -1:
    """Let collision know which single bodies are dynamic."""
    cdef Scene* s = &inside.registry.memory.scene
    cdef Table* table = &inside.pipeline.collision.table
    cdef int k, i
    cdef bint dynamic, changed = False
    for i in range(table.n):
        k = table.shape[i].body
        if k >= s.n_bodies or s.body[k].kind != 1:
            continue
        dynamic = s.single[s.body[k].index].type == DYNAMIC
        changed = changed or table.shape[i].dynamic != dynamic
        table.shape[i].dynamic = dynamic
    table.revision += changed
    return 0


cdef int check_size(Insides inside, Snapshot s) except -1:
    """Error if its content is not of the size that it has in this World; makes room for it."""
    if not inside.fits(s.content):
        raise SnapshotError("the snapshot does not fit this World: its content is of another size")
    return 0


cdef bint is_own(Insides inside, Snapshot s) except -1:
    """Whether it is of this World, and none of a copy, of a World built alike or of another one."""
    return s.inside is not None and s.inside() is inside
