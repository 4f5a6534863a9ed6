# Many Worlds stepped in one call, on threads: what VectorWorld and rollouts share.

from cpython.ref cimport PyObject

from rbdyn.pool cimport Pool
from rbdyn.signals cimport Signals
from rbdyn.world.world cimport World

cdef int run(World world, long steps, Signals* signals) except -1 nogil
cdef int begin(World world) except -1
cdef Signals deaf() noexcept nogil

cdef inline long parts(long n, long size) noexcept nogil:
    """How many parts of a size make n, the last one smaller; 1 at least."""
    return max((n + size - 1) // size, 1)

cdef class Stepper:
    cdef readonly tuple worlds
    cdef readonly int threads
    cdef Pool* pool              # of `threads` workers; NULL for one
    cdef PyObject** going        # (n_going,) borrowed: those that take this round's steps on any thread
    cdef int* number             # (n_going,) which they are
    cdef int n_going
    cdef int share               # how many of them a thread takes at a time
    cdef long steps              # of this round
    cdef bint at_work
    cdef list failed             # of this call: (number, exception)
    cdef int take(self, int at) except -1
    cdef int round(self, long steps) except -1
    cdef int leave_out(self) except -1
    cdef dict step_all(self, long count, list numbers)
    cdef int step_slowly(self, long count, list numbers) except -1
    cdef dict told(self)
