"""A simple reference solver: projected Gauss-Seidel, normal part first, then friction onto its disc."""

from libc.math cimport INFINITY, fabs, isfinite, sqrt
from libc.string cimport memset

from rbdyn.contact.accept cimport accept
from rbdyn.contact.after.lasting cimport keep_lasting
from rbdyn.contact.cone.block cimport SKIPPED, Cone, apply_block, largest_tangential
from rbdyn.contact.islands cimport Island, Islands, close_islands, open_islands, release, rows_of
from rbdyn.contact.laws.dispatch cimport clear_immovable, prepare_blocks, visit_block
from rbdyn.contact.operator cimport (
    Operator, add_impulse, contact_velocity, impulse_at, load_impulses, set_impulse,
)
from rbdyn.contact.problem cimport COMPLIANT, ContactProblem
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.contact.solvers.bends cimport drop_bends
from rbdyn.contact.solvers.bounce cimport Search, begin_search, keep_from_gaining, lower_bounces
from rbdyn.contact.solve.settings cimport YIELDS
from rbdyn.contact.solvers.squeeze cimport give_way, throws
from rbdyn.spatial._algebra cimport Vec3, sub3, vec3

from rbdyn.contact import options
from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES

cdef enum:
    MORE = 50                # sweeps, where bounces make energy


cdef class PGSSolver(ContactSolver):
    """Projected Gauss-Seidel with a disc for friction: many cheap sweeps to the exact Coulomb law.

    Parameters
    ----------
    max_iterations : int
        Sweeps at most; as many again, but not more than 50, where bounces would make energy and are lowered.
    threshold : float
        Stop when no contact's velocity changed by this much in a sweep [m/s].
    warm_start, alternate : bool
        See `ContactSolver`.

    Raises
    ------
    ContactError
        If an argument is out of range; the message names it.
    """

    laws = _LAW_NAMES

    cdef Islands islands
    cdef int max_iterations
    cdef double threshold

    def __cinit__(self, *args, **kwargs):
        self.max_iterations = 1000
        self.threshold = 1e-8

    def __init__(self, *, max_iterations=1000, threshold=1e-8, warm_start=True, alternate=True):
        PGSSolver.configure(self, max_iterations=max_iterations, threshold=threshold, warm_start=warm_start,
                            alternate=alternate)

    def __dealloc__(self):
        release(&self.islands)

    def configure(self, *, max_iterations=None, threshold=None, warm_start=None, alternate=None):
        """Change parameters; those left out keep their values.

        Raises
        ------
        ContactError
            If a value is out of range; the solver is then unchanged.
        """
        iterations = self.max_iterations if max_iterations is None else options.count(max_iterations, "max_iterations")
        limit = self.threshold if threshold is None else options.between(threshold, 0.0, float("inf"), "threshold")
        ContactSolver.configure(self, warm_start=warm_start, alternate=alternate)
        self.max_iterations, self.threshold = iterations, limit

    @property
    def parameters(self):
        """All parameters, as `configure` takes them."""
        return {"max_iterations": self.max_iterations, "threshold": self.threshold} | \
            ContactSolver.parameters.__get__(self)

    @property
    def friction_law(self):
        """Always "coulomb"."""
        return "coulomb"

    @property
    def allocations(self):
        """How often workspace was allocated: constant while the problems do not grow."""
        return self.reallocations + self.islands.reallocations + self.islands.whole.reallocations

    cdef int solve_c(self, ContactProblem* p) except -1 nogil:
        """Sweep island by island from the impulses in p."""
        cdef int k
        open_islands(&self.islands, p)
        for k in range(self.islands.n):
            solve_island(&self.islands.island[k], p, self.max_iterations, self.threshold, self.direction)
        close_islands(&self.islands, p)
        self.onward = self.islands.onward
        return 0


cdef void iterate(Island* island, int most, double threshold, bint backward) noexcept nogil:
    """Sweeps until an island converges, or `most` of them in all."""
    cdef Operator* G = &island.G
    cdef int k
    island.converged = False
    while island.iterations < most and not island.converged:
        island.error = 0.0
        for k in range(G.n_blocks - G.n_discs):
            island.error = max(island.error, visit_block(G, &G.block[k], 1.0, island.impulse))
        for k in range(G.n):
            island.error = max(island.error, visit(G, island.impulse, G.n - 1 - k if backward else k))
        for k in range(G.n_blocks - G.n_discs, G.n_blocks):
            island.error = max(island.error, visit_block(G, &G.block[k], 1.0, island.impulse))
        island.iterations += 1
        island.converged = island.error < threshold
        if island.error == INFINITY:
            break


cdef void solve_once(Island* island, const ContactProblem* p, int most, double threshold,
                     bint backward) noexcept nogil:
    """Sweeps, and more with compliance where kinematic bodies throw what they squeeze."""
    cdef int turn
    iterate(island, most, threshold, backward)
    for turn in range(YIELDS):
        if not throws(&island.G, p, island.impulse):
            break
        give_way(&island.G, p, turn)
        memset(island.impulse, 0, rows_of(&island.G) * sizeof(double))
        load_impulses(&island.G, island.impulse)
        iterate(island, island.iterations + min(most, <int> MORE), threshold, backward)
        island.converged = False
        island.ended = COMPLIANT
    accept(island)


cdef void solve_island(Island* island, const ContactProblem* p, int most, double threshold,
                       bint backward) noexcept nogil:
    """One island, and again while its bounces make energy."""
    cdef Search search = begin_search()
    cdef int last = most + min(most, <int> MORE)
    prepare_blocks(&island.G)
    clear_immovable(&island.G, island.impulse)
    load_impulses(&island.G, island.impulse)
    solve_once(island, p, most, threshold, backward)
    while lower_bounces(island, p, &search, last - island.iterations):
        solve_once(island, p, last, threshold, backward)
    keep_from_gaining(island, p, &search)
    if drop_bends(island, p):
        solve_once(island, p, last + most, threshold, backward)
    keep_lasting(island, p)


cdef double visit(Operator* G, double* impulse, int i) noexcept nogil:
    """One contact: lam_n = max(0, lam_n - v_n / G_nn), then lam_t - v_t / g_t cut to |lam_t| <= mu lam_n.

    g_t is the largest eigenvalue of G_tt.  Returns the velocity change |G_ii delta|_inf [m/s].
    """
    cdef const Cone* B = &G.contact[i].block
    cdef Vec3 old = impulse_at(impulse, i), lam = old, v
    cdef double r, most, g_t
    if B.kind == SKIPPED:
        lam = vec3(0.0, 0.0, 0.0)
    else:
        lam.z = max(0.0, old.z - (contact_velocity(G, i).z + B.compliance * old.z) / B.G.zz)
        add_impulse(G, i, vec3(0.0, 0.0, lam.z - old.z))
        v = contact_velocity(G, i)
        g_t = largest_tangential(B)
        most = B.mu * lam.z
        if g_t > 0.0:
            lam.x = old.x - (v.x + B.compliance * old.x) / g_t
            lam.y = old.y - (v.y + B.compliance * old.y) / g_t
        r = sqrt(lam.x * lam.x + lam.y * lam.y)
        if r > most:
            lam.x, lam.y = lam.x * (most / r), lam.y * (most / r)
    add_impulse(G, i, vec3(lam.x - old.x, lam.y - old.y, lam.z - old.z if B.kind == SKIPPED else 0.0))
    set_impulse(impulse, i, lam)
    v = apply_block(B, sub3(lam, old))
    r = max(fabs(v.x), fabs(v.y), fabs(v.z))
    return r if isfinite(lam.x + lam.y + lam.z + r) else INFINITY
