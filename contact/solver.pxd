# The interface of a contact solver, and the one call that World makes.
#
# Two entry points: a Cython solver overrides solve_c(), a Python solver overrides solve().

from rbdyn.backends cimport Backend
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.warm_start cimport WarmStart

cdef struct Counts:                  # of the steps since they were cleared
    long steps, unconverged
    long ended[5]                    # islands by Stage
    long iterations                  # in all
    double worst                     # largest error [m/s]
    int worst_body                   # body handle of what that error is of, as the World says; -1: nobody was asked
    bint named                       # ContactSolver.worst_name is its name

cdef class ContactSolver(Backend):
    cdef int takes                   # bit k: takes blocks of law k
    cdef bint elastic                # a Python solve() may add energy
    cdef bint warm                   # start from the impulses of the step before
    cdef bint alternating            # flip the sweep direction after every step
    cdef int direction               # 0: this step sweeps from the first contact to the last, 1: backwards
    cdef readonly int iterations     # of the last step
    cdef readonly double error       # of the last step [m/s]
    cdef readonly bint converged     # in the last step
    cdef Counts counts
    cdef object worst_name           # str, or None
    cdef WarmStart memory
    cdef WarmStart memory_before     # as the last step found them: `take_back`
    cdef Counts counts_before
    cdef const double* onward        # (n_rows,) what the next step is to begin with; NULL: the impulses of this one
    cdef double* solved              # (n_solved,) the impulses that belong to it, if a Python solve() asked for them
    cdef int n_solved
    cdef size_t solved_capacity
    cdef Operator check              # workspace for judging the impulses of a Python solve()
    cdef size_t reallocations              # how often workspace was allocated
    cdef int solve_c(self, ContactProblem* p) except -1 nogil

cdef struct SolverStart:             # what a solver knew when a step began; all zero: nothing
    WarmStart memory
    int direction

cdef int keep_memory(ContactSolver s, SolverStart* start) except -1 nogil
cdef int return_memory(ContactSolver s, const SolverStart* start) except -1 nogil
cdef void clear_counts(ContactSolver s) noexcept nogil
cdef void skip_step(ContactSolver s) noexcept nogil
cdef void take_back(ContactSolver s) noexcept nogil
cdef int solve_contacts(ContactSolver s, ContactProblem* p) except -1 nogil
