from rbdyn.collision._types cimport ContactBuffer
from rbdyn.world.assemble cimport Assembly
from rbdyn.world.roster cimport Roster

cdef class World(Roster):
    cdef Assembly assembly                # this step's contact problem
    cdef ContactBuffer found              # this step's contacts
    cdef int scheme                       # Scheme of the position update
    cdef double theta, gamma              # of the theta-scheme
    cdef readonly long steps              # steps done
    cdef double time_before               # [s] at the latest change of the time step
    cdef long steps_before                # done until then
    cdef bint solved                      # impulses of the contacts are known
    cdef int failed_single, failed_system  # whose step did not end in finite numbers, or -1

    cdef void kinematics(self) noexcept nogil
    cdef int detect(self) except -1 nogil
    cdef int raise_unknown_shape(self, int i) except -1 nogil
    cdef int look_at_signals(self, double* checked) except -1 nogil
    cdef void free_velocities(self) noexcept nogil
    cdef void move(self) noexcept nogil
    cdef bint finite(self) noexcept nogil
    cdef void commit(self) noexcept nogil
    cdef int half_one(self, double* checked) except -1 nogil
    cdef int half_two(self, double* checked) except -1 nogil
    cdef int diverged(self) except -1 nogil
    cdef object who_diverged(self)
    cdef object contact_at(self, int i)
    cdef bint stands(self, int i) except -1
    cdef int take(self) except -1
    cdef int release(self, bint half) except -1
