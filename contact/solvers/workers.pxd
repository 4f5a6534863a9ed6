# Islands one after the other, or several at a time: each worker has a workspace of its own, and no island looks at
# another, so that impulses have the same bits for any number of workers.

from rbdyn.contact.islands cimport Islands
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.newton cimport Newton
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport Settings
from rbdyn.pool cimport Pool

cdef struct Worker:
    Anderson acceleration
    Direct direct
    Newton newton
    ContactProblem problem   # that of the step; its `iterations` are the most sweeps of this worker's islands so far
    double* history          # (max_iterations + soft_sweeps,) largest error of each sweep over its islands [m/s]
    size_t history_capacity
    size_t reallocations
    bint failed              # there was no memory

cdef struct Crew:
    int n
    Pool* pool
    Worker* worker           # (n,)


cdef int hire(Crew* crew, int n) except -1
cdef void release(Crew* crew) noexcept nogil
cdef size_t reallocations(const Crew* crew) noexcept nogil
cdef int gauss_seidel(Islands* all, Crew* crew, const Settings* settings, ContactProblem* p) except -1 nogil
