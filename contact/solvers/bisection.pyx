"""The default solver: per-contact Gauss-Seidel with an exact local solve."""

from libc.stdlib cimport free

from rbdyn.contact.cone.local cimport FrictionLaw, Method
from rbdyn.contact.islands cimport Islands
from rbdyn.contact.islands cimport release as release_islands
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.contact.solvers.anderson cimport Anderson
from rbdyn.contact.solvers.anderson cimport release as release_anderson
from rbdyn.contact.solvers.direct.room cimport release as release_direct
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.gauss_seidel cimport Settings, gauss_seidel, soft_sweeps
from rbdyn.memory cimport grow

import numpy as np

from rbdyn.contact import options
from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES

LAWS = ("coulomb", "raisim")
METHODS = ("newton", "bisection")


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
        Sweeps at most; as many again, but not more than 50, where blocks contradict one another.
    threshold : float or "auto"
        Stop when no velocity changed by this much in a sweep [m/s].  "auto" is 1e-8, but saves what is neither seen nor
        felt in islands of more than 20 blocks: after eight sweeps 1e-4 of the largest velocity there would be without
        impulses will do, or 1e-3 m/s^2 times the time step if that is less, and 40 sweeps are the most.  A number asks
        for precision, and so does a problem without a time step (``dt`` of `Problem`).
    alpha_init, alpha_min, alpha_decay : float
        Under-relaxation alpha of every visit: starts at alpha_init, and after each sweep
        ``alpha = alpha_min + alpha_decay (alpha - alpha_min)``.  1 is best in every case measured.
    patience : int
        Give up, with ``converged`` False, after so many sweeps without one percent of progress.
    direct : bool
        After 8 sweeps, solve all sticking contacts together where the contact graph makes that cheap: a tall stack then
        needs tens of sweeps instead of thousands.  Used only while every alpha is 1.
    anderson : bool
        Accelerate what remains (window 5); used only while every alpha is 1.
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
    cdef Anderson acceleration
    cdef Direct direct
    cdef double* history             # (max_iterations + soft_sweeps,) error of each sweep [m/s]
    cdef size_t history_capacity
    cdef int history_length

    def __cinit__(self, *args, **kwargs):
        self.settings = Settings(law=FrictionLaw.COULOMB, method=Method.NEWTON, max_iterations=150, automatic=True,
                                 threshold=1e-8, enough=0.0, alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0,
                                 patience=50, anderson=True, direct=True, backward=False)

    def __init__(self, *, friction_law="coulomb", local_solver="newton", max_iterations=150, threshold="auto",
                 alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0, patience=50, anderson=True, direct=True,
                 warm_start=True, alternate=True):
        BisectionSolver.configure(
            self, friction_law=friction_law, local_solver=local_solver, max_iterations=max_iterations,
            threshold=threshold, alpha_init=alpha_init, alpha_min=alpha_min, alpha_decay=alpha_decay,
            patience=patience, anderson=anderson, direct=direct, warm_start=warm_start, alternate=alternate)

    def __dealloc__(self):
        release_islands(&self.islands)
        release_anderson(&self.acceleration)
        release_direct(&self.direct)
        free(self.history)

    def configure(self, *, friction_law=None, local_solver=None, max_iterations=None, threshold=None, alpha_init=None,
                  alpha_min=None, alpha_decay=None, patience=None, anderson=None, direct=None, warm_start=None,
                  alternate=None):
        """Change parameters; those left out keep their values.

        Raises
        ------
        ContactError
            If a value is out of range; the solver is then unchanged.
        """
        cdef Settings s = self.settings
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
        if patience is not None:
            s.patience = options.count(patience, "patience")
        if anderson is not None:
            s.anderson = options.flag(anderson, "anderson")
        if direct is not None:
            s.direct = options.flag(direct, "direct")
        ContactSolver.configure(self, warm_start=warm_start, alternate=alternate)
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
            "patience": self.settings.patience,
            "anderson": bool(self.settings.anderson),
            "direct": bool(self.settings.direct),
        } | ContactSolver.parameters.__get__(self)

    @property
    def friction_law(self):
        """"coulomb" or "raisim"."""
        return LAWS[<int>self.settings.law]

    @property
    def error_history(self):
        """(iterations,) largest velocity change of each sweep of the last solve [m/s]."""
        cdef int k
        return np.array([self.history[k] for k in range(self.history_length)], dtype=np.float64)

    cdef int solve_c(self, ContactProblem* p) except -1 nogil:
        """Gauss-Seidel from the impulses in p."""
        cdef Settings settings = self.settings       # one reading: somebody may configure meanwhile
        self.reallocations += grow(<void**>&self.history, &self.history_capacity,
                                   <size_t> settings.max_iterations + soft_sweeps(&settings), sizeof(double))
        settings.backward = self.direction
        gauss_seidel(&self.islands, &self.acceleration, &self.direct, &settings, p, self.history)
        self.history_length = p.iterations
        return 0

    @property
    def allocations(self):
        """How often workspace was allocated: constant while the problems do not grow."""
        return self.reallocations + self.islands.reallocations + self.islands.whole.reallocations
