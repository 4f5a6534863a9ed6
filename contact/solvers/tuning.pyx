"""What is enough for an island: tuning.pxd."""

from libc.math cimport INFINITY, fabs

from rbdyn.contact.cone.local cimport COULOMB
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.settings cimport (
    CORNERS, DIRECT_TRIES, FEWER_SWEEPS, FEW_CONTACTS, MOST_SWEEPS, PATIENT_TRIES, PLAIN_SWEEPS, STRICT_SWEEPS,
    THOROUGH_TRIES, Settings,
)


cdef double FINE = 1e-4            # of the speeds that an island has without impulses: an error that nobody sees
cdef double NOT_FELT = 1e-3        # [m/s^2] times the time step: a ten-thousandth of gravity, neither
cdef double MOVING = 20.0          # [m/s^2] times the time step: faster than what gravity does to a thing at rest
cdef double SLOW = 2e-4            # [m] in a step: so slow are towers that rock, and heaps that settle
cdef double RESTING = 0.01         # [m/s^2] times the time step: what begins a step no faster is at rest


cdef double free_speed(const Operator* G) noexcept nogil:
    """The largest velocity of a row at zero impulse [m/s]; discs let things turn at any speed."""
    cdef double speed = 0.0
    cdef int i, lines = G.block[G.n_blocks - G.n_discs].first if G.n_discs > 0 else G.n_lines
    for i in range(G.n):
        speed = max(speed, fabs(G.contact[i].v_free.x), fabs(G.contact[i].v_free.y), fabs(G.contact[i].v_free.z))
    for i in range(lines):
        speed = max(speed, fabs(G.line[i].v_free))
    return speed


cdef double start_speed(const Operator* G, const ContactProblem* p) noexcept nogil:
    """The largest velocity of a contact at the start of the step [m/s]; what only turns under a disc has none."""
    cdef double speed = 0.0
    cdef int i, n
    if p.v_start == NULL:
        return INFINITY
    for i in range(G.n):
        n = 3 * G.contact[i].index
        speed = max(speed, fabs(p.v_start[n]), fabs(p.v_start[n + 1]), fabs(p.v_start[n + 2]))
    return speed


cdef bint rests(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Whether nothing in contact moves at the start of the step."""
    return start_speed(G, p) <= RESTING * p.dt


cdef bint is_hasty(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Whether these are contacts of single bodies alone, and none is asked to part: the next step goes on."""
    cdef int i
    for i in range(G.n):
        if G.contact[i].row_end > G.contact[i].row or (
                p.target != NULL and p.target[3 * G.contact[i].index + 2] > 0.0):
            return False
    return G.n_blocks == 0


cdef bint ends_softly(const Settings* s, const Operator* G, const ContactProblem* p) noexcept nogil:
    """Whether what sweeps leave unsolved is to end in proximal steps: single bodies that hardly move.

    Where precision is asked for they may move.
    """
    if not s.direct or s.law != COULOMB or s.alpha_init != 1.0 or s.alpha_min != 1.0 or G.n == 0 or (
            p.v_start == NULL or not is_hasty(G, p)):
        return False
    return not s.automatic or start_speed(G, p) * p.dt <= SLOW


cdef void tune(Settings* s, const Operator* G, const ContactProblem* p) noexcept nogil:
    """Settings for one island.

    Robots in small islands are solved to the threshold, single bodies on the ground too, and so is what some sweeps and
    a direct solve can do: things at rest.  Where more is needed, errors count that are seen or felt, and the next step
    goes on from here; acceleration, which doubles the cost of a sweep, does not pay where things slide or hit and the
    next problem is another one.
    Single bodies that hardly move get fewer sweeps at first: proximal steps follow, which cost less than more of them.
    Rows beside few contacts are a robot, a net or a chain: their direct solves go on whatever becomes of the error.
    With contacts they stop where too many are let go: a grip left with one corner of each finger turns about it.
    What begins the step at rest, though much would slide in the first sweeps of a cold start, is given time: once it is
    solved it stays so, at a sweep a step, and what is left of its motion would move it out of place.
    Bounces are over after one step: what it leaves is lost, or given up by the guard of bounce.pyx.  A problem without
    a time step is not of a simulation.
    """
    cdef bint few = G.n <= FEW_CONTACTS
    cdef double speed, dt = p.dt
    s.enough, s.strict, s.hasty, s.few = s.threshold, PLAIN_SWEEPS, False, 0
    s.thorough = not s.automatic or few and G.n_blocks > 0
    s.patient = not s.automatic or G.n == 0
    s.tries = PATIENT_TRIES if not s.automatic else (THOROUGH_TRIES if s.thorough else DIRECT_TRIES)
    if not s.automatic or not dt > 0.0:
        return
    s.hasty = is_hasty(G, p)
    if few and (not s.hasty or G.n <= CORNERS):
        s.hasty = False
        return
    speed = free_speed(G)
    s.enough = max(s.threshold, min(FINE * speed, NOT_FELT * dt))
    if few:
        s.strict, s.hasty = STRICT_SWEEPS, False
        return
    s.max_iterations = min(s.max_iterations, <int> MOST_SWEEPS)
    s.few = min(s.max_iterations, <int> FEWER_SWEEPS) if ends_softly(s, G, p) else 0
    s.anderson = s.anderson and speed <= MOVING * dt
    if s.hasty and rests(G, p):
        s.hasty, s.patient = False, True
