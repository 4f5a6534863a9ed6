"""The default solver: per-contact Gauss-Seidel with an exact local solve."""

from rbdyn.contact.cone.local cimport FrictionLaw, Method
from rbdyn.contact.islands cimport Islands
from rbdyn.contact.islands cimport release as release_islands
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.contact.solve.settings cimport Settings
from rbdyn.contact.solvers.workers cimport Crew, hire, reallocations, solve_islands
from rbdyn.contact.solvers.workers cimport release as release_crew

import numpy as np

from rbdyn.contact import options
from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES
from rbdyn.contact.solvers.workers import HAS_THREADS
from rbdyn.errors import ContactError

LAWS = ("coulomb", "raisim")
METHODS = ("newton", "bisection")
MOST_THREADS = 64


cdef class BisectionSolver(ContactSolver):
    """Per-contact iteration of Hwangbo, Lee and Hutter (RA-L 2018), with two sliding laws and two local solvers.

    Parameters
    ----------
    friction_law : {"coulomb", "raisim"}
        "coulomb": slip opposes friction, exactly.  "raisim": the published rule of least kinetic energy on the sliding
        curve, in which the friction of a contact with normal-tangential coupling is not quite opposite to its slip.
    local_solver : {"newton", "bisection"}
        How the one unknown of sliding is found; same result, Newton is about ten times faster.
    max_iterations : int
        Sweeps at most, and as many steps of Newton's method, for each solve of an island.
    threshold : float or "auto"
        Residual [m/s] that counts as solved: the largest velocity change of a sweep, or the natural map of the laws
        (docs/contact.md) after Newton's method.  "auto" is 1e-8, and chooses for each island what it may cost.  Robots
        and constraints are solved to 1e-3 m/s^2 times the time step.  Single bodies with more than 20 contacts are
        solved to 1e-3 of the largest speed with which a contact begins the step; where that is more than 0.2 mm a step
        and many contacts slide, ten sweeps are the most.  A number asks for precision whatever that costs.
    alpha_init, alpha_min, alpha_decay : float
        Under-relaxation alpha of every visit: starts at alpha_init, and after each sweep
        ``alpha = alpha_min + alpha_decay (alpha - alpha_min)``.  1 is best in every case measured.
    newton : bool
        Solve what sweeps leave by a proximal Newton method for all laws at once (docs/contact.md).  False: sweeps
        alone, as published.  Used with the friction law "coulomb".
    threads : int
        How many islands (contacts that act on one another) are solved at a time: the same bits for any number.  It pays
        where several large piles tumble.  A process that was forked off works with one.
    warm_start, alternate : bool
        See `ContactSolver`.

    Raises
    ------
    ContactError
        If an argument is out of range; the message names it.

    Examples
    --------
    >>> problem = Problem(np.eye(3), [[1.0, 0.0, -1.0]], friction=0.5)
    >>> BisectionSolver().solve(problem)
    >>> problem.impulse
    array([[-0.5,  0. ,  1. ]])
    """

    laws = _LAW_NAMES

    cdef Settings settings
    cdef Islands islands
    cdef Crew crew
    cdef int history_length

    def __cinit__(self, *args, **kwargs):
        self.settings = Settings(law=FrictionLaw.COULOMB, method=Method.NEWTON, max_iterations=150,
                                 automatic=True, threshold=1e-8, alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0,
                                 backward=False, newton=True)
        hire(&self.crew, 1)

    def __init__(self, *, friction_law="coulomb", local_solver="newton", max_iterations=150, threshold="auto",
                 alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0, newton=True, threads=1, warm_start=True,
                 alternate=True):
        BisectionSolver.configure(
            self, friction_law=friction_law, local_solver=local_solver, max_iterations=max_iterations,
            threshold=threshold, alpha_init=alpha_init, alpha_min=alpha_min, alpha_decay=alpha_decay,
            newton=newton, threads=threads, warm_start=warm_start, alternate=alternate)

    def __dealloc__(self):
        release_islands(&self.islands)
        release_crew(&self.crew)

    def configure(self, *, friction_law=None, local_solver=None, max_iterations=None, threshold=None, alpha_init=None,
                  alpha_min=None, alpha_decay=None, newton=None, threads=None, warm_start=None, alternate=None):
        """Change parameters; those left out keep their values.

        Raises
        ------
        ContactError
            If a value is out of range; the solver is then unchanged.
        """
        cdef Settings s = self.settings
        cdef int n = self.crew.n
        if friction_law is not None:
            s.law = <FrictionLaw><int>options.choice(friction_law, LAWS, "friction_law")
        if local_solver is not None:
            s.method = <Method><int>options.choice(local_solver, METHODS, "local_solver")
        if max_iterations is not None:
            s.max_iterations = options.count(max_iterations, "max_iterations")
        if threshold is not None:
            s.automatic = isinstance(threshold, str) and threshold == "auto"
            s.threshold = 1e-8 if s.automatic else options.between(threshold, 0.0, np.inf, "threshold")
        if alpha_init is not None:
            s.alpha_init = options.share(alpha_init, "alpha_init")
        if alpha_min is not None:
            s.alpha_min = options.share(alpha_min, "alpha_min")
        if alpha_decay is not None:
            s.alpha_decay = options.between(alpha_decay, 0.0, 1.0, "alpha_decay")
        if newton is not None:
            s.newton = options.flag(newton, "newton")
        if threads is not None:
            n = options.count(threads, "threads", MOST_THREADS)
            if n > 1 and not HAS_THREADS:
                raise ContactError(f"threads={n}: there are no POSIX threads here, and islands are solved one by one; "
                                   "threads=1 gives the same impulses")
        ContactSolver.configure(self, warm_start=warm_start, alternate=alternate)
        hire(&self.crew, n)
        self.settings = s

    @property
    def parameters(self):
        """All parameters, as `configure` takes them."""
        return {
            "friction_law": self.friction_law,
            "local_solver": METHODS[<int>self.settings.method],
            "max_iterations": self.settings.max_iterations,
            "threshold": "auto" if self.settings.automatic else self.settings.threshold,
            "alpha_init": self.settings.alpha_init,
            "alpha_min": self.settings.alpha_min,
            "alpha_decay": self.settings.alpha_decay,
            "newton": bool(self.settings.newton),
            "threads": self.crew.n,
        } | ContactSolver.parameters.__get__(self)

    @property
    def friction_law(self):
        """"coulomb" or "raisim"."""
        return LAWS[<int>self.settings.law]

    @property
    def error_history(self):
        """(iterations,) largest velocity change of each sweep of the last solve [m/s]."""
        cdef int k
        return np.array([self.crew.worker[0].history[k] for k in range(self.history_length)], dtype=np.float64)

    cdef int solve_c(self, ContactProblem* p) except -1 nogil:
        """Solve island by island from the impulses in p."""
        cdef Settings settings = self.settings       # one reading: somebody may configure meanwhile
        settings.backward = self.direction
        solve_islands(&self.islands, &self.crew, &settings, p)
        self.history_length = p.iterations
        self.onward = self.islands.onward
        return 0

    @property
    def allocations(self):
        """How often workspace was allocated: constant while the problems do not grow."""
        return self.reallocations + reallocations(&self.crew) + self.islands.reallocations \
            + self.islands.whole.reallocations
