# Islands one after the other, or several at a time: each worker has a workspace of its own, and no island looks at
# another, so that impulses have the same bits for any number of workers.

from rbdyn.contact.islands cimport Islands
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.newton cimport Newton
from rbdyn.contact.solve.settings cimport Settings
from rbdyn.pool cimport Pool

cdef struct Worker:
    Newton newton
    ContactProblem problem   # that of the step; its `iterations` are the most sweeps of this worker's islands so far
    double* history          # (most_iterations,) largest error of each sweep or step over its islands [m/s]
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
cdef int solve_islands(Islands* all, Crew* crew, const Settings* settings, ContactProblem* p) except -1 nogil
