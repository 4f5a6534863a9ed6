"""A step as a table of contents: the phases of a scene, in the order in which they come.

    first_half   q, v -> poses -> contacts
    take_part    forces -> free velocities -> problem -> impulses -> corrections of poses -> velocities -> positions

`integrate1` and `integrate2` of a World are these two.  A step may have several equal parts, each with contacts of its
own.  Until `commit` the state is that of the start; what a step that fails has overwritten is scratch.
"""

from rbdyn.errors import CollisionError

from libc.math cimport sqrt

from rbdyn.collision._types cimport BodyMotions, ContactPoint
from rbdyn.collision.backend cimport buffer_free, buffer_init, detect_contacts
from rbdyn.contact.solver cimport skip_step, solve_contacts, take_back
from rbdyn.signals cimport handle_signals, handle_within
from rbdyn.spatial._algebra cimport Vec3, dot3
from rbdyn.stepping.assemble cimport (
    CONTACTS, apply_impulses, apply_pushes, assemble, assembly_free, find_late_rows, forget_late_rows,
    write_position_problem,
)
from rbdyn.stepping.constraints.bodies.tensions cimport add_tensions
from rbdyn.stepping.constraints.contact.overlaps cimport known_overlaps
from rbdyn.stepping.contact_names cimport keep_names
from rbdyn.stepping.flight.waits cimport find_waits
from rbdyn.stepping.pair_history cimport end_history
from rbdyn.stepping.rewind cimport free_start, keep_start, reserve_start, return_to_start
from rbdyn.stepping.scene cimport is_known
from rbdyn.stepping.self_limits cimport thin_out
from rbdyn.stepping.sleeping cimport begin_awake, fall_asleep, find_calm, leave_out_calm, wake_linked, wake_touched
from rbdyn.stepping.phases cimport (
    change_velocities, clear_external, clear_pushes, commit, free_velocities, integrate, is_finite, kinematics,
)
from rbdyn.stepping.worst cimport note_worst


cdef class Pipeline:
    """The steps of one scene, by backends that its owner chose."""

    def __cinit__(self):
        buffer_init(&self.found)
        buffer_init(&self.before)
        buffer_init(&self.looks)
        self.detections = self.parts = 1

    def __dealloc__(self):
        assembly_free(&self.assembly)
        buffer_free(&self.found)
        buffer_free(&self.before)
        buffer_free(&self.looks)
        free_start(&self.start)

    # ---- the step ----------------------------------------------------------------------------

    cdef int first_half(self, Signals* signals) except -1 nogil:
        """q, v -> poses -> contacts."""
        handle_signals(signals, self.scene.n_bodies)
        kinematics(self.scene)
        self.find_contacts()
        return 0

    cdef int begin_parts(self, Signals* signals) except -1 nogil:
        """Begin a step.  What was woken between the half steps has contacts that were not looked for."""
        if self.slumber.stirred:
            self.first_half(signals)
        if self.parts > 1:
            keep_start(&self.start, self.scene, &self.assembly.builder, self.contact, self.position_solver)
        return 0

    cdef bint take_part(self, Signals* signals) except -1 nogil:
        """Take a part of a step, from contacts to the state at its end; False, with nothing done, if it is not finite.

        Some laws get a row only once the end is known to break them: then the end is found again, until none does.
        """
        forget_late_rows(self.scene)
        add_tensions(self.scene, 1.0)
        try:
            self.find_end(signals)
            while find_late_rows(self.scene):
                self.take_back_solves()
                self.find_end(signals)
        finally:
            add_tensions(self.scene, -1.0)
        if not is_finite(self.scene):
            return False
        commit(self.scene)
        end_history(&self.assembly.builder.history)
        note_worst(self.contact, self.scene, &self.assembly.builder.problem)
        note_worst(self.position_solver, self.scene, &self.assembly.positions.problem)
        self.solves = 0
        self.solved, self.stepped_at = True, self.detections
        return True

    cdef int end_parts(self, double dt) except -1 nogil:
        """End a step of length dt: what rests falls asleep, and external forces are over."""
        cdef int first = self.assembly.share[CONTACTS].cone
        self.part = 0
        if self.scene.sleeping:
            fall_asleep(self.scene, self.slumber, &self.assembly.builder.problem, first, dt)
        clear_external(self.scene)
        return 0

    cdef int find_end(self, Signals* signals) except -1 nogil:
        """Forces -> free velocities -> problem -> impulses -> velocities -> positions."""
        free_velocities(self.scene)
        handle_within(signals, self.found.n)
        assemble(&self.assembly, self.scene)
        handle_within(signals, self.found.n)
        solve_contacts(self.contact, &self.assembly.builder.problem)
        self.solves = 1
        self.correct_positions()
        self.solves = 2
        apply_impulses(&self.assembly, self.scene)
        change_velocities(self.scene)
        if self.scene.meets_fast:
            find_waits(self.scene, &self.collision.table, &self.looks)
        integrate(self.scene)
        return 0

    cdef int prepare(self, Signals* signals) except -1 nogil:
        """Forces -> free velocities -> the problem of the step, which is not solved."""
        if self.slumber.stirred:
            self.first_half(signals)
        forget_late_rows(self.scene)
        add_tensions(self.scene, 1.0)
        free_velocities(self.scene)
        assemble(&self.assembly, self.scene)
        return 0

    # ---- its phases that ask a backend --------------------------------------------------------

    cdef int find_contacts(self) except -1 nogil:
        """Find the contacts of this step; who is touched wakes, and has contacts, too."""
        self.solved = False
        self.detections += 1
        self.scene.margin = self.collision.table.margin
        self.found, self.before = self.before, self.found
        find_calm(self.scene, self.slumber)
        wake_linked(self.scene, self.slumber)
        self.detect()
        while wake_touched(self.scene, self.slumber, &self.found):
            self.detect()
        keep_names(&self.before, &self.found, self.scene.margin)
        leave_out_calm(self.scene, &self.found)
        begin_awake(self.slumber, self.contact)
        self.check_known()
        thin_out(self.limits, &self.found)
        return 0

    cdef int detect(self) except -1 nogil:
        """Ask the backend for the contacts, but for overlaps that are left alone and have not parted."""
        cdef Vec3 g = self.scene.gravity
        cdef BodyMotions motions
        motions.of, motions.beyond = self.scene.motion, sqrt(dot3(g, g)) * self.scene.dt * self.scene.dt
        motions.calm = self.scene.calm if self.scene.n_asleep > 0 else NULL
        self.collision.overlaps = known_overlaps(&self.assembly.builder.history.overlaps, self.scene.slop)
        try:
            detect_contacts(self.collision, self.scene.pose, motions, self.scene.n_bodies, &self.found)
        finally:
            self.collision.overlaps.n = 0
        return 0

    cdef int check_known(self) except -1 nogil:
        """Raise CollisionError for a contact with a shape that the scene does not have, and drop all contacts."""
        cdef const ContactPoint* c
        cdef int i
        for i in range(self.found.n):
            c = self.found.point + i
            if not (is_known(self.scene, c.shape_a) and is_known(self.scene, c.shape_b)):
                self.found.n = 0
                with gil:
                    raise CollisionError(
                        f"contact {i} is between shapes {c.shape_a} and {c.shape_b}, one of which this World did not "
                        "add; use world.add_* instead of world.collision.add_shape")
        return 0

    cdef int correct_positions(self) except -1 nogil:
        """Find how far poses move beyond the velocities, so that depths shrink."""
        clear_pushes(self.scene)
        if write_position_problem(&self.assembly):
            solve_contacts(self.position_solver, &self.assembly.positions.problem)
            apply_pushes(&self.assembly, self.scene)
        else:
            skip_step(self.position_solver)
        return 0

    # ---- the way back ------------------------------------------------------------------------

    cdef void take_back_solves(self) noexcept nogil:
        """Let solvers begin with what they knew before this step, which is done again or not at all."""
        if self.solves > 0:
            take_back(self.contact)
        if self.solves > 1:
            take_back(self.position_solver)
        self.solves = 0

    cdef int reserve(self) except -1:
        """Make room for the way back, before the first of some steps."""
        if self.parts > 1:
            reserve_start(&self.start, self.scene)
        return 0

    cdef int give_up(self) except -1:
        """Leave a step that was begun, if one was: the state is that of its start."""
        self.take_back_solves()
        if self.part:
            return_to_start(&self.start, self.scene, &self.assembly.builder, self.contact, self.position_solver)
            self.part = 0
        return 0
