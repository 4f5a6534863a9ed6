# A step, phase by phase: what a World schedules.

from rbdyn.collision._types cimport ContactBuffer
from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.signals cimport Signals
from rbdyn.stepping.assemble cimport Assembly
from rbdyn.stepping.rewind cimport StepStart
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.self_limits cimport SelfLimits
from rbdyn.stepping.sleeping cimport Slumber

cdef class Pipeline:
    cdef Scene* scene                     # the owner's, as the next two
    cdef Slumber* slumber
    cdef const SelfLimits* limits
    cdef CollisionBackend collision
    cdef ContactSolver contact
    cdef ContactSolver position_solver    # of what corrects depths
    cdef ContactBuffer found              # contacts of this step
    cdef ContactBuffer before             # those of the detection before
    cdef ContactBuffer looks              # room for looks at bodies that meet
    cdef long detections                  # of contacts, so far
    cdef Assembly assembly                # contact problem of this step
    cdef int solves                       # of a step that is not done: 1 of contacts, 2 of positions, too
    cdef bint solved                      # impulses of the contacts are known
    cdef long stepped_at                  # number of the detection when the latest step was done
    cdef int parts                        # of a step
    cdef int part                         # of the present step, 0 between steps
    cdef StepStart start                  # of the present step, if it has parts

    cdef int first_half(self, Signals* signals) except -1 nogil
    cdef int begin_parts(self, Signals* signals) except -1 nogil
    cdef bint take_part(self, Signals* signals) except -1 nogil
    cdef int end_parts(self, double dt) except -1 nogil
    cdef int find_end(self, Signals* signals) except -1 nogil
    cdef int prepare(self, Signals* signals) except -1 nogil
    cdef int find_contacts(self) except -1 nogil
    cdef int detect(self) except -1 nogil
    cdef int check_known(self) except -1 nogil
    cdef int correct_positions(self) except -1 nogil
    cdef void take_back_solves(self) noexcept nogil
    cdef int give_up(self) except -1
    cdef int reserve(self) except -1
