"""When an island ends in proximal steps, and what becomes of it: attempt.pxd."""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from rbdyn.contact.accept cimport makes_energy
from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.laws cimport cone
from rbdyn.contact.operator cimport Operator, load_impulses
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.room cimport begin as begin_direct
from rbdyn.contact.solvers.direct.workspace cimport Direct, Node
from rbdyn.contact.solvers.proximal.newton cimport take_proximal_step
from rbdyn.contact.solvers.settings cimport Settings
from rbdyn.contact.solvers.tuning cimport ends_softly

cdef enum:
    STEPS = 4
    TURNS = 10               # of Newton's method in all of them
cdef double STIFFNESS = 300.0      # of the first step: rho in units of 1 / mean diagonal of G_ii
cdef double STIFFER = 30.0         # times, of each after it
cdef double MOST = 130.0           # multiplications of a factorisation for each contact: a tower has fewer
cdef double LARGER = 10.0          # times: the error that may follow where precision is asked for


cdef bint is_suitable(const Operator* G) noexcept nogil:
    """Whether every contact obeys its law as it stands."""
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.compliance > 0.0:
            return False
    return not G.proximal


cdef double work(const Direct* S) noexcept nogil:
    """Multiplications of a factorisation."""
    cdef const Node* a
    cdef double total = 0.0
    cdef int i
    for i in range(S.nodes):
        a = S.node + i
        total += 0.5 * a.size * (a.size + a.rows) * (a.size + a.rows)
    return total


cdef double error_of(const Operator* G, const Settings* s, const double* impulse) noexcept nogil:
    """The largest velocity change that a visit would make [m/s]."""
    cdef double error = 0.0
    cdef int i
    for i in range(G.n):
        error = max(error, cone.missed(G, i, s.law, s.method, impulse))
    return error


cdef bint soften_changes(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                         size_t* reallocations) except -1 nogil:
    """Proximal steps instead of impulses that sweeps left unsolved, from the loads that the island began with.

    False if they are not for this island, as others cost less: what is left is for more sweeps.
    The first is soft; stiffer ones follow while they are found and errors fall, as they do to the end where a tower has
    come to rest but for its loads.  Where precision is asked for, sweeps have gone on for long, and errors may be
    somewhat larger: they are smooth, and take energy away.
    """
    cdef Operator* G = &island.G
    cdef double error, stiffness = STIFFNESS, best = island.error if s.automatic else LARGER * island.error
    cdef int step, turns = TURNS, rows = rows_of(G)
    cdef bint stands = False
    if island.converged or island.error == INFINITY or not ends_softly(s, G, p) or not is_suitable(G):
        return False
    if not begin_direct(S, G, p, reallocations) or s.automatic and work(S) > MOST * G.n:
        return False
    memcpy(A.kept, island.impulse, rows * sizeof(double))
    memcpy(island.impulse, island.begun, rows * sizeof(double))
    for step in range(STEPS):
        if not take_proximal_step(S, island, p, stiffness, s.enough, &turns):
            break
        error = error_of(G, s, island.impulse)
        if error < best and not makes_energy(G, island.impulse):
            memcpy(A.kept, island.impulse, rows * sizeof(double))
            best, stands = error, True
        elif step > 0:
            break
        if best < s.enough:
            break
        stiffness *= STIFFER
    memcpy(island.impulse, A.kept, rows * sizeof(double))
    load_impulses(G, island.impulse)
    if stands:
        island.error = best
        island.converged = best < s.enough
    return True
