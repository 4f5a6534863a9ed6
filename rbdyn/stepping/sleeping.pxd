# Sleep: what rests is left out of steps, and keeps its bits, until something moves it.
#
# An island is all that contacts and constraints between bodies join, without what no impulse moves; an articulated
# system is one thing.  It falls asleep as a whole, once all of it has been slow for the scene's sleep_time and
# something bears it: then its velocities are zero.  It wakes as a whole when a contact with something restless is
# found, or when somebody calls `wake`.  So no contact, and no constraint, ever joins a body that sleeps with one that
# may move.
#
# What a winch winds, or a law of the user pulls at, stays awake.
#
# The contacts of what sleeps are kept here, with their impulses: they can be read.  With these, and with the impulses
# of all other rows that it had, the solver begins once it wakes.

from rbdyn.collision._types cimport ASLEEP, ContactBuffer, ContactPoint
from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Rest, Scene

cdef enum:
    EVERYBODY = -1            # number of no island

cdef enum:
    MOST_KEPT_ROWS = 6        # of a block: MOST_ROWS of contact/problem.pxd

cdef struct KeptBlock:        # rows of what sleeps that are no contact
    Key key
    int rows
    long island               # its island, 0 once that is awake
    double[6] impulse         # (rows,) in the step before it fell asleep

cdef struct Slumber:          # all zero: empty
    Rest* system              # (n_bodies,) by the handle of an articulated system's internal body 0: whether it sleeps
    int n                     # contacts of what sleeps, or has been woken since the latest detection
    ContactPoint* point       # (n,) shape_a = -1: forgotten
    Vec3* impulse             # (n,) on side A, in the step before it fell asleep, world axes [N s]
    long* island              # (n,) its island, 0 once that is awake
    int found                 # those from here on are among the contacts of the latest step, too
    int n_blocks              # of what sleeps, or has been woken since the latest detection
    KeptBlock* block          # (n_blocks,)
    bint stirred              # somebody was woken since the latest detection
    long revision             # of the table of shapes that is known
    int* node                 # (n_single + n_system,) union-find; scratch, as is
    char* says                # (n_single + n_system,) what is known of an island, at its root
    size_t room[7]

cdef void slumber_free(Slumber* z) noexcept
cdef int reserve_slumber(Slumber* z, int n, int blocks) except -1 nogil
cdef int reserve_rest(Slumber* z, int first, int n) except -1 nogil
cdef void forget_rest(Scene* s, Slumber* z, int handle, int bodies) noexcept nogil
cdef void lay_down(Scene* s, Slumber* z) noexcept nogil
cdef long island_of(const Scene* s, const Slumber* z, const BodyHandle* body) noexcept nogil
cdef void wake(Scene* s, Slumber* z, long island) noexcept nogil
cdef void wake_on(Scene* s, Slumber* z, int body) noexcept nogil
cdef void rouse(Scene* s, Slumber* z, int handle) noexcept nogil
cdef void forget_sleeping(Slumber* z, int shape) noexcept nogil
cdef void find_calm(Scene* s, const Slumber* z) noexcept nogil
cdef void wake_linked(Scene* s, Slumber* z) noexcept nogil
cdef bint wake_touched(Scene* s, Slumber* z, const ContactBuffer* found) noexcept nogil
cdef void leave_out_calm(const Scene* s, ContactBuffer* found) noexcept nogil
cdef int begin_awake(Slumber* z, ContactSolver solver) except -1 nogil
cdef int fall_asleep(Scene* s, Slumber* z, const ContactProblem* solved, int first_cone, double dt) except -1 nogil

cdef inline bint is_asleep(const Scene* s, int body) noexcept nogil:
    """Whether a body, by its handle, sleeps."""
    if s.n_asleep == 0:
        return False
    if s.body[body].kind == SYSTEM_BODY:
        return s.calm[body] == ASLEEP
    return s.body[body].kind == SINGLE_BODY and s.rest[s.body[body].index].island > 0
