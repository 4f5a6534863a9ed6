from rbdyn.contact.solver cimport ContactSolver, SolverStart
from rbdyn.stepping.builder cimport Builder
from rbdyn.stepping.pair_history cimport PairHistory
from rbdyn.stepping.scene cimport Scene

cdef struct StepStart:        # the state of a scene as it was when a step began; all zero is empty
    void* bytes
    size_t room
    PairHistory history       # and what is remembered of steps before
    SolverStart contact, position

cdef int reserve_start(StepStart* start, const Scene* scene) except -1
cdef int keep_start(StepStart* start, const Scene* scene, const Builder* builder, ContactSolver contact,
                    ContactSolver position) except -1 nogil
cdef int return_to_start(StepStart* start, Scene* scene, Builder* builder, ContactSolver contact,
                         ContactSolver position) except -1 nogil
cdef void free_start(StepStart* start) noexcept
