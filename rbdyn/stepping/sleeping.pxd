# Sleep: single bodies that rest are left out of steps, and keep their bits, until something moves them.
#
# An island is all that contacts join, without what no impulse moves.  It falls asleep as a whole, once all of it has
# been slow for the scene's sleep_time and something bears it: then its velocities are zero.  It wakes as a whole when
# a contact with something restless is found, or when somebody calls `wake`.  So no contact, and no constraint, ever
# joins a body that sleeps with one that may move.
#
# Articulated systems, bodies on constraints, and what touches either stay awake.
#
# The contacts of what sleeps are kept here, with their impulses: they can be read, and the solver begins with them once
# their bodies wake.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.scene cimport SINGLE_BODY, Scene

cdef enum:
    EVERYBODY = -1            # number of no island

cdef struct Slumber:          # all zero: empty
    int n                     # contacts of what sleeps, or has been woken since the latest detection
    ContactPoint* point       # (n,) shape_a = -1: forgotten
    Vec3* impulse             # (n,) on side A, in the step before it fell asleep, world axes [N s]
    long* island              # (n,) its island, 0 once that is awake
    int found                 # those from here on are among the contacts of the latest step, too
    bint stirred              # somebody was woken since the latest detection
    long revision             # of the table of shapes that is known
    int* node                 # (n_single,) union-find; scratch, as is
    char* says                # (n_single,) what is known of an island, at its root
    size_t room[5]

cdef void slumber_free(Slumber* z) noexcept
cdef int reserve_slumber(Slumber* z, int n) except -1 nogil
cdef void wake(Scene* s, Slumber* z, long island) noexcept nogil
cdef void wake_on(Scene* s, Slumber* z, int body) noexcept nogil
cdef void forget_sleeping(Slumber* z, int shape) noexcept nogil
cdef const char* find_calm(Scene* s) noexcept nogil
cdef bint wake_touched(Scene* s, Slumber* z, const ContactBuffer* found) noexcept nogil
cdef void leave_out_calm(const Scene* s, ContactBuffer* found) noexcept nogil
cdef int begin_awake(Slumber* z, ContactSolver solver) except -1 nogil
cdef int fall_asleep(Scene* s, Slumber* z, const ContactProblem* solved, int first_cone, double dt) except -1 nogil

cdef inline bint is_asleep(const Scene* s, int body) noexcept nogil:
    """Whether a body, by its handle, sleeps."""
    return s.body[body].kind == SINGLE_BODY and s.n_asleep > 0 and s.rest[s.body[body].index].island > 0
