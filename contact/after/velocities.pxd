# What impulses make of velocities, from a problem alone: for what comes after a solve, whoever solved it.

from rbdyn.contact.operator cimport BodyVelocity
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, vec3

cdef struct Velocities:       # all zero: empty
    BodyVelocity* body        # (n_single,) changes of the bodies' velocities
    double* z                 # (n_coordinates,) and of the normalised coordinates
    size_t room[2]

cdef void release_velocities(Velocities* q) noexcept nogil
cdef int find_velocities(Velocities* q, const ContactProblem* p, const int* island) except -1 nogil
cdef double cone_speed(const Velocities* q, const ContactProblem* p, int i, int axis) noexcept nogil
cdef double row_speed(const Velocities* q, const ContactProblem* p, int r) noexcept nogil


cdef inline Vec3 at(const double* x) noexcept nogil:
    """Three numbers of a problem's array."""
    return vec3(x[0], x[1], x[2])
